"""The scoring stage: samples, OCR output and a protocol into the rows of a run folder."""

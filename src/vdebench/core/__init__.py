"""The data model: boxes, samples, OCR output, images as arrays. Frozen, typed, without file access."""

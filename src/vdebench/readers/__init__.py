"""OCR readers, and the OCR output of an editor's images."""

from vdebench.readers.folder import OcrOutputFolder

__all__ = ["OcrOutputFolder"]

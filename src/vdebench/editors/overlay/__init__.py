"""The editor `overlay`: reads, erases and typesets text, without an image model."""

from vdebench.editors.overlay.editor import OverlayEditor

__all__ = ["OverlayEditor"]

"""The classical editor `overlay`: reads, erases and sets text, with no model of images."""

from vdebench.editors.overlay.editor import OverlayEditor

__all__ = ["OverlayEditor"]

"""A line of text on a page."""

from __future__ import annotations

from typing import NamedTuple

from vdebench.core.box import Box
from vdebench.readers.lines.recognition import RecognizedLine


class Line(NamedTuple):
    """A line of text as returned by an OCR engine."""

    box: Box
    text: str
    score: float = 1.0
    recognized: RecognizedLine | None = None
    """Characters with positions and probabilities, if the engine returns them."""

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.box.y2 - self.box.y1

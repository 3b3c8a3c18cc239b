"""Boxes: axis-aligned rectangles in pixels, with conversion from and to percent of a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Size(NamedTuple):
    """Width and height of an image, in pixels."""

    width: float
    height: float

    @property
    def diagonal(self) -> float:
        """Length of the diagonal."""
        return float((self.width**2 + self.height**2) ** 0.5)


class Box(NamedTuple):
    """Left, top, right, bottom, in pixels of some page."""

    x1: float
    y1: float
    x2: float
    y2: float

    @classmethod
    def from_percent(cls, x: float, y: float, width: float, height: float, page: Size) -> Box:
        """Return the box at left, top, width and height in percent of a page.

        >>> Box.from_percent(10, 20, 50, 5, Size(1000, 2000))
        Box(x1=100.0, y1=400.0, x2=600.0, y2=500.0)
        """
        return cls(
            x / 100 * page.width,
            y / 100 * page.height,
            (x + width) / 100 * page.width,
            (y + height) / 100 * page.height,
        )

    def to_percent(self, page: Size) -> tuple[float, float, float, float]:
        """Return left, top, width and height in percent of the page.

        >>> Box(100, 400, 600, 500).to_percent(Size(1000, 2000))
        (10.0, 20.0, 50.0, 5.0)
        """
        return (
            self.x1 / page.width * 100,
            self.y1 / page.height * 100,
            (self.x2 - self.x1) / page.width * 100,
            (self.y2 - self.y1) / page.height * 100,
        )

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """Return the smallest box that contains all boxes.

        >>> Box.around([Box(0, 0, 10, 10), Box(5, 20, 30, 25)])
        Box(x1=0, y1=0, x2=30, y2=25)
        """
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return cls(min(lefts), min(tops), max(rights), max(bottoms))

    @property
    def area(self) -> float:
        """Area; 0 for a box with right < left or bottom < top."""
        return max(0.0, self.x2 - self.x1) * max(0.0, self.y2 - self.y1)

    def shared_area(self, other: Box) -> float:
        """Return the area of the intersection.

        >>> Box(0, 0, 10, 10).shared_area(Box(5, 5, 15, 15))
        25
        """
        return max(0, min(self.x2, other.x2) - max(self.x1, other.x1)) * max(
            0, min(self.y2, other.y2) - max(self.y1, other.y1)
        )

    def iou(self, other: Box) -> float:
        """Return the intersection over union; 0 if both boxes are empty.

        >>> Box(0, 0, 10, 10).iou(Box(0, 0, 10, 20))
        0.5
        """
        shared = self.shared_area(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def scaled(self, by_x: float, by_y: float) -> Box:
        """Return the box on a page scaled by `by_x` and `by_y`."""
        return Box(self.x1 * by_x, self.y1 * by_y, self.x2 * by_x, self.y2 * by_y)

"""Boxes: axis-parallel rectangles in pixels, and the one converter from and to percent of a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Size(NamedTuple):
    """Width and height of an image, in pixels."""

    width: float
    height: float

    @property
    def diagonal(self) -> float:
        """Length of the page's diagonal."""
        return float((self.width**2 + self.height**2) ** 0.5)


class Box(NamedTuple):
    """Left, top, right, bottom, in pixels of some page."""

    x1: float
    y1: float
    x2: float
    y2: float

    @classmethod
    def from_percent(cls, x: float, y: float, width: float, height: float, page: Size) -> Box:
        """Box given as left, top, width and height in percent of a page.

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
        """Left, top, width and height in percent of the page.

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
        """Smallest box that holds all the given ones.

        >>> Box.around([Box(0, 0, 10, 10), Box(5, 20, 30, 25)])
        Box(x1=0, y1=0, x2=30, y2=25)
        """
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return cls(min(lefts), min(tops), max(rights), max(bottoms))

    @property
    def area(self) -> float:
        """Area; a box turned inside out has none."""
        return max(0.0, self.x2 - self.x1) * max(0.0, self.y2 - self.y1)

    def shared_area(self, other: Box) -> float:
        """Area that two boxes have in common.

        >>> Box(0, 0, 10, 10).shared_area(Box(5, 5, 15, 15))
        25
        """
        return max(0, min(self.x2, other.x2) - max(self.x1, other.x1)) * max(
            0, min(self.y2, other.y2) - max(self.y1, other.y1)
        )

    def iou(self, other: Box) -> float:
        """Intersection over union; 0 where neither box has an area.

        >>> Box(0, 0, 10, 10).iou(Box(0, 0, 10, 20))
        0.5
        """
        shared = self.shared_area(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def scaled(self, by_x: float, by_y: float) -> Box:
        """The same box on a page stretched by two factors."""
        return Box(self.x1 * by_x, self.y1 * by_y, self.x2 * by_x, self.y2 * by_y)

"""Layout statistics by source (VDE paper, equations 6 to 12).

A page has a size and elements, each with a type and a polygon. As in the equations, overlapping elements count fully
and elements are not clipped at the page edge, so a density can exceed 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.studies.layout.element_types import kind_of

Point = tuple[float, float]
Densities = Mapping[str, Mapping[str, float]]
"""By source, then by type."""
Scores = dict[str, dict[str, float | None]]
"""By source, then by type; None if undefined."""


class Element(NamedTuple):
    """An element of a page: its type and its corners in order."""

    type: str
    polygon: tuple[Point, ...]

    @classmethod
    def of_box(cls, kind: str, box: Box) -> Element:
        """Create a rectangular element; a box with negative width or height gets no area."""
        x1, y1, x2, y2 = box
        return cls(kind, ((x1, y1), (max(x1, x2), y1), (max(x1, x2), max(y1, y2)), (x1, max(y1, y2))))

    @property
    def area(self) -> float:
        """In pixels."""
        return polygon_area(self.polygon)


class PageLayout(NamedTuple):
    """Size and elements of a page."""

    id: str
    source: str
    size: Size
    elements: tuple[Element, ...]

    @property
    def area(self) -> float:
        """In pixels."""
        return self.size.width * self.size.height


class LayoutMetrics(NamedTuple):
    """The six metrics of a source; None if undefined."""

    density: float
    """Mean share of the page area covered by elements (8)."""
    complexity: float
    """Mean number of element types per page (9)."""
    richness: float
    """Mean number of elements per page (10)."""
    entropy: float | None
    """Entropy of the element types, in bits (11)."""
    text_ratio: float | None
    """Area of text divided by the area of text and visual elements (12)."""
    visual_ratio: float | None


def polygon_area(polygon: Sequence[Point]) -> float:
    """Area by the shoelace formula, for either orientation of the corners.

    >>> polygon_area([(0, 0), (4, 0), (4, 3)])
    6.0
    """
    following = (*polygon[1:], *polygon[:1])
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(polygon, following, strict=True))) / 2


def by_source(pages: Sequence[PageLayout]) -> dict[str, list[PageLayout]]:
    """Group pages by source; sources are sorted."""
    groups: dict[str, list[PageLayout]] = {}
    for page in pages:
        groups.setdefault(page.source, []).append(page)
    return {source: groups[source] for source in sorted(groups)}


def area_density(pages: Sequence[PageLayout]) -> dict[str, dict[str, float]]:
    """Mean share of the page area by source and type (6); types are sorted by their mean over sources, largest first.

    >>> page = PageLayout("1", "book", Size(10, 10), (Element.of_box("table", Box(0, 0, 5, 10)),))
    >>> area_density([page])
    {'book': {'table': 0.5}}
    """
    found: dict[str, dict[str, float]] = {}
    for source, members in by_source(pages).items():
        sums: dict[str, list[float]] = {}
        for page in members:
            for element in page.elements:
                sums.setdefault(element.type, []).append(element.area / page.area)
        found[source] = {kind: math.fsum(shares) / len(members) for kind, shares in sums.items()}
    kinds = {kind for shares in found.values() for kind in shares}
    means = {kind: math.fsum(shares.get(kind, 0.0) for shares in found.values()) for kind in kinds}
    order = sorted(kinds, key=lambda kind: (-means[kind], kind))
    return {source: {kind: shares.get(kind, 0.0) for kind in order} for source, shares in found.items()}


def z_scores(densities: Densities) -> Scores:
    """Z-score of each source's density by type, with the population standard deviation (7).

    None if the deviation is zero, for example with a single source.

    >>> z_scores({"book": {"table": 0.25, "text": 0.5}, "note": {"table": 0.75, "text": 0.5}})
    {'book': {'table': -1.0, 'text': None}, 'note': {'table': 1.0, 'text': None}}
    """
    scores: Scores = {source: {} for source in densities}
    for kind in dict.fromkeys(kind for shares in densities.values() for kind in shares):
        column = {source: shares.get(kind, 0.0) for source, shares in densities.items()}
        mean = math.fsum(column.values()) / len(column)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in column.values()) / len(column))
        alike = deviation <= 1e-12 * abs(mean)  # rounding errors of the sums
        for source, value in column.items():
            scores[source][kind] = None if alike else (value - mean) / deviation
    return scores


def layout_metrics(pages: Sequence[PageLayout]) -> dict[str, LayoutMetrics]:
    """The six metrics of each source (8 to 12)."""
    return {source: metrics_of(members) for source, members in by_source(pages).items()}


def metrics_of(pages: Sequence[PageLayout]) -> LayoutMetrics:
    """The six metrics of at least one page.

    >>> elements = [Element.of_box(kind, Box(0, 0, 5, 5)) for kind in ("text", "text", "table", "image")]
    >>> metrics_of([PageLayout("1", "book", Size(10, 20), tuple(elements))])
    LayoutMetrics(density=0.5, complexity=3.0, richness=4.0, entropy=1.5, text_ratio=0.5, visual_ratio=0.5)
    """
    count = len(pages)
    covered = math.fsum(element.area / page.area for page in pages for element in page.elements)
    types = sum(len({element.type for element in page.elements}) for page in pages)
    elements = [element for page in pages for element in page.elements]
    # Sums instead of means per page: the ratio is the same.
    text, visual = (math.fsum(each.area for each in elements if kind_of(each.type) == k) for k in ("text", "visual"))
    both = text + visual
    return LayoutMetrics(
        density=covered / count,
        complexity=types / count,
        richness=len(elements) / count,
        entropy=entropy(Counter(element.type for element in elements)),
        text_ratio=text / both if both else None,
        visual_ratio=visual / both if both else None,
    )


def entropy(counts: Mapping[str, int]) -> float | None:
    """Shannon entropy in bits, or None without counts.

    >>> entropy({"text": 2, "table": 1, "image": 1}), entropy({"text": 9}), entropy({})
    (1.5, 0.0, None)
    """
    total = sum(counts.values())
    if not total:
        return None
    shares = [count / total for count in counts.values() if count]
    return abs(-math.fsum(share * math.log2(share) for share in shares))  # avoids -0.0


def composition(
    pages: Sequence[PageLayout], of: Literal["elements", "area"] = "elements"
) -> dict[str, dict[str, float]]:
    """Share of each type in a source's elements, or in the area they cover; the shares of a source add up to 1.

    All shares of a source without elements (or area) are 0. Types are sorted as in `area_density`.
    """
    found: dict[str, dict[str, float]] = {}
    densities = area_density(pages)
    for source, members in by_source(pages).items():
        if of == "area":
            weights: Mapping[str, float] = densities[source]
        else:
            weights = Counter(element.type for page in members for element in page.elements)
        total = math.fsum(weights.values())
        found[source] = {kind: weights.get(kind, 0) / total if total else 0.0 for kind in densities[source]}
    return found


def normalised(column: Sequence[float | None]) -> list[float | None]:
    """Scale values to 0 (smallest) … 1 (largest), for colours; None for missing values or if all are equal.

    >>> normalised([2.0, None, 4.0, 3.0]), normalised([5.0, 5.0])
    ([0.0, None, 1.0, 0.5], [None, None])
    """
    known = [value for value in column if value is not None]
    least, span = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)
    return [None if value is None or not span else (value - least) / span for value in column]

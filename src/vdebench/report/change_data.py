"""JSON data of changes for pages that draw them."""

from __future__ import annotations

from typing import Any

from vdebench.changes.change import Change, Geometry
from vdebench.core.box import Box, Size

Percent = list[float]
"""Left, top, width and height in percent of an image."""


def change_data(change: Change, geometry: Geometry) -> dict[str, Any]:
    """The change as JSON data, with boxes in percent of each image."""
    boxes = {
        "box_before": _percent(change.box_before, geometry.before),
        "box_after": _percent(change.box_after, geometry.after),
    }
    return {**change.to_json(), **boxes}


def places(change: Change, geometry: Geometry) -> tuple[Percent | None, Percent | None]:
    """Where to look for the change in both images: its box, or the same place of the page where it has none.

    >>> page = Geometry("cropped", Size(100, 100), Size(100, 100), 1.25, 1.25, (-0.25, 0.0))
    >>> places(Change("lost", "Total", box_before=Box(40, 40, 60, 48)), page)
    ([40.0, 40.0, 20.0, 8.0], [25.0, 50.0, 25.0, 10.0])
    """
    data = change_data(change, geometry)
    before, after = data["box_before"], data["box_after"]
    scale, shift = (geometry.scale_x, geometry.scale_y), geometry.shift
    if after is None and before is not None:
        corner = [before[i] * scale[i] + 100 * shift[i] for i in (0, 1)]
        after = [*corner, *(before[2 + i] * scale[i] for i in (0, 1))]
    elif before is None and after is not None:
        corner = [(after[i] - 100 * shift[i]) / scale[i] for i in (0, 1)]
        before = [*corner, *(after[2 + i] / scale[i] for i in (0, 1))]
    return _rounded(before), _rounded(after)


def _percent(box: Box | None, size: Size) -> Percent | None:
    return None if box is None else _rounded(list(box.to_percent(size)))


def _rounded(box: Percent | None) -> Percent | None:
    return None if box is None else [round(float(part), 3) for part in box]

"""Limits of the geometry of a usable edit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GeometryLimits:
    """How far the output may differ from the page's frame."""

    max_zoom: float = 0.02
    """Greatest enlargement or reduction of the page in its frame, as a share."""
    allow_crop: bool = False
    """Whether text may be cut off at the edges."""

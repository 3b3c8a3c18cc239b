"""Matrices of overlaps and distances between the boxes of two pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.metrics.registry import metric

Matrix = NDArray[np.float64]


def as_array(boxes: Sequence[Box]) -> Matrix:
    """Return boxes as rows of four numbers."""
    return np.array(boxes, dtype=np.float64).reshape(len(boxes), 4)


def areas(boxes: Matrix) -> Matrix:
    """Return the area of every box; 0 for inverted ones."""
    return np.asarray(np.maximum(boxes[:, 2] - boxes[:, 0], 0) * np.maximum(boxes[:, 3] - boxes[:, 1], 0))


def shared_areas(first: Matrix, second: Matrix) -> Matrix:
    """Return the intersection area of every pair of boxes."""
    corner = np.maximum(first[:, None, :2], second[None, :, :2])
    opposite = np.minimum(first[:, None, 2:], second[None, :, 2:])
    sides = np.maximum(opposite - corner, 0)
    return np.asarray(sides[..., 0] * sides[..., 1])


@metric("iou", kind="box", title="IoU")
def iou_matrix(first: Matrix, second: Matrix) -> Matrix:
    """Intersection over union of every pair of boxes; 0 if both are empty.

    >>> iou_matrix(as_array([Box(0, 0, 10, 10)]), as_array([Box(0, 0, 10, 20), Box(50, 50, 60, 60)])).tolist()
    [[0.5, 0.0]]
    """
    shared = shared_areas(first, second)
    union = areas(first)[:, None] + areas(second)[None, :] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def centre_distances(first: Matrix, second: Matrix) -> Matrix:
    """Return the Euclidean distance between the centres of every pair of boxes."""
    gap = (first[:, None, :2] + first[:, None, 2:]) / 2 - (second[None, :, :2] + second[None, :, 2:]) / 2
    return np.asarray(np.sqrt(gap[..., 0] ** 2 + gap[..., 1] ** 2))

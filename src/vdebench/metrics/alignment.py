"""Deterministic registration of a prediction with the page it is compared with: shift, rotation and scale.

SIFT, FLANN kd-trees, Lowe's ratio test and a partial affine transform by least median of squares, as in TextEditBench,
with the thread-local random generator of FLANN seeded for every pair.
"""

from __future__ import annotations

import base64
import math
from typing import Any, Literal, NamedTuple

import cv2
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from vdebench.core.box import Size
from vdebench.core.images import Image

IDENTITY = f"sift-flann5x50-lowe0.7-lmeds-1@opencv-{cv2.__version__}"
"""Version of the method, part of signatures."""
RATIO = 0.7
MIN_MATCHES = 4
_TREES: dict[str, bool | int | float | str] = {"algorithm": 1, "trees": 5}  # 1: kd-trees
_SEARCH: dict[str, bool | int | float | str] = {"checks": 50}

Mask = NDArray[np.bool_]
Row = tuple[float, float, float]
State = Literal["aligned", "few_features", "few_matches", "no_transform"]


class Features(NamedTuple):
    """SIFT features of an image: positions, descriptors, and the image's width and height."""

    points: NDArray[np.float32]
    """(n, 2): x and y."""
    descriptors: NDArray[np.float32]
    """(n, 128), integers from 0 to 255."""
    size: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """Return the features as JSON, lossless, about 130 bytes per feature.

        >>> empty = features(np.zeros((20, 30, 3), np.uint8))
        >>> empty.to_json()["size"], len(Features.from_json(empty.to_json()).points)
        ([30, 20], 0)
        """
        return {
            "size": list(self.size),
            "points": _packed(self.points.astype("<f4")),
            "descriptors": _packed(self.descriptors.astype(np.uint8)),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Features:
        """Return the features of `to_json`."""
        points = _unpacked(data["points"], "<f4").reshape(-1, 2).astype(np.float32)
        descriptors = _unpacked(data["descriptors"], "u1").reshape(-1, 128).astype(np.float32)
        if len(points) != len(descriptors):
            raise ValueError(f"invalid features: {len(points)} points and {len(descriptors)} descriptors")
        width, height = data["size"]
        return cls(points, descriptors, (int(width), int(height)))


class Alignment(NamedTuple):
    """The transform from a moving image to a fixed one, or the state why there is none."""

    state: State
    transform: tuple[Row, Row] | None = None
    """Maps pixel coordinates of the moving image to those of the fixed one."""
    matches: int = 0
    inliers: int = 0
    residual: float | None = None
    """Median distance of the inliers after the transform, in pixels."""
    shift: tuple[float, float] | None = None
    """Offset of the moving image's centre from the fixed one's: right and down."""

    @property
    def scale(self) -> float | None:
        """Scale factor of the moving image."""
        return math.hypot(self.transform[0][0], self.transform[1][0]) if self.transform else None

    @property
    def angle(self) -> float | None:
        """Rotation in degrees, clockwise.

        >>> Alignment("aligned", ((0.0, -2.0, 5.0), (2.0, 0.0, 1.0))).angle
        90.0
        """
        return math.degrees(math.atan2(self.transform[1][0], self.transform[0][0])) if self.transform else None


def features(image: Image) -> Features:
    """Return the SIFT features of an RGB image.

    >>> features(np.zeros((20, 30, 3), np.uint8)).points.shape
    (0, 2)
    """
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    points, descriptors = cv2.SIFT.create().detectAndCompute(grey, None)
    size = (image.shape[1], image.shape[0])
    if descriptors is None:
        return Features(np.empty((0, 2), np.float32), np.empty((0, 128), np.float32), size)
    return Features(np.asarray(cv2.KeyPoint.convert(points), np.float32), np.asarray(descriptors, np.float32), size)


def outside(image: Features, mask: Mask) -> Features:
    """Return the features outside a mask of the image's size."""
    width, height = image.size
    if mask.shape != (height, width):
        raise ValueError(f"a mask of {mask.shape[::-1]} for an image of {image.size}: expected the same size")
    x, y = np.rint(image.points).astype(int).T  # pixel coordinates are those of pixel centres
    is_outside = ~mask[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return Features(image.points[is_outside], image.descriptors[is_outside], image.size)


def align(moving: Features, fixed: Features) -> Alignment:
    """Estimate the transform from the moving image to the fixed one.

    >>> align(features(np.zeros((20, 30, 3), np.uint8)), features(np.zeros((20, 30, 3), np.uint8)))
    Alignment(state='few_features', transform=None, matches=0, inliers=0, residual=None, shift=None)
    """
    if len(fixed.points) < MIN_MATCHES or len(moving.points) < 2:  # the ratio test needs two neighbours
        return Alignment("few_features")
    own, other = _matches(fixed.descriptors, moving.descriptors)
    if len(own) < MIN_MATCHES:
        return Alignment("few_matches", matches=len(own))
    source, target = moving.points[other], fixed.points[own]
    matrix, mark = cv2.estimateAffinePartial2D(source, target, method=cv2.LMEDS)
    if matrix is None or not np.isfinite(matrix).all():
        return Alignment("no_transform", matches=len(own))
    inside = mark.ravel().astype(bool)
    residuals = source[inside] @ matrix[:, :2].T + matrix[:, 2] - target[inside]
    shift = matrix[:, :2] @ _centre(moving) + matrix[:, 2] - _centre(fixed)
    first, second = ((float(a), float(b), float(c)) for a, b, c in matrix)
    return Alignment(
        "aligned",
        (first, second),
        matches=len(own),
        inliers=int(inside.sum()),
        residual=float(np.median(np.hypot(*residuals.T))) if inside.any() else None,
        shift=(float(shift[0]), float(shift[1])),
    )


def warped(image: Image, alignment: Alignment, size: Size) -> Image:
    """Warp the moving image onto a page of this size; uncovered pixels are mirrored."""
    if alignment.transform is None:
        raise ValueError(f"an image without alignment ({alignment.state}) cannot be warped")
    return np.asarray(
        cv2.warpAffine(
            image,
            np.array(alignment.transform),
            (int(size.width), int(size.height)),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        ),
        np.uint8,
    )


def _matches(own: NDArray[np.float32], others: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the indices of matches by Lowe's ratio test in both arrays, as FlannBasedMatcher does."""
    cv2.setRNGSeed(0)  # the trees are random; the seed is thread-local
    index = cv2.flann.Index(others, _TREES)
    nearest, squares = index.knnSearch(own, 2, params=_SEARCH)
    distances = np.sqrt(squares).astype(np.float64)
    clear = (distances[:, 0] < RATIO * distances[:, 1]) & (nearest >= 0).all(axis=1)
    return np.flatnonzero(clear).astype(np.int32), nearest[clear, 0]


def _centre(image: Features) -> NDArray[np.float64]:
    return (np.array(image.size) - 1) / 2


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(isal_zlib.compress(np.ascontiguousarray(values).tobytes(), 2)).decode("ascii")


def _unpacked(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(isal_zlib.decompress(base64.b64decode(text)), kind)

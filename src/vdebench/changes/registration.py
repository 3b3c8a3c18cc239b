"""Registration: where each point of a page lies in another image of it.

Points are matched by SIFT features and fitted by an affine transformation with hardly any shear. Where features do not
suffice, pairs of lines that read alike are fitted by scale and shift (`from_lines`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.change import Geometry, GeometryKind
from vdebench.core.box import Box, Size
from vdebench.core.images import Image

Matrix = NDArray[np.float64]
"""An affine transformation of shape (2, 3), from pixels of the page to pixels of the output."""

LONG_SIDE = 1600
"""Longer side in pixels at which features are detected."""
PIECE, PIECES, WINDOW = 48, 9, 4
"""Side of a piece in pixels, pieces along each side, and search distance, to recognise a page that did not move."""
MIN_DEVIATION, MIN_CORRELATION, MIN_PIECES, MIN_STILL = 12.0, 0.8, 8, 0.8
"""Least deviation of grey levels of a piece, correlation, number of pieces, and share of those that did not move."""
MAX_STRETCH = 0.03
"""Greatest change of proportions of such a page."""
FEATURES = 6000
RATIO = 0.75
"""Greatest distance of the best match, as a share of that of the second best."""
REACH = 0.004
"""Greatest distance of an inlier, as a share of the longer side."""
MIN_MATCHES = 60
"""Least number of inliers from which features are trusted."""
MIN_SHARE = 0.1
"""Least share of the matches that agree; chance agreement is lower."""
STILL, STILL_SHARE = 0.0005, 0.3
"""Distance of a point that did not move, as a share of the longer side, and the share of such points on a page that was
not moved as a whole: where an edit pushed lines down, a transformation may fit these better than the page's frame."""
CLUSTERS, MIN_CLUSTER, CLUSTER_SHARE = 24, 30, 0.01
"""Number of frequent shifts of points that are tried besides that of most points, and the least number and share of
the points that have such a shift."""
STRETCHED, EVEN_SHARE = 0.008, 0.2
"""Change of proportions from which a page may be fitted wrongly, and the share of points that then fit it better."""
MIN_SPREAD = 0.15
"""Least part of the page's width and height over which the inliers are spread, without a twentieth at each end."""
MAX_SHEAR = 0.06
SCALES = 0.25, 4.0
"""Limits of the enlargement relative to the frame."""
IDENTITY_PIXELS = 0.3
"""Displacement up to which a transformation is the identity."""
MIN_ALIKE, MIN_EDGE = 0.5, 4.0
"""Least correlation of the edges of a page and an output that are registered without features, and the strength from
which an edge counts."""
SPARSE = 600
"""Greatest number of feature points of a page with hardly any ink; two long lines of text have about as many."""
MIN_LINES = 3
"""Least number of lines that read alike, to be fitted instead of features."""
MIN_AGREEMENT = 0.5
"""Least share of these lines that agree."""

SAME_SCALE, SAME_SHIFT = 0.002, 0.002
"""Greatest deviation from 1 and 0 of a page that is `same` or `scaled`, in fractions of the frame."""
CROPPED = 0.012
"""Least part of the width or height outside the frame of a page that is `cropped`."""
ASPECT = 0.02
"""Least change of proportions of a page that is `aspect_changed`."""


class Registration(NamedTuple):
    """A transformation from the page to the output, and how well it fits."""

    matrix: Matrix
    residual: float
    matches: int
    by: str
    """`pieces`, `features`, `lines`, `edges` or `size`."""


def register(before: Image, after: Image) -> Registration | None:
    """Register two images of a page: as the whole page if its pieces are at their places, else by features."""
    return _register_whole(before, after) or _register_by_features(before, after)


def _register_whole(before: Image, after: Image) -> Registration | None:
    """Check whether the output is the whole page, at any size: pieces all over the page are where they were."""
    page, output = Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0])
    if _is_stretched(page, output) or min(page) < 3 * PIECE:
        return None
    scale = min(1.0, LONG_SIDE / max(page), math.sqrt(output.width * output.height / (page.width * page.height)))
    size = max(1, round(page.width * scale)), max(1, round(page.height * scale))
    greys = [
        cv2.resize(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
        for image in (before, after)
    ]
    shifts = []
    rows, columns = (np.linspace(0, side - PIECE, PIECES).astype(int) for side in (size[1], size[0]))
    if min(size) < 2 * PIECE:
        return None
    for y in rows:
        for x in columns:
            piece = greys[0][y : y + PIECE, x : x + PIECE]
            if piece.std() < MIN_DEVIATION:
                continue
            top, left = max(0, y - WINDOW), max(0, x - WINDOW)
            window = greys[1][top : y + PIECE + WINDOW, left : x + PIECE + WINDOW]
            scores = cv2.matchTemplate(window, piece, cv2.TM_CCOEFF_NORMED)
            row, column = divmod(int(scores.argmax()), scores.shape[1])
            if scores[row, column] >= MIN_CORRELATION:
                shifts.append((left + column - x, top + row - y))
            else:
                shifts.append((WINDOW, WINDOW))
    still = sum(int(max(map(abs, shift)) == 0) for shift in shifts)
    if len(shifts) < MIN_PIECES or still < MIN_STILL * len(shifts):
        return None
    return Registration(whole_page(page, output), 0.0, still, "pieces")


def _register_by_features(before: Image, after: Image) -> Registration | None:
    one, first = _points(before)
    other, second = _points(after)
    if len(one) < MIN_MATCHES or len(other) < MIN_MATCHES:
        return None
    cv2.setRNGSeed(0)  # the trees are random
    forward = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 4}, {"checks": 64}).knnMatch(first, second, k=2)
    pairs = [
        best
        for best, next_best in (each for each in forward if len(each) == 2)
        if best.distance < RATIO * next_best.distance
    ]
    if len(pairs) < MIN_MATCHES:
        return None
    source = one[[pair.queryIdx for pair in pairs]]
    target = other[[pair.trainIdx for pair in pairs]]
    return _fit(source, target, Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0]))


def _points(image: Image) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return feature points in pixels of the image, and their descriptors."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scale = LONG_SIDE / max(grey.shape)
    if abs(scale - 1) > 0.01:
        size = max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale))
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    points, descriptors = _points_of(grey.tobytes(), grey.shape)
    sizes = np.array([image.shape[1] / grey.shape[1], image.shape[0] / grey.shape[0]])
    return (points + 0.5) * sizes - 0.5, descriptors


@lru_cache(maxsize=4)  # a page, its reference and an output are registered in turn
def _points_of(pixels: bytes, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    grey = np.frombuffer(pixels, np.uint8).reshape(shape)
    detector = cv2.SIFT_create(nfeatures=FEATURES, contrastThreshold=0.02)  # type: ignore[attr-defined]
    points, descriptors = detector.detectAndCompute(grey, None)
    if descriptors is None:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    places = np.array([point.pt for point in points])
    return places, np.sqrt(descriptors / (descriptors.sum(1, keepdims=True) + 1e-7)).astype(np.float32)


def _fit(source: NDArray[np.float64], target: NDArray[np.float64], page: Size, output: Size) -> Registration | None:
    reach = REACH * max(output)
    cv2.setRNGSeed(0)
    fitted, inside = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=reach, maxIters=5000, confidence=0.999, refineIters=20
    )
    if fitted is None:
        return None
    matrix = np.asarray(fitted, np.float64)
    chosen = inside.ravel().astype(bool)
    plain = whole_page(page, output)
    still = np.linalg.norm(source @ plain[:, :2].T + plain[:, 2] - target, axis=1) <= max(0.5, STILL * max(output))
    if still.sum() >= max(MIN_MATCHES, STILL_SHARE * chosen.sum()):
        return Registration(plain, 0.0, int(still.sum()), "features")
    if chosen.sum() < MIN_MATCHES or chosen.mean() < MIN_SHARE or not _is_plausible(matrix, page, output):
        return None
    spread = np.ptp(np.quantile(source[chosen], [0.05, 0.95], axis=0), axis=0) / np.array(page)
    if spread.min() < MIN_SPREAD:
        return None
    matrix = _nearest_to_frame(source, target, _refined(source, target, matrix, reach), plain, reach)
    chosen = np.linalg.norm(source @ matrix[:, :2].T + matrix[:, 2] - target, axis=1) <= reach
    errors = np.linalg.norm(source[chosen] @ matrix[:, :2].T + matrix[:, 2] - target[chosen], axis=1)
    enlarged = math.sqrt(abs(np.linalg.det(matrix[:, :2])))
    return Registration(
        _snapped(matrix, page, output), float(np.median(errors)) / enlarged, int(chosen.sum()), "features"
    )


def _nearest_to_frame(
    source: NDArray[np.float64], target: NDArray[np.float64], matrix: Matrix, plain: Matrix, reach: float
) -> Matrix:
    """Return the transformation that is nearest to the page's frame, of those that enough points have.

    Where an edit pushed lines of an enlarged page down, most points may have another shift than the page, or fit a
    page that is stretched.
    """
    inliers = float((np.linalg.norm(source @ matrix[:, :2].T + matrix[:, 2] - target, axis=1) <= reach).sum())
    candidates = _common_shifts(source, target, matrix[:, :2], reach / 4, CLUSTER_SHARE * inliers)
    aspect = plain[1, 1] / plain[0, 0]
    if abs(matrix[1, 1] / matrix[0, 0] / aspect - 1) > STRETCHED:
        across, turned = matrix[0, 0], matrix[1, 0]
        even = np.array([[across, -turned / aspect], [turned, across * aspect]])
        candidates += _common_shifts(source, target, even, reach / 4, EVEN_SHARE * inliers)
    middle = (source.min(0) + source.max(0)) / 2

    def distance(candidate: Matrix) -> float:
        return float(np.linalg.norm((candidate - plain) @ np.array([*middle, 1.0])))

    best = min(candidates, key=distance, default=matrix)
    return best if distance(best) < distance(matrix) - 2 * reach / 4 else matrix


def _common_shifts(
    source: NDArray[np.float64], target: NDArray[np.float64], linear: NDArray[np.float64], reach: float, least: float
) -> list[Matrix]:
    """Return the transformations with a linear part and a shift that enough points have."""
    shifts = target - source @ linear.T
    cells, counts = np.unique(np.round(shifts / reach).astype(int), axis=0, return_counts=True)
    result = []
    for cell in cells[np.argsort(-counts, kind="stable")[:CLUSTERS]]:
        near = np.linalg.norm(shifts - cell * reach, axis=1) <= reach
        if near.sum() >= max(MIN_CLUSTER, least):
            result.append(np.column_stack([linear, np.median(shifts[near], axis=0)]))
    return result


def _refined(source: NDArray[np.float64], target: NDArray[np.float64], matrix: Matrix, reach: float) -> Matrix:
    """Fit by least squares to the points within ever smaller distances of the transformation."""
    for limit in (reach, reach / 2, reach / 4):
        errors = np.linalg.norm(source @ matrix[:, :2].T + matrix[:, 2] - target, axis=1)
        near = errors <= max(limit, 1.0)
        if near.sum() < MIN_MATCHES // 2:
            break
        columns = np.hstack([source[near], np.ones((int(near.sum()), 1))])
        matrix = np.linalg.lstsq(columns, target[near], rcond=None)[0].T
    return matrix


def _is_plausible(matrix: Matrix, page: Size, output: Size) -> bool:
    scales = [matrix[0, 0] * page.width / output.width, matrix[1, 1] * page.height / output.height]
    shears = [matrix[0, 1] / matrix[0, 0] if matrix[0, 0] else 1, matrix[1, 0] / matrix[1, 1] if matrix[1, 1] else 1]
    turned = abs(shears[0] + shears[1]) < MAX_SHEAR  # a rotation has opposite signs
    return all(SCALES[0] <= scale <= SCALES[1] for scale in scales) and turned and max(map(abs, shears)) < 0.3


def _snapped(matrix: Matrix, page: Size, output: Size) -> Matrix:
    """Return the resizing of the whole page where the transformation is equal to it, within a fraction of a pixel."""
    plain = whole_page(page, output)
    corners = np.array([[0, 0, 1], [page.width, 0, 1], [0, page.height, 1], [page.width, page.height, 1]], np.float64)
    distance = np.abs(corners @ (matrix - plain).T) / np.array([output.width / page.width, output.height / page.height])
    return plain if distance.max() <= max(IDENTITY_PIXELS, 0.0004 * max(page)) else matrix


def whole_page(page: Size, output: Size) -> Matrix:
    """Return the transformation of a page that is resized to the output; the centre of the first pixel is at 0."""
    across, down = output.width / page.width, output.height / page.height
    return np.array([[across, 0, across / 2 - 0.5], [0, down, down / 2 - 0.5]], np.float64)


def from_lines(pairs: Sequence[tuple[Box, Box]], page: Size, output: Size) -> Registration | None:
    """Fit scale and shift to the boxes of lines that read alike; None if too few agree."""
    if len(pairs) < MIN_LINES:
        return None
    source = np.array([[[one.x1, one.y1], [one.x2, one.y2]] for one, _ in pairs], np.float64).reshape(-1, 2)
    target = np.array([[[other.x1, other.y1], [other.x2, other.y2]] for _, other in pairs], np.float64).reshape(-1, 2)
    reach = 0.012 * max(output)
    best: tuple[int, list[tuple[float, float]]] = 0, []
    for axis_pairs in _candidate_fits(source, target):
        errors = [
            np.abs(scale * source[:, axis] + shift - target[:, axis]) for axis, (scale, shift) in enumerate(axis_pairs)
        ]
        agree = int(((errors[0] <= reach) & (errors[1] <= reach)).reshape(-1, 2).all(1).sum())
        if agree > best[0]:
            best = agree, axis_pairs
    agree, fit = best
    if agree < MIN_LINES or agree < MIN_AGREEMENT * len(pairs):
        return None
    for refits in (3, 2, 1, 0):
        errors = [np.abs(scale * source[:, axis] + shift - target[:, axis]) for axis, (scale, shift) in enumerate(fit)]
        inside = (errors[0] <= reach) & (errors[1] <= reach)
        if inside.sum() < 2 * MIN_LINES:
            return None
        if refits:
            fit = [tuple(np.polyfit(source[inside, axis], target[inside, axis], 1)) for axis in (0, 1)]
    (across, right), (down, below) = fit
    matrix = np.array([[across, 0, right], [0, down, below]], np.float64)
    if not _is_plausible(matrix, page, output):
        return None
    residual = float(np.median(np.hypot(errors[0][inside], errors[1][inside]))) / math.sqrt(across * down)
    return Registration(_snapped(matrix, page, output), residual, int(inside.sum()) // 2, "lines")


def _candidate_fits(source: NDArray[np.float64], target: NDArray[np.float64]) -> list[list[tuple[float, float]]]:
    """Return fits of scale and shift by pairs of lines, along each axis."""
    fits = []
    count = len(source) // 2
    step = max(1, count // 24)
    chosen = range(0, count, step)
    for one in chosen:
        for other in chosen:
            if other <= one:
                continue
            rows = [2 * one, 2 * one + 1, 2 * other, 2 * other + 1]
            if np.ptp(source[rows], axis=0).min() < 4:
                continue
            fits.append([tuple(np.polyfit(source[rows, axis], target[rows, axis], 1)) for axis in (0, 1)])
    return fits


def by_edges(before: Image, after: Image) -> Registration | None:
    """Register a page with little or repeated text, which has few distinct features, if it was resized at most."""
    page, output = Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0])
    if _is_stretched(page, output):
        return None
    scale = min(1.0, LONG_SIDE / 2 / max(page))
    size = max(1, round(page.width * scale)), max(1, round(page.height * scale))
    one, other = (_edges(image, size) for image in (before, after))
    if not one.std() or not other.std() or float(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < MIN_ALIKE:
        return None
    return Registration(whole_page(page, output), 0.0, 1, "edges")


def _edges(image: Image, size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the strength of the edges of an image, without weak ones."""
    grey = cv2.resize(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA).astype(np.float32)
    grey = cv2.GaussianBlur(grey, (0, 0), 2).astype(np.float32)
    strength = cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    return np.asarray(np.where(strength > MIN_EDGE, strength, 0), np.float32)


def _is_stretched(page: Size, output: Size) -> bool:
    return abs(page.width * output.height / (page.height * output.width) - 1) > MAX_STRETCH


def of_sparse_page(before: Image, after: Image) -> Registration | None:
    """Take a page with hardly any ink, such as one line, for unmoved if the output has its size.

    An edit may change all that such a page has.
    """
    if before.shape != after.shape or max(len(_points(image)[0]) for image in (before, after)) > SPARSE:
        return None
    size = Size(before.shape[1], before.shape[0])
    return Registration(whole_page(size, size), 0.0, 1, "size")


def geometry_of(registration: Registration | None, page: Size, output: Size) -> Geometry:
    """Return the geometry in fractions of the frame, and its kind."""
    if registration is None:
        return Geometry("reframed", page, output)
    # Pixel centres are at halves: convert to areas before taking fractions.
    matrix = registration.matrix
    linear, offset = matrix[:, :2], matrix[:, 2] + 0.5 - matrix[:, :2] @ np.array([0.5, 0.5])
    scale_x = float(math.hypot(linear[0, 0], linear[1, 0])) * page.width / output.width
    scale_y = float(math.hypot(linear[0, 1], linear[1, 1])) * page.height / output.height
    shift = float(offset[0] / output.width), float(offset[1] / output.height)
    back = np.linalg.inv(linear)
    frame = np.array([[0, 0], [output.width, 0], [0, output.height], [output.width, output.height]], np.float64)
    shown = (frame - offset) @ back.T / np.array(page)
    left, top = max(0.0, min(shown[0, 0], shown[2, 0])), max(0.0, min(shown[0, 1], shown[1, 1]))
    right, bottom = min(1.0, max(shown[1, 0], shown[3, 0])), min(1.0, max(shown[2, 1], shown[3, 1]))
    visible = Box(*(float(np.clip(each, 0, 1)) for each in (left, top, right, bottom)))
    geometry = Geometry(
        "same",
        page,
        output,
        scale_x,
        scale_y,
        shift,
        math.degrees(math.atan2(linear[1, 0], linear[0, 0])),
        visible,
        registration.residual,
        registration.matches,
    )
    return replace(geometry, kind=_kind(geometry))


def _kind(geometry: Geometry) -> GeometryKind:
    visible = geometry.visible
    if min(visible.x2 - visible.x1, visible.y2 - visible.y1) < 1 - CROPPED:
        return "cropped"
    if abs(geometry.aspect_change - 1) > ASPECT:
        return "aspect_changed"
    whole = max(abs(geometry.scale_x - 1), abs(geometry.scale_y - 1)) <= SAME_SCALE
    placed = max(map(abs, geometry.shift)) <= SAME_SHIFT
    if geometry.before == geometry.after:
        return "same" if whole and placed else "shifted" if whole else "scaled"
    return "scaled"

"""Measurements of one output around a sample's masks: alignment, metrics outside the masks, and the edit inside.

Functions work on files in any process; results are JSON, cached by the content of all input files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import cv2
import numpy as np

from vdebench.core.box import Size
from vdebench.core.images import DECODING, RESIZING, Image, resized
from vdebench.errors import InputError
from vdebench.io.cache import Cache, Digest, as_object, digest_of, digest_of_file
from vdebench.io.images import open_image
from vdebench.metrics.alignment import IDENTITY, Alignment, Features, align, features, outside, warped
from vdebench.metrics.image import TooSmallError
from vdebench.metrics.image_metrics import LoadedMetric, loaders
from vdebench.metrics.masked import (
    REDRAWN,
    Mask,
    lpips_where,
    masked_mse,
    multiplied_lpips,
    multiplied_ssim,
    share_redrawn,
    ssim_where,
    union,
)
from vdebench.protocols.masks.protocol import MaskProtocol

VERSION = "masked-1"
"""Part of the cache key: a new version invalidates cached measurements."""
RING = 9
"""Width in pixels of the ring around a mask whose colour covers the mask for OCR."""


class MaskTask(NamedTuple):
    """Files of one sample, the protocol and the metrics."""

    sample: str
    protocol: MaskProtocol
    prediction: Path
    source: Path
    reference: Path | None
    masks: tuple[Path, ...]
    metrics: tuple[str, ...]
    """Of psnr, ssim, lpips."""

    @property
    def page(self) -> Path:
        """The image that the background is compared with."""
        return self.source if self.protocol.against == "input" or self.reference is None else self.reference

    @property
    def against(self) -> Literal["reference", "input"]:
        """Kind of that image."""
        return "input" if self.page == self.source else "reference"

    @property
    def key(self) -> Digest:
        """Hash of all input files."""
        files = [self.prediction, self.source, self.page, *self.masks]
        edit = digest_of_file(self.reference) if self.protocol.whole and self.reference else ""
        return digest_of(*map(digest_of_file, files), edit)


def measured(task: MaskTask) -> dict[str, Any]:
    """Return the measurements of an output, from the cache if possible."""
    return measures_cache(task.protocol, task.metrics).get(task.key, lambda: _measure(task))


@cache
def measures_cache(protocol: MaskProtocol, metrics: tuple[str, ...]) -> Cache[dict[str, Any]]:
    """Return the cache of a protocol's measurements."""
    parts = {name: lpips(protocol).identity for name in metrics if name == "lpips"}
    names = ",".join(sorted(metrics))
    identity = {
        "name": f"{VERSION}-{protocol.name}",
        "rules": protocol.digest,
        "metrics": names,
        **parts,
        "alignment": IDENTITY,
        "images": f"{DECODING},{RESIZING}",
    }
    return Cache("measures", identity, as_object)


@cache
def lpips(protocol: MaskProtocol) -> LoadedMetric:
    """Return the protocol's LPIPS; raises `MissingPartError` if its weights are missing."""
    return loaders()[protocol.lpips].load()


@cache
def features_cache() -> Cache[Features]:
    """Return the cache of page features."""
    return Cache("measures", {"name": "sift", "version": IDENTITY, "images": DECODING}, Features.from_json)


def _features(file: Path, image: Image) -> Features:
    """Return the features of a page, cached: all editors are compared with the same pages."""
    return features_cache().get(digest_of_file(file), lambda: features(image).to_json())


def _measure(task: MaskTask) -> dict[str, Any]:
    source, page = open_image(task.source), open_image(task.page)
    mask = union_of(task.masks, page)
    prediction = open_image(task.prediction)
    same_size = prediction.shape == page.shape
    about = {"width": prediction.shape[1], "height": prediction.shape[0], "resized": not same_size}
    about |= {"mask_share": float(mask.mean()), "paint": paint_of(resized(source, size_of(page)), mask)}
    if not task.protocol.whole:
        return {**about, **_paper_metrics(task, prediction, page, mask, same_size)}
    raw = resized(prediction, size_of(page))
    alignment = align(features(prediction), outside(_features(task.page, page), mask))
    moved = warped(prediction, alignment, size_of(page)) if alignment.transform else None
    error_raw = _or_none(masked_mse, raw, page, ~mask)
    error_moved = None if moved is None else _or_none(masked_mse, moved, page, ~mask)
    if moved is not None and error_moved is not None and error_raw is not None and error_moved < error_raw:
        image, about_alignment = moved, _alignment_columns(alignment, alignment.state)
    else:
        image = raw
        about_alignment = _alignment_columns(alignment, "in_place" if alignment.transform else alignment.state)
    return {
        **about,
        **about_alignment,
        **_outside(task, image, page, mask, ""),
        **_outside(task, raw, page, mask, "_raw"),
        **_inside(task, image, raw, source, page, mask),
    }


def union_of(files: tuple[Path, ...], page: Image) -> Mask:
    """Return the union of a sample's masks; raises `InputError` if a mask has another size than the page."""
    masks = [open_image(file) for file in files]
    for file, mask in zip(files, masks, strict=True):
        if mask.shape != page.shape:
            sizes = [f"{image.shape[1]}×{image.shape[0]}" for image in (mask, page)]
            raise InputError(f"{file}: the mask has {sizes[0]} pixels, the page {sizes[1]}; expected the same")
    return union(*masks)


def size_of(image: Image) -> Size:
    """Return the width and height of an image."""
    return Size(image.shape[1], image.shape[0])


def paint_of(source: Image, mask: Mask) -> list[int]:
    """Return the median colour around a mask; it covers the mask for OCR."""
    grown = cv2.dilate(mask.astype(np.uint8), np.ones((2 * RING + 1, 2 * RING + 1), np.uint8)) > 0
    ring = source[grown & ~mask]
    return [int(value) for value in np.median(ring if len(ring) else source.reshape(-1, 3), axis=0)]


def _paper_metrics(task: MaskTask, prediction: Image, page: Image, mask: Mask, same_size: bool) -> dict[str, Any]:
    """Return MSE after alignment; SSIM and LPIPS without alignment, if the sizes agree."""
    columns: dict[str, Any] = {}
    if "psnr" in task.metrics:
        alignment = align(features(prediction), _features(task.page, page))
        moved = warped(prediction, alignment, size_of(page)) if alignment.transform else None
        columns = _alignment_columns(alignment, alignment.state)
        columns["mse"] = None if moved is None else _or_none(masked_mse, moved, page, ~mask)
    if same_size and "ssim" in task.metrics:
        columns["ssim"] = multiplied_ssim(prediction, page, ~mask)
    if same_size and "lpips" in task.metrics:
        columns["lpips"] = multiplied_lpips(lpips(task.protocol).function, prediction, page, ~mask)
    return columns


def _outside(task: MaskTask, image: Image, page: Image, mask: Mask, name: str) -> dict[str, Any]:
    """Return the metrics of the background."""
    columns = {}
    if "psnr" in task.metrics:
        columns["mse" + name] = _or_none(masked_mse, image, page, ~mask)
    if "ssim" in task.metrics:
        columns["ssim" + name] = _or_none(ssim_where, image, page, ~mask)
    if "lpips" in task.metrics:
        columns["lpips" + name] = _or_none(lpips_where, lpips(task.protocol).function, image, page, ~mask)
    return columns


def _inside(task: MaskTask, image: Image, raw: Image, source: Image, page: Image, mask: Mask) -> dict[str, Any]:
    """Return whether the masked area was edited, and how near it is to the reference."""
    if not mask.any():
        return {}
    source = resized(source, size_of(page))
    redrawn = min(share_redrawn(each, source, mask) for each in (image, raw))  # an aligned copy is a copy
    columns: dict[str, Any] = {"redrawn": redrawn, "untouched": redrawn <= REDRAWN}
    if task.reference is None:
        return columns
    error, before = masked_mse(image, page, mask), masked_mse(source, page, mask)
    columns |= {"edit_mse": error, "edit_ssim": _or_none(ssim_where, image, page, mask)}
    columns["done_pixels"] = min(max(1 - error / before, 0.0), 1.0) if before else None
    return columns


def _or_none(measure: Any, *inputs: Any) -> float | None:
    """Return the value of a metric, or None if there are too few pixels."""
    try:
        return float(measure(*inputs))
    except TooSmallError:
        return None


def _alignment_columns(alignment: Alignment, state: str) -> dict[str, Any]:
    return {
        "alignment": state,
        "transform": alignment.transform,
        "matches": alignment.matches,
        "inliers": alignment.inliers,
        "residual": alignment.residual,
    }

"""One output compared around a sample's masks: aligned, measured outside them, and inside where that says something.

Pure work on files, for any process; what it finds is JSON, kept by the content of all files it looked at.
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
"""A new one measures anew."""
RING = 9
"""Pixels around a mask whose colour covers it when the rest is read."""


class MaskTask(NamedTuple):
    """What is compared, how, and with which metrics."""

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
        """What the background is compared with."""
        return self.source if self.protocol.against == "input" or self.reference is None else self.reference

    @property
    def against(self) -> Literal["reference", "input"]:
        """The name of that."""
        return "input" if self.page == self.source else "reference"

    @property
    def key(self) -> Digest:
        """Hash of all that is looked at."""
        files = [self.prediction, self.source, self.page, *self.masks]
        edit = digest_of_file(self.reference) if self.protocol.whole and self.reference else ""
        return digest_of(*map(digest_of_file, files), edit)


def measured(task: MaskTask) -> dict[str, Any]:
    """What is found of an output, kept where it was found before."""
    return measures_cache(task.protocol, task.metrics).get(task.key, lambda: _measure(task))


@cache
def measures_cache(protocol: MaskProtocol, metrics: tuple[str, ...]) -> Cache[dict[str, Any]]:
    """Where the findings of a protocol are kept."""
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
    """The protocol's LPIPS, ready; MissingPartError where its weights are not there."""
    return loaders()[protocol.lpips].load()


@cache
def features_cache() -> Cache[Features]:
    """Where the features of pages are kept."""
    return Cache("measures", {"name": "sift", "version": IDENTITY, "images": DECODING}, Features.from_json)


def _features(file: Path, image: Image) -> Features:
    """Features of a page, kept: the next editor is compared with the same pages."""
    return features_cache().get(digest_of_file(file), lambda: features(image).to_json())


def _measure(task: MaskTask) -> dict[str, Any]:
    source, page = open_image(task.source), open_image(task.page)
    mask = union_of(task.masks, page)
    prediction = open_image(task.prediction)
    same_size = prediction.shape == page.shape
    about = {"width": prediction.shape[1], "height": prediction.shape[0], "resized": not same_size}
    about |= {"mask_share": float(mask.mean()), "paint": paint_of(resized(source, size_of(page)), mask)}
    if not task.protocol.whole:
        return {**about, **_by_the_paper(task, prediction, page, mask, same_size)}
    raw = resized(prediction, size_of(page))
    alignment = align(features(prediction), outside(_features(task.page, page), mask))
    moved = warped(prediction, alignment, size_of(page)) if alignment.transform else None
    here = _or_none(masked_mse, raw, page, ~mask)
    there = None if moved is None else _or_none(masked_mse, moved, page, ~mask)
    if moved is not None and there is not None and here is not None and there < here:
        shown, found = moved, _told(alignment, alignment.state)
    else:
        shown, found = raw, _told(alignment, "in_place" if alignment.transform else alignment.state)
    return {
        **about,
        **found,
        **_outside(task, shown, page, mask, ""),
        **_outside(task, raw, page, mask, "_raw"),
        **_inside(task, shown, raw, source, page, mask),
    }


def union_of(files: tuple[Path, ...], page: Image) -> Mask:
    """The masks of a sample as one, in the page's size."""
    masks = [open_image(file) for file in files]
    for file, mask in zip(files, masks, strict=True):
        if mask.shape != page.shape:
            sizes = [f"{image.shape[1]}×{image.shape[0]}" for image in (mask, page)]
            raise InputError(f"{file}: the mask has {sizes[0]} pixels, the page {sizes[1]}; expected the same")
    return union(*masks)


def size_of(image: Image) -> Size:
    """Width and height of an image."""
    return Size(image.shape[1], image.shape[0])


def paint_of(source: Image, mask: Mask) -> list[int]:
    """The colour around a mask, with which it is covered where the rest is read."""
    grown = cv2.dilate(mask.astype(np.uint8), np.ones((2 * RING + 1, 2 * RING + 1), np.uint8)) > 0
    ring = source[grown & ~mask]
    return [int(value) for value in np.median(ring if len(ring) else source.reshape(-1, 3), axis=0)]


def _by_the_paper(task: MaskTask, prediction: Image, page: Image, mask: Mask, same_size: bool) -> dict[str, Any]:
    """MSE after alignment; SSIM and LPIPS as the images are, where their sizes agree."""
    found: dict[str, Any] = {}
    if "psnr" in task.metrics:
        alignment = align(features(prediction), _features(task.page, page))
        moved = warped(prediction, alignment, size_of(page)) if alignment.transform else None
        found = _told(alignment, alignment.state)
        found["mse"] = None if moved is None else _or_none(masked_mse, moved, page, ~mask)
    if same_size and "ssim" in task.metrics:
        found["ssim"] = multiplied_ssim(prediction, page, ~mask)
    if same_size and "lpips" in task.metrics:
        found["lpips"] = multiplied_lpips(lpips(task.protocol).function, prediction, page, ~mask)
    return found


def _outside(task: MaskTask, image: Image, page: Image, mask: Mask, name: str) -> dict[str, Any]:
    """What the background keeps."""
    found = {}
    if "psnr" in task.metrics:
        found["mse" + name] = _or_none(masked_mse, image, page, ~mask)
    if "ssim" in task.metrics:
        found["ssim" + name] = _or_none(ssim_where, image, page, ~mask)
    if "lpips" in task.metrics:
        found["lpips" + name] = _or_none(lpips_where, lpips(task.protocol).function, image, page, ~mask)
    return found


def _inside(task: MaskTask, image: Image, raw: Image, source: Image, page: Image, mask: Mask) -> dict[str, Any]:
    """Whether anything was done in the masked area, and how near it came to the reference."""
    if not mask.any():
        return {}
    source = resized(source, size_of(page))
    redrawn = min(share_redrawn(each, source, mask) for each in (image, raw))  # an aligned copy is a copy
    found: dict[str, Any] = {"redrawn": redrawn, "untouched": redrawn <= REDRAWN}
    if task.reference is None:
        return found
    error, before = masked_mse(image, page, mask), masked_mse(source, page, mask)
    found |= {"edit_mse": error, "edit_ssim": _or_none(ssim_where, image, page, mask)}
    found["done_pixels"] = min(max(1 - error / before, 0.0), 1.0) if before else None
    return found


def _or_none(measure: Any, *inputs: Any) -> float | None:
    """A number, none where there are too few pixels for it."""
    try:
        return float(measure(*inputs))
    except TooSmallError:
        return None


def _told(alignment: Alignment, state: str) -> dict[str, Any]:
    return {
        "alignment": state,
        "transform": alignment.transform,
        "matches": alignment.matches,
        "inliers": alignment.inliers,
        "residual": alignment.residual,
    }

"""The image metrics by name: against what each holds an image, and how it is loaded where its weights are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.errors import VdeError
from vdebench.metrics.clip import Clip
from vdebench.metrics.fid import InceptionFeatures
from vdebench.metrics.flip import Flip
from vdebench.metrics.image import mean_squared_error, ssim
from vdebench.metrics.lpips import Lpips, Net
from vdebench.metrics.multiscale import ms_ssim

Image = NDArray[np.uint8]


class Loaded(NamedTuple):
    """A metric that is ready: what its numbers depend on, and the function."""

    identity: str
    function: Callable[..., Any]


class Measure(NamedTuple):
    """An image metric: its head in tables, which way is better, against what it holds the image, how it is loaded."""

    title: str
    best: Literal["higher", "lower"]
    load: Callable[[], Loaded]
    """Raises MissingPartError where a package or weights are absent."""
    missing: Callable[[], str] = str
    """What is missing and how to get it, "" where it is ready: quick, for `vde doctor`."""
    against: Literal["reference", "instruction", "all references"] = "reference"


def _lpips(net: Net, title: str) -> Measure:
    def load() -> Loaded:
        metric = Lpips(net)
        return Loaded(metric.identity, metric)

    return Measure(title, "lower", load, lambda: Lpips.missing(net))


def _flip() -> Loaded:
    metric = Flip()
    return Loaded(metric.identity, metric)


_shared_clip = cache(Clip)  # both kinds look through one model


def _clip(kind: Literal["image", "text"]) -> Callable[[], Loaded]:
    def load() -> Loaded:
        clip = _shared_clip()
        return Loaded(f"{kind}-{clip.identity}", getattr(clip, kind))

    return load


def _inception() -> Loaded:
    features = InceptionFeatures()
    return Loaded(features.identity, features)


MEASURES = {
    # PSNR is kept as the mean squared error: that can be averaged
    "psnr": Measure("PSNR", "higher", lambda: Loaded("mse-1", mean_squared_error)),
    "ssim": Measure("SSIM", "higher", lambda: Loaded("ssim-uniform7-1", ssim)),
    "ms_ssim": Measure("MS-SSIM", "higher", lambda: Loaded("ms-ssim-gauss11-1", ms_ssim)),
    "flip": Measure("FLIP", "lower", _flip, Flip.missing),
    "lpips": _lpips("alex", "LPIPS"),
    "lpips_vgg": _lpips("vgg", "LPIPS-VGG"),
    "lpips_squeeze": _lpips("squeeze", "LPIPS-Squeeze"),
    "clip": Measure("CLIP", "higher", _clip("image"), Clip.missing),
    "clip_text": Measure("CLIP-text", "higher", _clip("text"), Clip.missing, "instruction"),
    "fid": Measure("FID", "lower", _inception, InceptionFeatures.missing, "all references"),
}


def require_known(names: Sequence[str]) -> None:
    """Refuse names of metrics that are none."""
    for name in names:
        if name not in MEASURES:
            raise VdeError(f"no image metric is called {name!r}; there are: {', '.join(MEASURES)}, or none")

"""The image metrics by name: against what each holds an image, and how it is loaded where its weights are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from vdebench.errors import VdeError


class LoadedMetric(NamedTuple):
    """A metric that is ready: what its numbers depend on, and the function."""

    identity: str
    function: Callable[..., Any]


class Measure(NamedTuple):
    """An image metric: its head in tables, which way is better, against what it holds the image, how it is loaded."""

    title: str
    best: Literal["higher", "lower"]
    load: Callable[[], LoadedMetric]
    """Raises MissingPartError where a package or weights are absent."""
    missing: Callable[[], str] = str
    """What is missing and how to get it, "" where it is ready: quick, for `vde doctor`."""
    against: Literal["reference", "instruction", "all references"] = "reference"


def _function(module: str, name: str, identity: str) -> Callable[[], LoadedMetric]:
    """A metric that is a function, imported when it is loaded: some modules take long to import."""
    return lambda: LoadedMetric(identity, getattr(import_module(f"vdebench.metrics.{module}"), name))


def _model(module: str, name: str, *options: str) -> tuple[Callable[[], LoadedMetric], Callable[[], str]]:
    """A metric that is a class with weights: how it is loaded, and how it is asked what is missing."""

    def kind() -> Any:
        return getattr(import_module(f"vdebench.metrics.{module}"), name)

    def load() -> LoadedMetric:
        model = kind()(*options)
        return LoadedMetric(model.identity, model)

    return load, lambda: str(kind().missing(*options))


_clip, _clip_missing = _model("clip", "Clip")
_shared_clip = cache(_clip)  # both kinds look through one model


def _clip_kind(kind: Literal["image", "text"]) -> Callable[[], LoadedMetric]:
    def load() -> LoadedMetric:
        identity, clip = _shared_clip()
        return LoadedMetric(f"{kind}-{identity}", getattr(clip, kind))

    return load


MEASURES = {
    # PSNR is kept as the mean squared error: that can be averaged
    "psnr": Measure("PSNR", "higher", _function("image", "mean_squared_error", "mse-1")),
    "ssim": Measure("SSIM", "higher", _function("image", "ssim", "ssim-uniform7-1")),
    "ms_ssim": Measure("MS-SSIM", "higher", _function("multiscale", "ms_ssim", "ms-ssim-gauss11-1")),
    "flip": Measure("FLIP", "lower", *_model("flip", "Flip")),
    "lpips": Measure("LPIPS", "lower", *_model("lpips", "Lpips", "alex")),
    "lpips_vgg": Measure("LPIPS-VGG", "lower", *_model("lpips", "Lpips", "vgg")),
    "lpips_squeeze": Measure("LPIPS-Squeeze", "lower", *_model("lpips", "Lpips", "squeeze")),
    "clip": Measure("CLIP", "higher", _clip_kind("image"), _clip_missing),
    "clip_text": Measure("CLIP-text", "higher", _clip_kind("text"), _clip_missing, "instruction"),
    "fid": Measure("FID", "lower", *_model("fid", "InceptionFeatures"), "all references"),
}


def require_known(names: Sequence[str]) -> None:
    """Refuse names of metrics that are none."""
    for name in names:
        if name not in MEASURES:
            raise VdeError(f"no image metric is called {name!r}; there are: {', '.join(MEASURES)}, or none")

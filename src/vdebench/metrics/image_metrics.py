"""How image metrics are loaded: functions at once, models where their package and weights are installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from vdebench.errors import VdeError
from vdebench.metrics.registry import IMAGE_KINDS, Metric, registered


class LoadedMetric(NamedTuple):
    """A metric that is ready: what its numbers depend on, and the function."""

    identity: str
    function: Callable[..., Any]


class Loader(NamedTuple):
    """How an image metric is loaded, and what is missing for that."""

    load: Callable[[], LoadedMetric]
    """Raises MissingPartError where a package or weights are absent."""
    missing: Callable[[], str] = str
    """What is missing and how to get it, "" where it is ready: quick, for `vde doctor`."""


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


TO_INSTRUCTION = ("clip_text",)
"""Metrics that compare an image with the instruction, not with the reference."""
LOADERS = {
    # PSNR is kept as the mean squared error: that can be averaged
    "psnr": Loader(_function("image", "mean_squared_error", "mse-1")),
    "ssim": Loader(_function("image", "ssim", "ssim-uniform7-1")),
    "ms_ssim": Loader(_function("multiscale", "ms_ssim", "ms-ssim-gauss11-1")),
    "flip": Loader(*_model("flip", "Flip")),
    "lpips": Loader(*_model("lpips", "Lpips", "alex")),
    "lpips_vgg": Loader(*_model("lpips", "Lpips", "vgg")),
    "lpips_squeeze": Loader(*_model("lpips", "Lpips", "squeeze")),
    "clip": Loader(_clip_kind("image"), _clip_missing),
    "clip_text": Loader(_clip_kind("text"), _clip_missing),
    "fid": Loader(*_model("fid", "InceptionFeatures")),
}


def loaders() -> dict[str, Loader]:
    """Loaders of all image metrics; one of another package is its decorated function."""
    return {name: LOADERS.get(name) or Loader(_itself(each)) for name, each in registered(IMAGE_KINDS).items()}


def _itself(one: Metric) -> Callable[[], LoadedMetric]:
    assert one.function is not None
    loaded = LoadedMetric(one.identity, one.function)
    return lambda: loaded


def require_known(names: Sequence[str]) -> None:
    """Refuse names of metrics that are none."""
    known = registered(IMAGE_KINDS)
    for name in names:
        if name not in known:
            raise VdeError(f"no image metric is called {name!r}; there are: {', '.join(known)}, or none")

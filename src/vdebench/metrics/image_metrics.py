"""Loading of image metrics: functions, and models whose package and weights are installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from vdebench.errors import VdeError
from vdebench.metrics.registry import IMAGE_KINDS, Metric, registered
from vdebench.registry import unknown_name


class LoadedMetric(NamedTuple):
    """A loaded metric: its identity, which determines its numbers, and the function."""

    identity: str
    function: Callable[..., Any]


class Loader(NamedTuple):
    """Functions that load an image metric and report missing parts."""

    load: Callable[[], LoadedMetric]
    """Raises MissingPartError if a package or weights are missing."""
    missing: Callable[[], str] = str
    """Returns missing parts with the command that installs them, "" if ready; loads nothing."""


def _function(module: str, name: str, identity: str) -> Callable[[], LoadedMetric]:
    """Return the loader of a function; its module is imported on loading."""
    return lambda: LoadedMetric(identity, getattr(import_module(f"vdebench.metrics.{module}"), name))


def _model(module: str, name: str, *options: str) -> tuple[Callable[[], LoadedMetric], Callable[[], str]]:
    """Return the loader of a model class, and the function that reports missing parts."""

    def kind() -> Any:
        return getattr(import_module(f"vdebench.metrics.{module}"), name)

    def load() -> LoadedMetric:
        model = kind()(*options)
        return LoadedMetric(model.identity, model)

    return load, lambda: str(kind().missing(*options))


_clip, _clip_missing = _model("clip", "Clip")
_shared_clip = cache(_clip)  # both metrics share one model


def _clip_kind(kind: Literal["image", "text"]) -> Callable[[], LoadedMetric]:
    def load() -> LoadedMetric:
        identity, clip = _shared_clip()
        return LoadedMetric(f"{kind}-{identity}", getattr(clip, kind))

    return load


TO_INSTRUCTION = ("clip_text",)
"""Metrics that compare an image with the instruction, not with the reference."""
LOADERS = {
    # PSNR is stored as mean squared error, which can be averaged
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
    """Return the loaders of all image metrics; metrics of other packages are plain functions."""
    return {name: LOADERS.get(name) or Loader(_plain_function(each)) for name, each in registered(IMAGE_KINDS).items()}


def _plain_function(metric: Metric) -> Callable[[], LoadedMetric]:
    assert metric.function is not None
    loaded = LoadedMetric(metric.identity, metric.function)
    return lambda: loaded


def require_known(names: Sequence[str]) -> None:
    """Raise an error for unknown metrics."""
    known = registered(IMAGE_KINDS)
    for name in names:
        if name not in known:
            raise VdeError(unknown_name("image metric", name, [*known, "none"]))

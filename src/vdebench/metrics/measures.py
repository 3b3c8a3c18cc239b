"""The image metrics by name: against what each holds an image, and how it is loaded where its weights are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.errors import VdeError
from vdebench.metrics.image import mean_squared_error, ssim

Image = NDArray[np.uint8]


class Loaded(NamedTuple):
    """A metric that is ready: what its numbers depend on, and the function."""

    identity: str
    function: Callable[[Image, Any], float]


class Measure(NamedTuple):
    """An image metric: its head in tables, which way is better, against what it holds the image, how it is loaded."""

    title: str
    best: Literal["higher", "lower"]
    against: Literal["reference", "instruction"]
    load: Callable[[], Loaded]
    """Raises MissingPartError where a package or weights are absent."""
    missing: Callable[[], str] = str
    """What is missing and how to get it, "" where it is ready: quick, for `vde doctor`."""


def _psnr() -> Loaded:
    return Loaded("mse-1", mean_squared_error)


def _ssim() -> Loaded:
    return Loaded("ssim-uniform7-1", ssim)


MEASURES = {
    "psnr": Measure("PSNR", "higher", "reference", _psnr),  # kept as the mean squared error: that can be averaged
    "ssim": Measure("SSIM", "higher", "reference", _ssim),
}
DEFAULT = ("psnr", "ssim")


def require_known(names: tuple[str, ...]) -> None:
    """Refuse names of metrics that are none."""
    for name in names:
        if name not in MEASURES:
            raise VdeError(f"no image metric is called {name!r}; there are: {', '.join(MEASURES)}, or none")

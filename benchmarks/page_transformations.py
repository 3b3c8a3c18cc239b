"""Transformations of a whole page after which every word is still there, and TAEF2, a real autoencoder of the tests.

`autoencoder` (at the page's size) and `autoencoder1mp` need torch and the weights in `shared/data/autoencoder`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vdebench.core.images import Image
from vdebench.studies.validity import page_transformations

AUTOENCODER = "tests.taef2"
WEIGHTS = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "autoencoder"
TRANSFORMATIONS: dict[str, Callable[[Image], Image]] = dict(page_transformations.TRANSFORMATIONS)
"""By name."""


@cache
def _autoencoder() -> Any:
    return import_module(AUTOENCODER).Taef2(WEIGHTS)


def _autoencoded(image: Image, megapixels: float | None) -> Image:
    decoded: Image = import_module(AUTOENCODER).round_trip(image, _autoencoder(), megapixels)
    return decoded


def _has_autoencoder() -> bool:
    root = str(Path(__file__).parents[1])
    if root not in sys.path:
        sys.path.insert(0, root)  # some packages install a package `tests` of their own
    try:
        return WEIGHTS.is_dir() and find_spec(AUTOENCODER) is not None and find_spec("torch") is not None
    except ImportError:
        return False


if _has_autoencoder():
    TRANSFORMATIONS |= {
        "autoencoder": partial(_autoencoded, megapixels=None),
        "autoencoder1mp": partial(_autoencoded, megapixels=1.0),
    }


@dataclass(frozen=True)
class PageStep:
    """A page transformation as the last step of an output (`verdicts.py --after`)."""

    name: str

    @property
    def identity(self) -> str:
        """The transformation; its weights do not change."""
        return self.name

    def __call__(self, image: Image) -> Image:
        """Return the transformed output."""
        return TRANSFORMATIONS[self.name](image)

"""Fixtures of image metrics: pairs of pages, and torchvision with another build of torch."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from vdebench.io.images import open_image


def worn(page: np.ndarray, seed: int = 1, spread: int = 30) -> np.ndarray:
    """A page with noise, and a stripe of it moved by two pixels."""
    noise = np.random.default_rng(seed).integers(-spread, spread + 1, page.shape)
    other = np.clip(page.astype(int) + noise, 0, 255).astype(np.uint8)
    third = page.shape[0] // 3
    other[third : third + third // 2] = np.roll(other[third : third + third // 2], 2, axis=1)
    return other


@pytest.fixture(scope="session")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """A page of 300×401 drawn with NumPy alone, the same on every machine, and a worn copy."""
    page = np.full((300, 401, 3), 250, np.uint8)
    random = np.random.default_rng(7)
    for top in range(20, 280, 14):
        for left in range(20, 370, 7):
            mark = random.integers(0, 2, (9, 5), np.uint8)
            page[top : top + 9, left : left + 5] = np.where(mark[..., None], [20, 30, 90], 250)
    page[120:180, 200:320] = [200, 60, 40]
    return worn(page), page


@pytest.fixture
def pages(shared: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Three real pages below a megapixel or so, each with a worn copy."""
    files = sorted((shared / "data/omnidocbench/images").glob("n[eo]*.jpg"))[:3]
    return [(worn(page), page) for page in map(open_image, files)]


@pytest.fixture(scope="session")
def torch():
    """Torch; and torchvision made to import, also where its compiled operators are built for another torch."""
    torch = pytest.importorskip("torch")
    if find_spec("torchvision"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                import torchvision  # noqa: F401
            except RuntimeError:  # "operator torchvision::nms does not exist": no network uses it, a name is enough
                for name in ("nms", "qnms"):
                    torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float at) -> Tensor")
    return torch

"""TextEditBench folders with pictures that have something to see, and editors' outputs: for tests around masks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from tests.suites.textedit_folders import MANUAL, write
from vdebench.pipeline.score import score

SIZE = 256
MASK = np.s_[96:160, 64:192]
"""Where the edit may change pixels."""


def scene(seed: int = 0) -> np.ndarray:
    """A picture full of rectangles: enough corners to align by, no two alike."""
    rng = np.random.default_rng(seed)
    image = np.full((SIZE, SIZE, 3), 200, np.uint8)
    for _ in range(160):
        x, y = rng.integers(0, SIZE - 8, 2)
        width, height = rng.integers(4, 24, 2)
        image[y : y + height, x : x + width] = rng.integers(0, 256, 3)
    return image


def edited(image: np.ndarray) -> np.ndarray:
    """The right answer: another picture inside the mask."""
    right = image.copy()
    right[MASK] = scene(99)[MASK]
    return right


def shifted(image: np.ndarray, by: int = 3) -> np.ndarray:
    return np.roll(image, (by, by), (0, 1))


def save(image: np.ndarray, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    options = {"quality": 100, "subsampling": 0} if file.suffix == ".jpg" else {}
    Image.fromarray(image).save(file, **options)


def write_suite(root: Path, numbers=(1,), split: str = MANUAL, mask=MASK, **changes) -> str:
    """A suite of lossless scenes, with references in the manual split; its order."""
    white = np.zeros((SIZE, SIZE, 3), np.uint8)
    white[mask] = 255
    for number in numbers:
        folder = write(root, split, number=f"{number:03d}", **changes)
        for file in folder.glob("*.jpg"):
            file.unlink()
        before = scene(number)
        save(before, folder / f"{number}.png")
        save(white, folder / f"{number}_mask.png")
        save(white, folder / f"{number}_edited_mask.png")
        if split == MANUAL:
            save(edited(before), folder / f"text_insert_{number}.png")
    return f"textedit:{root}"


def output(folder: Path, number: int, image: np.ndarray, split: str = "manual", ending: str = "png") -> None:
    save(image, folder / split / "Packaging_Logistics" / f"{number:03d}_edited.{ending}")


def means(suite: str, folder: Path, protocol: str = "strict", metrics=("psnr", "ssim"), **options):
    """What a protocol says of an editor, without reading."""
    options.setdefault("reader", "none")
    return score(suite, folder, protocol=protocol, metrics=list(metrics), workers=1, **options).summary

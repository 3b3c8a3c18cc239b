"""The known faults of TextEditBench's released pixel scripts as tiny inputs, with what each protocol says of them.

The second half of `docs/faults.md` is made from this file; see `tests/faults.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests import masked
from tests.faults import Case
from tests.masked import MASK, SIZE, edited, scene, shifted
from tests.suites.textedit_folders import MANUAL, WEB

NOISE = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3)).astype(np.uint8)
MOST = np.s_[16:, 16:]
"""A mask over 88 % of the picture."""


def linked(number: int) -> np.ndarray:
    """A right answer that also changes what follows from the edit, outside the mask."""
    image = edited(scene(number))
    image[:20, :20] = 0
    return image


def around(
    name: str,
    outputs: list[np.ndarray],
    *,
    split: str = MANUAL,
    mask: Any = MASK,
    references: Callable[[int], np.ndarray] = lambda number: edited(scene(number)),
    ending: str = "jpg",
) -> Callable[[str], Any]:
    """A number of the outputs, one for each sample of a suite; `ending` is what their names say: PNG is what they hold."""

    def found(protocol: str) -> Any:
        with tempfile.TemporaryDirectory() as temporary:
            root, numbers = Path(temporary), range(1, len(outputs) + 1)
            suite = masked.write_suite(root / "suite", numbers, split, mask, input_image=None, output_image=None)
            for number, image in zip(numbers, outputs, strict=True):
                folder = root / f"suite/{split}/Packaging_Logistics/{number:03d}"
                if split == MANUAL:
                    masked.save(references(number), folder / f"text_insert_{number}.png")
                masked.output(root / "out", number, image, "manual" if split == MANUAL else "web")
            for file in (root / "out").rglob("*.png"):
                file.rename(file.with_suffix(f".{ending}"))
            summary = masked.means(suite, root / "out", protocol)
            means = {**summary["overall"]["outside"], **summary["coverage"]}
            return "infinite" if name == "psnr" and means["psnr"] is None and means["identical"] else means[name]

    return found


BRIGHTER = [np.minimum(edited(scene(n)), 245) + np.uint8(10) for n in (2, 3)]
CASES = [
    Case("the unedited input is perfect", "the input as output", "SSIM",
         around("ssim", [scene(1)], references=linked), 1.0, 0.994),
    Case("", "", "score", around("score", [scene(1)], references=linked), None, 0.0),
    Case("the reference is not perfect", "the reference as output, which also changes a corner outside the mask", "MSE",
         around("mse", [linked(1)], references=linked), 267.51, 0.0),
    Case("masked pixels count as equal", "noise, 88 % masked", "SSIM",
         around("ssim", [NOISE], split=WEB, mask=MOST), 0.881, 0.00877),
    Case("SSIM is computed without alignment", "the input, shifted by 3 pixels", "SSIM",
         around("ssim", [shifted(scene(1))], split=WEB), 0.569, 1.0),
    Case("PSNR of identical images is infinite", "one identical output, two brighter ones", "PSNR",
         around("psnr", [edited(scene(1)), *BRIGHTER]), "infinite", 29.937),
    Case("PNG files are not found", "two outputs as PNG", "scored", around("scored", [scene(1), scene(2)], ending="png"), 0, 2),
    Case("images that cannot be aligned are excluded", "a white page and the input", "samples in MSE",
         around("n_mse", [np.full((SIZE, SIZE, 3), 255, np.uint8), scene(2)], split=WEB), 1, 2),
]  # fmt: skip

"""Image metrics on real pages, each beside a spoilt copy: time of PSNR and SSIM against scikit-image's, and of the others.

    python benchmarks/pixels.py [--pages 5]

Processor time, so that other work on the machine counts little; the same numbers to 1e-9 or it stops. A metric whose
packages are absent is named with what it needs.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from vdebench.errors import MissingPartError
from vdebench.io.images import open_image
from vdebench.metrics.flip import Flip
from vdebench.metrics.image import psnr, ssim
from vdebench.metrics.lpips import Lpips
from vdebench.metrics.multiscale import ms_ssim

SHARED = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "omnidocbench"
Pair = tuple[np.ndarray, np.ndarray]


def spoilt(page: np.ndarray, seed: int) -> np.ndarray:
    """Noise all over, and a tenth of the rows moved by two pixels."""
    noise = np.random.default_rng(seed).integers(-12, 13, page.shape, np.int16)
    other = np.clip(page + noise, 0, 255).astype(np.uint8)
    rows = slice(page.shape[0] // 2, page.shape[0] // 2 + page.shape[0] // 10)
    other[rows] = np.roll(other[rows], 2, axis=1)
    return other


def timed(function: Callable[..., float], pairs: list[Pair]) -> tuple[list[float], float]:
    """Values, and seconds of processor time a page; compiling and loading, on a corner of the first, not counted."""
    function(*(image[:256, :256] for image in pairs[0]))
    start = time.process_time()
    values = [function(*pair) for pair in pairs]
    return values, (time.process_time() - start) / len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5)
    files = sorted((SHARED / "images").glob("*.jpg"))[: parser.parse_args().pages]
    if not files:
        parser.error(f"no pages in {SHARED}: set VDE_SHARED")
    pairs = [(spoilt(page, seed), page) for seed, page in enumerate(map(open_image, files))]
    print(f"{len(pairs)} pages of {np.mean([page.size / 3e6 for _, page in pairs]):.1f} megapixels; seconds a page")
    total = theirs = 0.0
    for name, ours, other in (
        ("PSNR", psnr, lambda a, b: peak_signal_noise_ratio(b, a, data_range=255)),
        ("SSIM", ssim, lambda a, b: structural_similarity(b, a, channel_axis=2, data_range=255)),
    ):
        found, seconds = timed(ours, pairs)
        expected, their_seconds = timed(other, pairs)
        most = float(np.max(np.abs(np.subtract(found, expected))))
        assert most < 1e-9, f"{name} differs from scikit-image's by {most}"
        print(f"{name:<16}{seconds:8.4f}   scikit-image {their_seconds:.3f}, largest difference {most:.1e}")
        total, theirs = total + seconds, theirs + their_seconds
    print(f"{'PSNR and SSIM':<16}{total:8.4f}   scikit-image {theirs:.3f}: {theirs / total:.1f} times")
    for name, make in (("MS-SSIM", lambda: ms_ssim), ("LPIPS (AlexNet)", Lpips), ("FLIP", Flip)):
        try:
            values, seconds = timed(make(), pairs)
        except MissingPartError as error:
            print(f"{name:<16} {' '.join(str(error).split())}")
            continue
        print(f"{name:<16}{seconds:8.4f}   mean {np.mean(values):.4f}")


if __name__ == "__main__":
    main()

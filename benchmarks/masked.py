"""TextEditBench's pixel metrics: SSIM outside the masks against torchmetrics', alignment and MSE with the page's features kept.

    python benchmarks/masked.py [--pages 12]

Real pages of a megapixel with their masks where they are beside the project (or in $VDE_SHARED), else pages made here;
predictions are the references (or the pages) shifted by three pixels and saved as JPEG. Processor time, so that other work
on the machine counts little. The same alignments and errors to the last bit, or it stops.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pictures
from scipy.ndimage import correlate1d

from vdebench.core.box import Size
from vdebench.io.images import open_image
from vdebench.metrics.alignment import Features, align, features, warped
from vdebench.metrics.masked import masked_mse, multiplied_ssim, union

SHARED = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "textedit"
Triple = tuple[np.ndarray, np.ndarray, np.ndarray]  # prediction, page, background


def predicted(image: np.ndarray) -> np.ndarray:
    """Three pixels to the right, saved at quality 80."""
    height, width = image.shape[:2]
    moved = cv2.warpAffine(image, np.array([[1.0, 0, 3], [0, 1, 0]]), (width, height), borderMode=cv2.BORDER_REFLECT)
    file = io.BytesIO()
    Pictures.fromarray(moved).save(file, "JPEG", quality=80)
    return np.array(Pictures.open(file).convert("RGB"))


def real(count: int) -> list[Triple]:
    triples = []
    folders = sorted((SHARED / "data_manual_production").glob("*/*/"))
    for folder in folders[:: max(1, len(folders) // count)][:count]:
        names = [file for file in folder.glob("*.jpg") if not file.stem.endswith("_mask")]
        page, reference = map(open_image, sorted(names, key=lambda file: not file.stem.isdigit()))
        mask = union(*map(open_image, sorted(folder.glob("*_mask.jpg"))))
        triples.append((predicted(reference), page, ~mask))
    return triples


def made(count: int) -> list[Triple]:
    """Pages of words in several sizes over a soft ground, one line of them masked and written anew."""
    triples = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        ground = cv2.resize(random.integers(120, 256, (8, 8, 3), np.uint8), (1024, 1024), interpolation=cv2.INTER_CUBIC)
        page, other, background = ground, ground.copy(), np.ones((1024, 1024), bool)
        background[500:560, 100:700] = False
        for row, top in enumerate(range(60, 1000, 44)):
            words = ["".join(chr(97 + letter) for letter in random.integers(0, 26, 5)) for _ in range(8)]
            changed = words[::-1] if row == 11 else words
            for image, line in ((page, words), (other, changed)):
                cv2.putText(image, " ".join(line), (40, top), row % 4, 0.6 + row % 3 / 5, (30, 20, 60), 1, cv2.LINE_AA)
        triples.append((predicted(other), page, background))
    return triples


def spent(ways: dict[str, Callable], cases: list[tuple], times: int = 2) -> dict[str, tuple[list, float]]:
    """Each way's results and seconds of processor time a page: in turn, page by page, the better of two, so that a busy
    machine slows all alike. What is loaded by the first is not counted."""
    results: dict[str, list] = {name: [] for name in ways}
    seconds = dict.fromkeys(ways, 0.0)
    for way in ways.values():
        way(*cases[0])
    for case in cases:
        best = dict.fromkeys(ways, math.inf)
        for turn in range(times):
            for name, way in ways.items():
                start = time.process_time()
                result = way(*case)
                best[name] = min(best[name], time.process_time() - start)
                if turn == 0:
                    results[name].append(result)
        for name in ways:
            seconds[name] += best[name] / len(cases)
    return {name: (results[name], seconds[name]) for name in ways}


def in_float64(prediction: np.ndarray, page: np.ndarray, background: np.ndarray) -> float:
    """SSIM by its definition."""
    kernel = np.exp(-0.5 * (np.arange(-5, 6) / 1.5) ** 2)

    def blurred(values: np.ndarray) -> np.ndarray:
        once = correlate1d(values, kernel / kernel.sum(), axis=0, mode="mirror")
        return correlate1d(once, kernel / kernel.sum(), axis=1, mode="mirror")

    x, y = (image / 255 * background[..., None] for image in (prediction, page))
    mx, my = blurred(x), blurred(y)
    vx, vy, cov = blurred(x * x) - mx**2, blurred(y * y) - my**2, blurred(x * y) - mx * my
    return float(((2 * mx * my + 1e-4) * (2 * cov + 9e-4) / ((mx**2 + my**2 + 1e-4) * (vx + vy + 9e-4))).mean())


def torchmetrics_ssim():
    """The released script's way: torchmetrics on float32 tensors."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torchvision  # noqa: F401
        except ImportError:
            pass
        except RuntimeError:  # built for another torch: a name for its operators is enough to import it
            for name in ("nms", "qnms"):
                torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float at) -> Tensor")
        from torchmetrics.image import StructuralSimilarityIndexMeasure

    def ssim(prediction: np.ndarray, page: np.ndarray, background: np.ndarray) -> float:
        part = background.astype(np.float32)[..., None]
        tensors = [
            torch.tensor(image.astype(np.float32) / 255 * part).permute(2, 0, 1)[None] for image in (prediction, page)
        ]
        return float(StructuralSimilarityIndexMeasure(data_range=1.0)(*tensors))

    return ssim


def compare_ssim(triples: list[Triple]) -> None:
    ways = {"ours": multiplied_ssim}
    try:
        ways["torchmetrics"] = torchmetrics_ssim()
    except ImportError as error:
        print(f"SSIM: nothing to compare with: {error}; pip install torch torchmetrics")
    found = spent(ways, triples)
    exact = [in_float64(*triple) for triple in triples]
    for name, (values, seconds) in found.items():
        off = np.abs(np.subtract(values, exact)).max()
        assert name != "ours" or off < 5e-5, f"SSIM differs from float64 by {off}"
        print(f"SSIM            {seconds:8.4f}   {name:<12} {off:.1e} from float64 at most")
    if "torchmetrics" in found:
        print(f"SSIM: {found['torchmetrics'][1] / found['ours'][1]:.1f} times less than torchmetrics")


def plain(prediction: np.ndarray, page: np.ndarray, background: np.ndarray) -> tuple:
    """The straightforward way: features of both images for each prediction, matches as objects, MSE in NumPy."""
    sift = cv2.SIFT_create()
    points, own = sift.detectAndCompute(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), None)
    others, descriptors = sift.detectAndCompute(cv2.cvtColor(prediction, cv2.COLOR_RGB2GRAY), None)
    cv2.setRNGSeed(0)
    pairs = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50}).knnMatch(own, descriptors, k=2)
    clear = [best for best, second in pairs if best.distance < 0.7 * second.distance]
    source = np.array([others[match.trainIdx].pt for match in clear], np.float32)
    target = np.array([points[match.queryIdx].pt for match in clear], np.float32)
    matrix, _ = cv2.estimateAffinePartial2D(source, target, method=cv2.LMEDS)
    size = page.shape[1::-1]
    moved = cv2.warpAffine(prediction, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    apart = (moved.astype(np.float64) - page) ** 2 * background[..., None]
    return tuple(map(tuple, matrix.tolist())), apart.sum() / (background.sum() * 3)


def ours(prediction: np.ndarray, page: np.ndarray, background: np.ndarray, fixed: Features) -> tuple:
    found = align(features(prediction), fixed)
    moved = warped(prediction, found, Size(page.shape[1], page.shape[0]))
    return found.transform, masked_mse(moved, page, background)


def compare_alignment(triples: list[Triple]) -> None:
    kept = [json.dumps(features(page).to_json()) for _, page, _ in triples]
    ways = {
        "plain": lambda prediction, page, background, text: plain(prediction, page, background),
        "first editor": lambda prediction, page, background, text: ours(prediction, page, background, features(page)),
        "kept": lambda prediction, page, background, text: ours(
            prediction, page, background, Features.from_json(json.loads(text))
        ),
    }
    found = spent(ways, [(*triple, text) for triple, text in zip(triples, kept, strict=True)])
    for name, (results, seconds) in found.items():
        assert results == found["plain"][0], f"alignment and MSE ({name}) differ from the plain way's"
        print(f"alignment, MSE  {seconds:8.4f}   {name}")
    size = np.mean([len(text) for text in kept]) / 1e3
    print(
        f"alignment and MSE: {found['plain'][1] / found['kept'][1]:.2f} times less with features kept ({size:.0f} kB a page)"
    )
    print("transforms and errors are equal to the last bit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=12)
    count = parser.parse_args().pages
    triples = real(count) if SHARED.exists() else made(count)
    kind = "real" if SHARED.exists() else "made"
    print(f"{len(triples)} {kind} pages of {triples[0][1].size / 3e6:.2f} megapixels; seconds of processor time a page")
    compare_ssim(triples)
    compare_alignment(triples)


if __name__ == "__main__":
    main()

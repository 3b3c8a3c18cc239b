"""A folder of runs around masks for the tests of the report: TextEditBench's layout, pages of grey squares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from tests import pages
from tests.report.site_runs import EVIL
from tests.suites import textedit_folders
from vdebench.pipeline.evaluation import open_predictions
from vdebench.pipeline.options import ScoreOptions
from vdebench.pipeline.score import score
from vdebench.suites.suite import load_suite

WIDTH, HEIGHT = 200, 150
FIRST, SECOND = (40, 32, 80, 56), (96, 32, 136, 56)  # whole blocks of JPEG: nothing bleeds out of them
SHIFT = 3, 2
TOPIC = "Packaging_Logistics"
KEYS = [f"manual/{TOPIC}/019", f"manual/{TOPIC}/020", f"web/{TOPIC}/007"]
PROTOCOLS = ("strict", "textedit", "textedit-release")


def canvas(seed: int) -> np.ndarray:
    """Squares of five pixels, ten pixels larger than a page on every side; the page stands in its middle."""
    squares = np.random.default_rng(seed).integers(40, 216, ((HEIGHT + 20) // 5, (WIDTH + 20) // 5), np.uint8)
    return np.repeat(np.kron(squares, np.ones((5, 5), np.uint8))[..., None], 3, axis=2)


def page(of: np.ndarray, right: int = 0, down: int = 0) -> np.ndarray:
    """The page, its content moved."""
    return np.ascontiguousarray(of[10 - down : 10 - down + HEIGHT, 10 - right : 10 - right + WIDTH])


def edited(of: np.ndarray) -> np.ndarray:
    """What was asked, done: the first mask's part is white."""
    x1, y1, x2, y2 = FIRST
    of = of.copy()
    of[10 + y1 : 10 + y2, 10 + x1 : 10 + x2] = 255
    return of


def save(file: Path, image: np.ndarray) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(file, quality=100, subsampling=0)


def save_mask(file: Path, box: tuple[int, int, int, int]) -> None:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[box[1] : box[3], box[0] : box[2]] = 255
    save(file, image)


def make_suite(root: Path) -> Path:
    """Two samples with a reference, the second of them asking for trouble, and one of the web without."""
    for at, key in enumerate(KEYS):
        split, _, number = key.split("/")
        asked = {"prompt": f"Write {EVIL}", "difficulty": "medium"} if at == 1 else {}
        asked |= {"difficulty_score": "8(2,2,2,2,0,0,0,0,0,0)"} if at == 1 else {}
        where = textedit_folders.MANUAL if split == "manual" else textedit_folders.WEB
        folder = textedit_folders.write(root, where, TOPIC, number, **asked)
        short = int(number)
        save(folder / f"{short}.jpg", page(canvas(at)))
        save_mask(folder / f"{short}_mask.jpg", FIRST)
        if split == "manual":
            save(folder / f"text_insert_{short}.jpg", page(edited(canvas(at))))
            save_mask(folder / f"text_insert_{short}_mask.jpg", SECOND)
        else:
            save_mask(folder / f"{short}_edited_mask.jpg", SECOND)
    return root


def make_runs(root: Path, suite_folder: Path, protocols=PROTOCOLS) -> Path:
    """`copy` gives the input; `shift` the right answer moved, the second sample's twice as large; `my editor` refuses."""
    suite = load_suite(f"textedit:{suite_folder}")
    for at, sample in enumerate(suite.samples):
        name = suite.output_name(sample)
        files = suite.image_files(sample)
        with Image.open(files.source) as source:
            save(root / f"copy/images/{name}.png", np.asarray(source))
        of = edited(canvas(at)) if files.reference else canvas(at)
        moved = page(of, *SHIFT)
        save(root / f"shift/images/{name}.png", moved.repeat(2, axis=0).repeat(2, axis=1) if at == 1 else moved)
    refused = {"sample": KEYS[1], "state": "refused", "reason": f"cannot parse {EVIL}"}
    for editor in ("copy", "shift", "my editor"):
        (root / editor / "images").mkdir(parents=True, exist_ok=True)
        text = json.dumps(refused) if editor == "my editor" else ""
        (root / editor / "edits.jsonl").write_text(text, encoding="utf-8")
        for protocol in protocols:
            score(
                suite,
                open_predictions(
                    root / editor / "images", suite, ScoreOptions(editor=editor)
                ),  # as `vde run` does: none may be there
                protocol=protocol,
                out=root / editor / protocol,
                reader="none",
                metrics=["psnr", "ssim"],
                workers=1,
            )
    about = {"suite": suite.origin, "reader": "none", "protocols": list(protocols)}
    pages.write_json(root / "run.json", about | {"editors": ["copy", "shift", "my editor"]})
    return root

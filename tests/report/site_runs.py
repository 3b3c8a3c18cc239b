"""A folder of runs for the tests of the report: pages that say in their first rows what a reader shall read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from tests import pages
from vdebench.core.page_text import PageText
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import Reader

WIDTH, HEIGHT, ROWS = 200, 300, 12
EVIL = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
BODY, FOOT = [20, 60, 180, 90], [20, 200, 180, 230]
BEFORE = [20, 60, 100, 90]  # what stands in the body before the edit is narrower
REGION = {"x": 10, "y": 20, "width": 80, "height": 10, "original_width": WIDTH, "original_height": HEIGHT}

TRUTHS = [
    [(BODY, "in 2024"), (FOOT, "a footer")],
    [(BODY, f"{EVIL} ink"), (FOOT, "a footer")],
    [(BODY, "自十月 ink"), (FOOT, "图书馆")],  # of a crop the reader reads "ink", if anything
    [(BODY, "plain"), (FOOT, "a footer")],
]
INSTRUCTIONS = ["Replace '2023' with '2024'.", f"Write {EVIL}", "把“九月”改为“十月”", "Delete 'very'."]
TYPES = ["text replacement", "text addition", "text replacement", "text deletion"]
LANGUAGES = ["english", "english", "simplified_chinese", "english"]


class StripeReader(Reader):
    """Reads what the first rows of a page say; of a crop it reads one word where there is any ink."""

    @property
    def identity(self):
        return {"name": "stripe", "version": "1"}

    def read(self, image) -> PageText:
        told = image[:ROWS].tobytes()
        size = {"width": image.shape[1], "height": image.shape[0]}
        if told.startswith(b"{"):
            return PageText.from_json({**json.loads(told.rstrip(b"\xff")), **size})
        block = {"block_bbox": [0, 0, size["width"] / 2, size["height"]], "block_label": "text", "block_content": "ink"}
        return PageText.from_json({**size, "parsing_res_list": [block] if (image < 128).any() else []})


def blocks(page):
    return [{"block_bbox": box, "block_label": "text", "block_content": text} for box, text in page]


def paint(file: Path, page, *, ink=True, **options) -> None:
    """A page of blocks, each a grey box."""
    image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for (x1, y1, x2, y2), _ in page if ink else ():
        image[y1:y2, x1:x2] = 90
    told = json.dumps({"parsing_res_list": blocks(page)}).encode()
    flat = image[:ROWS].reshape(-1)
    flat[: len(told)] = np.frombuffer(told, np.uint8)
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(file, **options)


def make_suite(root: Path, count: int = len(TRUTHS)) -> Path:
    """Samples with a source, a reference and its reading; their ids are text/0, text/1, …"""
    entries = []
    for index in range(count):
        kind = index % len(TRUTHS)
        entries.append(
            pages.entry(index, label_output=[REGION])
            | {
                "instruction": INSTRUCTIONS[kind],
                "instruction type": TYPES[kind],
                "language": LANGUAGES[kind],
                "data_source": "book",
                "image_input": f"page_{index}.png",
            }
        )
        truth = TRUTHS[kind]
        pages.write_json(root / f"readings/page_{index}.json", pages.reading(blocks(truth), (WIDTH, HEIGHT)))
        paint(root / f"images/page_{index}.png", truth)
        paint(root / f"sources/page_{index}.png", [(BEFORE, "before"), truth[1]])
    pages.write_json(root / "text.json", entries)
    (root / "suite.toml").write_text(
        'format = "vde-release"\nname = "stripes"\n[groups.text]\ninfo = "text.json"\nreadings = "readings"\n'
        'images = "images"\nsource_images = "sources"\n'
    )
    return root


def make_runs(root: Path, suite: Path, count: int = len(TRUTHS), protocols=("strict",)) -> Path:
    """Two editors: `oracle` gives the reference; `my editor` errs, refuses, leaves out, and breaks a file, by turns."""
    told: dict[str, list[dict]] = {"oracle": [], "my editor": []}
    for index in range(count):
        kind = index % len(TRUTHS)
        paint(root / f"oracle/images/text/page_{index}.png", TRUTHS[kind])
        told["oracle"].append({"sample": f"text/{index}", "state": "edited", "reason": "", "seconds": 0.5})
        file = root / f"my editor/images/text/page_{index}.png"
        told["my editor"].append({"sample": f"text/{index}", "state": "edited", "reason": ""})
        if kind == 0:
            paint(file, [(BODY, "in 2023"), ([20, 130, 100, 150], "invented!")])
        elif kind == 1:
            told["my editor"][-1] |= {"state": "refused", "reason": f"cannot parse {EVIL}"}
        elif kind == 2:
            told["my editor"].pop()
        else:
            paint(file, TRUTHS[3])
            file.write_bytes(file.read_bytes()[:200])
    reader = CachedReader(StripeReader())
    for editor, lines in told.items():
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (root / editor / "edits.jsonl").write_text(text + '\n{"sample": "text/0", "sta', encoding="utf-8")
        for protocol in protocols:
            folder, out = root / editor / "images", root / editor / protocol
            score(suite, folder, protocol=protocol, out=out, editor=editor, reader=reader, metrics=["psnr"], workers=1)
    about = {"suite": str(suite), "reader": "stripe", "reader_options": {}, "protocols": list(protocols)}
    pages.write_json(root / "run.json", about | {"ground_truth": "suite", "metrics": ["psnr"], "editors": list(told)})
    return root

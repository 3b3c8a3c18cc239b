"""Pages of one colour each, a reader that knows a word for every colour, and suites of them: for tests of scoring."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from tests import pages
from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import Reader

WIDTH, HEIGHT = 200, 300
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet"]


class ColourReader(Reader):
    """Reads a page by the colour most of it has: a word for each, over the upper left quarter; counts what it reads."""

    def __init__(self, misreads: str = "") -> None:
        self.misreads = misreads
        self.reads = 0

    @property
    def identity(self):
        return {"name": "colour", "version": "1", "misreads": self.misreads}

    def read(self, image) -> PageText:
        self.reads += 1
        height, width = image.shape[:2]
        word = WORDS[round(float(np.median(image[..., 0])) / 20) % len(WORDS)]
        return PageText(
            (Block(Box(0, 0, width / 2, height / 2), word.replace(self.misreads, "#") if self.misreads else word),),
            Size(width, height),
        )


def paint(file: Path, number: int, size=(WIDTH, HEIGHT), **options) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (20 * number,) * 3).save(file, **options)


def region(x, y, width, height):
    return {"x": x, "y": y, "width": width, "height": height, "original_width": WIDTH, "original_height": HEIGHT}


QUARTER = (region(0, 0, 50, 50),)


def run(suite, editor, reader=None, metrics=("psnr", "ssim"), **options):
    return score(suite, editor, reader=CachedReader(reader or ColourReader()), metrics=metrics, **options)


def write_colours(tmp_path: Path, count=3, *, regions=QUARTER, readings=True) -> tuple[Path, Path]:
    """A suite of uniformly coloured pages, each with a word for its colour, and a folder for an editor's images."""
    block = {"block_bbox": [0, 0, WIDTH / 2, HEIGHT / 2], "block_label": "text"}
    truth = [[{**block, "block_content": WORDS[i]}] for i in range(count)]
    entries = [pages.entry(i, label_output=list(regions)) for i in range(count)]
    root = tmp_path / "suite"
    pages.write_json(root / "text.json", entries)
    for index, blocks in enumerate(truth if readings else ()):
        pages.write_json(root / f"readings/page_{index}.json", pages.reading(blocks, (WIDTH, HEIGHT)))
    told = 'readings = "readings"\n' if readings else ""
    (root / "suite.toml").write_text(
        f'format = "vde-release"\nname = "colours"\n[groups.text]\ninfo = "text.json"\nimages = "images"\n{told}'
    )
    for index in range(count):
        paint(root / f"images/page_{index}.png", index)
    editor = tmp_path / "editor"
    editor.mkdir(exist_ok=True)
    return root, editor

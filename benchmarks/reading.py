"""The embedded reader against annotated pages, typeset pages and crops: letters, blocks, tables, time.

python benchmarks/reading.py [--pages 18] [--typeset 40] [--no-tables] [--kept]

Letters, on real pages: for every annotated block of text (not tables, figures and display formulas) the read lines whose
middle lies in it, joined; accuracy is 1 − edits / letters of the annotation, not below 0; white space left out, NFKC (so
that full and half width are one). Four numbers, Chinese and English apart:
  plain    mean over blocks; the annotation's LaTeX of inline formulas is compared as it stands
  text     mean over blocks; commands and the signs $ ^ _ { } \\ of the annotation's LaTeX left out on both sides
  letters  as `text`, but the sum over all letters
  raw      as `plain`, but the sum over all letters, and without NFKC
Blocks: IoU and CDM as `strict` matches and counts them (missed and invented blocks are 0), mean over pages; TEDS likewise.
F1: blocks that share half their area (IoU .5) with one annotated block, one to one.
Tables: found at IoU .5; TEDS of the tables in their annotated boxes, with the page's lines.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from reading_scores import (
    CLEANED,
    Edits,
    Page,
    block_edits,
    block_scores,
    character_accuracy,
    mean,
    mean_accuracy,
    real_pages,
)

from vdebench.core.box import Size
from vdebench.core.page_text import Block
from vdebench.io.images import open_image
from vdebench.metrics.teds import parse_table, teds
from vdebench.readers.layout.grouping import center_inside, typical_line_height
from vdebench.readers.line_cache import LineCache
from vdebench.readers.lines.line import Line
from vdebench.readers.rapid import RapidReader
from vdebench.readers.tables.ruled_lines import find_ruled_lines
from vdebench.suites.suite import load_suite


class Clock:
    """Processor time by what was done."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            start = time.process_time()
            try:
                return function(*given)
            finally:
                self.spent[name] += time.process_time() - start

        return call


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=18)
    parser.add_argument(
        "--typeset", type=int, default=0, help="samples of a typeset suite to read back, with their crops"
    )
    parser.add_argument("--no-tables", action="store_true")
    parser.add_argument("--kept", action="store_true", help="lines of pages that were read before; tells no time")
    asked = parser.parse_args()
    if not asked.kept:
        os.environ["VDE_CACHE"] = tempfile.mkdtemp()  # cached lines take no time
    reader = RapidReader(tables=not asked.no_tables)
    print(dict(reader.identity))
    clock = Clock()
    lines_of, blocks_of = clock.timed("engine", reader.lines), clock.timed("blocks", reader.blocks)
    if asked.kept:
        lines_of = LineCache(RapidReader(tables=False)).lines
    if reader.tables:
        reader.tables.structure = clock.timed("model", reader.tables.structure)  # type: ignore[method-assign]
    reader._recognize_line = clock.timed("model", reader._recognize_line)  # type: ignore[method-assign]
    letters, found, teds_in_place, own = Letters(), Blocks(), [], 0.0
    for page in real_pages(asked.pages):
        lines = lines_of(page.image)
        letters.add(page, lines)
        before = clock.spent["blocks"] - clock.spent["model"]
        found.add(page, blocks_of(page.image, lines))
        own += clock.spent["blocks"] - clock.spent["model"] - before
        if reader.tables:
            teds_in_place += [table_in_place(reader, page, table, lines) for table in page.truth.blocks if table.html]
    spent = clock.spent
    letters.show()
    found.show("real pages")
    if teds_in_place:
        print(f"TEDS in annotated boxes: {mean(teds_in_place):.3f} of {len(teds_in_place)} tables")
    if not asked.kept:
        print(
            f"engine {spent['engine'] / asked.pages:.2f} s of processor time a page, "
            f"the rest {own / spent['engine']:.2%} of the engine's"
        )
    if asked.typeset:
        typeset(reader, asked.typeset)


def typeset(reader: RapidReader, count: int) -> None:
    suite = load_suite(f"typeset:n={count},seed=3,languages=en+zh")
    pages, crops = Blocks(), Blocks()
    for sample in suite.samples:
        image = open_image(suite.image_files(sample).reference)
        pages.add(Page(sample.language, image, suite.ground_truth(sample)), reader.read(image).blocks)
        for region, truth in zip(sample.regions, suite.ground_truth_regions(sample) or [], strict=False):
            x1, y1, x2, y2 = (max(0, round(side)) for side in region.box(Size(image.shape[1], image.shape[0])))
            crop = image[y1:y2, x1:x2]
            if truth is not None and crop.size and truth.blocks:
                crops.add(Page(sample.language, crop, truth), reader.read(crop).blocks)
    pages.show("typeset pages")
    crops.show("typeset crops")


class Letters:
    """Accuracy of letters, by language."""

    def __init__(self) -> None:
        self.edits: dict[tuple[str, str], list[Edits]] = defaultdict(list)

    def add(self, page: Page, lines: list[Line]) -> None:
        for name in CLEANED:
            self.edits[page.language, name] += block_edits(page.truth, lines, name)

    def show(self) -> None:
        for language in sorted({language for language, _ in self.edits}):
            by = {name: self.edits[language, name] for name in CLEANED}
            print(
                f"letters {language}: plain {mean_accuracy(by['plain']):.3f}, text {mean_accuracy(by['text']):.3f}, "
                f"letters {character_accuracy(by['text']):.3f}, raw {character_accuracy(by['raw']):.3f} "
                f"({len(by['plain'])} blocks)"
            )


class Blocks:
    """How well blocks are found and read, by language."""

    def __init__(self) -> None:
        self.pages: dict[str, list[dict[str, float]]] = defaultdict(list)
        self.tables = [0, 0, 0]

    def add(self, page: Page, blocks: list[Block]) -> None:
        self.pages[page.language].append(block_scores(page.truth, blocks))
        truth = [block.box for block in page.truth.blocks if block.label == "table"]
        found = [block.box for block in blocks if block.label == "table"]
        right = sum(any(box.iou(other) >= 0.5 for other in found) for box in truth)
        self.tables = [a + b for a, b in zip(self.tables, (len(truth), len(found), right), strict=True)]

    def show(self, what: str) -> None:
        for language, pages in [*sorted(self.pages.items()), ("all", [p for v in self.pages.values() for p in v])]:
            told = [
                f"{name} {mean([page[name] for page in pages if name in page]):.3f}"
                for name in ("iou", "iou_matched", "cdm", "f1", "teds")
                if any(name in page for page in pages)
            ]
            print(f"{what}, {language} ({len(pages)}): {', '.join(told)}")
        print(f"{what}: {self.tables[0]} tables, {self.tables[1]} found, {self.tables[2]} right")


def table_in_place(reader: RapidReader, page: Page, table: Block, lines: list[Line]) -> float:
    assert reader.tables
    inside = [line for line in lines if center_inside(line.box, table.box)]
    height = typical_line_height(lines)
    html = reader._table(page.image, table.box, inside, find_ruled_lines(page.image, height), height)
    return teds(parse_table(html), parse_table(table.html))


if __name__ == "__main__":
    main()

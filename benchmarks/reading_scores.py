"""Scores of OCR output against annotated pages, for `reading.py` and `reading_compare.py`."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from scipy.sparse.csgraph import connected_components

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.io.images import open_image
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.comparison import compare
from vdebench.readers.layout.grouping import center_inside, in_rows
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.text import join_lines
from vdebench.suites.omnidoc import page_text_of_annotation

SHARED = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "omnidocbench"
NO_TEXT = ("image", "table", "display_formula")
STRICT = get_protocol("strict")


class Page(NamedTuple):
    """An annotated page."""

    language: str
    image: Image
    truth: PageText
    name: str = ""


class Edits(NamedTuple):
    """Edit distance of a block or line to its ground truth, at most the length of the ground truth."""

    count: int
    length: int
    lines: int = 1
    """Number of ground-truth blocks or lines that were compared together."""

    @property
    def accuracy(self) -> float:
        """1 − edits / length."""
        return 1 - self.count / self.length


def real_pages(count: int) -> Iterator[Page]:
    """The annotated pages of OmniDocBench's demo."""
    file = SHARED / "OmniDocBench_demo.json"
    if not file.is_file():
        sys.exit(f"{file}: no such file; set VDE_SHARED to the folder that contains data/omnidocbench")
    for page in json.loads(file.read_text("utf-8"))[:count]:
        name = Path(page["page_info"]["image_path"]).name
        image = open_image(SHARED / "images" / name)
        language = page["page_info"]["page_attribute"]["language"]
        yield Page(language, image, page_text_of_annotation(page, Size(image.shape[1], image.shape[0])), name)


def squeezed(text: str) -> str:
    return "".join(text.split())


CLEANED = {
    "raw": squeezed,
    "plain": lambda text: squeezed(unicodedata.normalize("NFKC", text)),
    "text": lambda text: squeezed(re.sub(r"\\[a-zA-Z]+|[$^_{}\\]", "", unicodedata.normalize("NFKC", text))),
}
"""Text as it is compared: without white space; `plain` also NFKC; `text` also without LaTeX markup."""
_SIMILAR = str.maketrans("‘’′´`“”″‐‑‒–—−⟨⟩", "'''''\"\"\"------〈〉")
"""Quotation marks, dashes and brackets that look alike: a PDF's text layer and its glyphs often differ in them."""


def compare_text(read: str, truth: str, cleaning: str, lines: int = 1) -> list[Edits]:
    """Return the edits between two texts; an empty list if the ground truth is empty."""
    said = CLEANED[cleaning](truth)
    edits = min(Levenshtein.distance(CLEANED[cleaning](read), said), len(said))
    return [Edits(edits, len(said), lines)] if said else []


def block_edits(truth: PageText, lines: Sequence[Line], cleaning: str = "text") -> list[Edits]:
    """Edits of each annotated block of text against the read lines whose middle lies in it."""
    edits = []
    for block in truth.blocks:
        if block.label in NO_TEXT or not block.content.strip():
            continue
        inside = [line for line in lines if center_inside(line.box, block.box)]
        read = join_lines([line.text for row in in_rows(inside) for line in row])
        edits += compare_text(read, block.content, cleaning)
    return edits


def line_edits(truth: Sequence[Line], lines: Sequence[Line]) -> list[Edits]:
    """Edits of ground-truth lines, whatever the reading order.

    A ground-truth line and a read line belong together if they share half the width and half the height of the smaller
    one. Lines that are connected in this way are compared together, from left to right and from top to bottom, so that
    a line may be read in several pieces, and several table cells as one line. A ground-truth line without a read line
    counts all of its characters as edits. Not counted: read lines without a ground-truth line (text in figures), and
    ground-truth lines without a letter or digit (bullets, rules) unless they are part of a longer line.

    >>> a, b = Line(Box(0, 0, 40, 10), "left"), Line(Box(60, 0, 100, 10), "right")
    >>> line_edits([a, b], [Line(Box(0, 0, 100, 10), "left rihgt")])
    [Edits(count=2, length=9, lines=2)]
    >>> line_edits([a, b], [Line(Box(0, 0, 20, 10), "le"), Line(Box(20, 0, 40, 10), "ft")])
    [Edits(count=0, length=4, lines=1), Edits(count=5, length=5, lines=1)]
    """
    boxes = np.array([line.box for line in [*truth, *lines]], float).reshape(-1, 4)
    linked = np.ones((len(boxes), len(boxes)), bool)
    for low, high in ((boxes[:, 0], boxes[:, 2]), (boxes[:, 1], boxes[:, 3])):
        shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
        linked &= shared >= 0.5 * np.minimum((high - low)[:, None], high - low)
    linked[: len(truth), : len(truth)] = linked[len(truth) :, len(truth) :] = False
    count, group = connected_components(linked, directed=False)
    edits = []
    for number in range(count):
        sides = [
            [line for line, own in zip(side, groups, strict=True) if own == number]
            for side, groups in ((truth, group[: len(truth)]), (lines, group[len(truth) :]))
        ]
        said, read = ("".join(line.text for row in in_rows(side) for line in row) for side in sides)
        if any(character.isalnum() for character in said):
            edits += compare_text(read.translate(_SIMILAR), said.translate(_SIMILAR), "plain", len(sides[0]))
    return edits


def mean_accuracy(edits: Sequence[Edits]) -> float:
    """Mean accuracy over blocks or lines."""
    return sum(each.accuracy * each.lines for each in edits) / sum(each.lines for each in edits)


def character_accuracy(edits: Sequence[Edits]) -> float:
    """Accuracy over all characters."""
    return 1 - sum(each.count for each in edits) / sum(each.length for each in edits)


def block_scores(truth: PageText, blocks: Sequence[Block]) -> dict[str, float]:
    """IoU, CDM and TEDS by `strict` (missed and invented blocks are 0), means of a page, and F1 of the boxes."""
    values: dict[str, list[float]] = defaultdict(list)
    for score in compare(truth, PageText(tuple(blocks), truth.size), STRICT).units:
        for copy in range(max(1, len(score.unit.truth))):
            values["iou"].append(score.iou)
            if score.state == "matched":
                values["iou_matched"].append(score.iou)
            for name in ("cdm", "teds"):
                value = score.values.get(name)
                if value is not None and (name == "cdm" or copy == 0):
                    values[name].append(value)
    values["f1"].append(f1([block.box for block in truth.blocks if block.content.strip()], [b.box for b in blocks]))
    return {name: mean(each) for name, each in values.items()}


def f1(truth: list[Box], found: list[Box]) -> float:
    """F1 of boxes that share half their area (IoU .5), one to one."""
    pairs = sorted(
        ((one.iou(other), i, j) for i, one in enumerate(truth) for j, other in enumerate(found)), reverse=True
    )
    left, right = set(range(len(truth))), set(range(len(found)))
    for iou, i, j in pairs:
        if iou >= 0.5 and i in left and j in right:
            left.remove(i)
            right.remove(j)
    return 2 * (len(truth) - len(left)) / max(1, len(truth) + len(found))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

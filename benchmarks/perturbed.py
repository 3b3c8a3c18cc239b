"""Predictions as an editor and a reader might make them of real pages: what every benchmark here runs on.

From a page's ground truth: boxes jitter, characters are misread, paragraphs are split and merged, blocks are lost and
invented, and on some pages a block goes or grows so that all below it in its column moves. Which block came from which
is known, so that matching can be checked too.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import replace
from pathlib import Path

from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.suites.omnidoc import page_text_of_annotation

ROOT = Path(__file__).parent.parent
PAGES = Path(os.environ.get("VDE_SHARED", ROOT.parent / "shared")) / "data/omnidocbench/OmniDocBench_demo.json"


def real_pages() -> list[PageText]:
    """The 18 annotated pages; without what a reading would not hold; sizes from the boxes, since the file's widths and heights are swapped in places."""
    if not PAGES.exists():
        sys.exit(f"{PAGES} is not here: set VDE_SHARED to the folder with data/omnidocbench")
    readings = [page_text_of_annotation(page) for page in json.loads(PAGES.read_text(encoding="utf-8"))]
    return [
        PageText(tuple(replace(block, extra={}) for block in reading.blocks if block.label != "image"))
        for reading in readings
    ]


class Perturbation:
    """A prediction, and for each of its blocks the ground-truth blocks it came from."""

    def __init__(self, truth: PageText, seed: int) -> None:
        self._rng = random.Random(seed)
        self._alphabet = "".join(block.plain_text for block in truth.blocks)[:500] or "x"
        parts = [(block, {index}) for index, block in enumerate(truth.blocks)]
        parts = self._reflowed(self._cut(parts))
        parts = [(self._misread(block), origin) for block, origin in parts if self._rng.random() > 0.03]
        parts += [
            (Block(Box(x, y, x + 200, y + 40), self._letters(20)), set())
            for x, y in [(self._rng.uniform(0, 900), self._rng.uniform(0, 1200))]
            if self._rng.random() < 0.3
        ]
        self.reading = PageText(tuple(block for block, _ in parts))
        self.pairs = {(g, p) for p, (_, origin) in enumerate(parts) for g in origin}

    def _letters(self, count: int) -> str:
        return "".join(self._rng.choice(self._alphabet) for _ in range(count))

    def _cut(self, parts):
        found = []
        for block, origin in parts:
            luck = self._rng.random()
            height = block.box.y2 - block.box.y1
            if luck < 0.08 and len(block.content) > 80 and not block.html:
                middle = block.content.find(" ", len(block.content) // 2)
                middle = middle if middle > 0 else len(block.content) // 2
                line = block.box.y1 + height * middle / len(block.content)
                x1, y1, x2, y2 = block.box
                found.append((replace(block, box=Box(x1, y1, x2, line), content=block.content[:middle]), origin))
                found.append((replace(block, box=Box(x1, line, x2, y2), content=block.content[middle:]), origin))
            elif luck < 0.16 and found and not block.html and not found[-1][0].html and _above(found[-1][0], block):
                before, other = found.pop()
                box = Box.around([before.box, block.box])
                found.append((replace(before, box=box, content=f"{before.content}\n{block.content}"), origin | other))
            else:
                found.append((block, origin))
        return found

    def _reflowed(self, parts):
        """On a third of the pages a block goes and its column moves up, on a third one grows and it moves down."""
        kind = self._rng.choice(["none", "gone", "grown"])
        if kind == "none" or len(parts) < 4:
            return parts
        at = self._rng.randrange(len(parts))
        gone = parts[at][0].box
        line = min(40.0, gone.y2 - gone.y1)
        shift = -(gone.y2 - gone.y1) if kind == "gone" else line
        moved = []
        for index, (block, origin) in enumerate(parts):
            if index == at and kind == "gone":
                continue
            x1, y1, x2, y2 = block.box
            below = y1 >= gone.y2 - 2 and min(x2, gone.x2) > max(x1, gone.x1)
            moved.append((replace(block, box=Box(x1, y1 + shift, x2, y2 + shift)) if below else block, origin))
        return moved

    def _misread(self, block: Block) -> Block:
        content = list(block.content)
        for i, letter in enumerate(content):
            if letter.isalnum() and self._rng.random() < 0.015 and not block.html:
                content[i] = self._rng.choice([self._rng.choice(self._alphabet), ""])
        text = "".join(content)
        if block.html and self._rng.random() < 0.5:
            text = text.replace("</td>", "x</td>", self._rng.randint(1, 4)).replace("</tr>", "<td>1</td></tr>", 1)
        jitter = [side + self._rng.gauss(0, 3) for side in block.box]
        return replace(block, box=Box(*jitter), content=text)


def _above(first: Block, second: Block) -> bool:
    """Whether one block stands right above the other in a column."""
    a, b = first.box, second.box
    return 0 <= b.y1 - a.y2 + 5 < 60 and min(a.x2, b.x2) - max(a.x1, b.x1) > 0.5 * min(a.x2 - a.x1, b.x2 - b.x1)

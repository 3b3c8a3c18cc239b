"""The embedded reader on real pages: letters, blocks, and what grouping costs beside the engine.

python benchmarks/reading.py [--pages 18]

Letters: for every annotated block of text, the read lines whose middle lies in it, joined: 1 − edits / letters, over all
blocks. Blocks: IoU and CDM of the reading's blocks matched with the annotated ones, as `exact` matches them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from vdebench.box import Box
from vdebench.images import open_image
from vdebench.readers.lines import Line, blocks_of, join_lines
from vdebench.readers.rapid import RapidReader
from vdebench.suites.omnidoc import reading_of_page

SHARED = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "omnidocbench"
_NO_TEXT = ("figure", "table", "equation_isolated", "abandon")


def letters(text: str) -> str:
    return "".join(text.split())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=18)
    pages = json.loads((SHARED / "OmniDocBench_demo.json").read_text("utf-8"))[: parser.parse_args().pages]
    reader = RapidReader()
    edits, count = defaultdict(int), defaultdict(int)
    engine = grouping = 0.0
    for page in pages:
        name = page["page_info"]["image_path"]
        image = open_image(next(SHARED.rglob(Path(name).name)))
        start = time.process_time()
        lines = reader.lines(image)
        middle = time.process_time()
        blocks = blocks_of(lines)
        engine, grouping = engine + middle - start, grouping + time.process_time() - middle
        truth = reading_of_page(page)
        language = page["page_info"]["page_attribute"]["language"]
        for block in truth.blocks:
            if block.html or not letters(block.content) or block.label in _NO_TEXT:
                continue
            inside = [line for line in lines if middle_in(line.box, block.box)]
            read = letters(join_lines([line.text for line in in_rows(inside)]))
            said = letters(block.content)
            edits[language] += min(Levenshtein.distance(read, said), len(said))
            count[language] += len(said)
        print(
            name[:40],
            language,
            len(lines),
            "lines",
            len(blocks),
            "blocks",
            len(truth.blocks),
            "annotated",
            file=sys.stderr,
        )
    for language in sorted(count):
        print(f"{language}: {1 - edits[language] / count[language]:.3f} of {count[language]:,} letters")
    print(f"engine {engine / len(pages):.2f} s of processor time a page, grouping {grouping / engine:.2%} of it")


def in_rows(lines: list[Line]) -> list[Line]:
    """Lines from top to bottom, those of one row from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.y1 + line.box.y2):
        middle = (line.box.y1 + line.box.y2) / 2
        if rows and middle < max(each.box.y2 for each in rows[-1]) - 0.3 * line.height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box.x1)]


def middle_in(box: Box, other: Box) -> bool:
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    return other.x1 <= x <= other.x2 and other.y1 <= y <= other.y2


if __name__ == "__main__":
    main()

"""Positions and probabilities of characters in OCR output, as fields of a block.

    "lines": [{"bbox": [x1, y1, x2, y2], "text": "Total 412", "x": [12, 19, …], "doubtful": [[8, 71]]}]
    "doubtful": [[start, end, percent], …]

A line has the text as recognised, the horizontal positions between its characters in pixels of the page (not if it is
turned, skewed or vertical), and the index and probability of doubtful characters. A block has the same for its own
content, in which lines are joined.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import regex
from rapidfuzz.distance import Levenshtein

from vdebench.core.box import Box
from vdebench.core.page_text import Block
from vdebench.readers.layout.grouping import in_rows
from vdebench.readers.lines.images import TALL
from vdebench.readers.lines.line import Line

DOUBTFUL = 0.9
"""Probability below which a character is doubtful. On pages with a text layer these are 1.5 % of the characters; one in
eight of them is wrong, and they are half of all wrong ones."""

_HTML = regex.compile(r"<[^>]*>|&[a-z]+;|.", regex.DOTALL)
"""A tag, a character reference, or a character."""


def with_details(blocks: Sequence[Block], lines: Sequence[Line], boxes: Sequence[Box]) -> list[Block]:
    """Return the blocks with the details of their lines. A line belongs to the block that covers most of it.

    Lines and blocks may be those of a page that was turned upright; `boxes` are the lines' boxes on the page as it is.
    """
    by_block: dict[int, list[Line]] = {}
    for line in lines:
        shared = [block.box.shared_area(line.box) for block in blocks]
        if shared and max(shared) > 0:
            by_block.setdefault(shared.index(max(shared)), []).append(line)
    on_page = dict(zip(map(id, lines), boxes, strict=True))
    detailed = []
    for index, block in enumerate(blocks):
        own = [line for row in in_rows(by_block.get(index, [])) for line in row]
        details = block_details(block.content, own, [on_page[id(line)] for line in own])
        detailed.append(replace(block, extra={**block.extra, **details}))
    return detailed


def block_details(content: str, lines: Sequence[Line], boxes: Sequence[Box]) -> dict[str, Any]:
    """Return the fields of a block that was made of lines; empty if the engine returns no probabilities."""
    if not any(line.recognized for line in lines):
        return {}
    fields: dict[str, Any] = {"lines": [_line_details(*each) for each in zip(lines, boxes, strict=True)]}
    doubtful = doubtful_spans(content, lines)
    return {**fields, "doubtful": doubtful} if doubtful else fields


def doubtful_spans(content: str, lines: Sequence[Line]) -> list[list[int]]:
    """Return start, end and percent of each doubtful character of a content; in a table, of its HTML.

    >>> from vdebench.core.box import Box
    >>> from vdebench.readers.lines.recognition import RecognizedLine
    >>> line = Line(Box(0, 0, 30, 9), "a1", 0.8, RecognizedLine("a1", (0, 0.5, 1), (0.99, 0.61)))
    >>> doubtful_spans("<table><tr><td>a1</td></tr></table>", [line])
    [[16, 17, 61]]
    """
    texts = [line.recognized.text if line.recognized else line.text for line in lines]
    percents = [
        _percent(probability)
        for line, text in zip(lines, texts, strict=True)
        for probability in (line.recognized.probabilities if line.recognized else [1.0] * len(text))
    ]
    if min(percents, default=100) >= 100 * DOUBTFUL:
        return []
    joined = "".join(texts)
    shown, places = _visible_characters(content)
    spans = []
    for op in Levenshtein.opcodes(joined, shown):
        if op.src_end - op.src_start == op.dest_end - op.dest_start:  # equal, or a character in another width
            shift = op.dest_start - op.src_start
            spans += [
                [*places[at + shift], percents[at]]
                for at in range(op.src_start, op.src_end)
                if percents[at] < 100 * DOUBTFUL and not joined[at].isspace()
            ]
    return spans


def _visible_characters(content: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the characters of a content, and start and end of each in it; in HTML without tags, references resolved.

    >>> _visible_characters("<table><tr><td>a&amp;b</td></tr></table>")
    ('a&b', [(15, 16), (16, 21), (21, 22)])
    """
    if not content.startswith("<table"):
        return content, [(at, at + 1) for at in range(len(content))]
    found = [match for match in _HTML.finditer(content) if not match[0].startswith("<")]
    return "".join(html.unescape(match[0]) for match in found), [match.span() for match in found]


def _line_details(line: Line, box: Box) -> dict[str, Any]:
    bounds = [round(side) for side in box]
    if line.recognized is None:
        return {"bbox": bounds, "text": line.text}
    percents = [_percent(probability) for probability in line.recognized.probabilities]
    doubtful = [[index, percent] for index, percent in enumerate(percents) if percent < 100 * DOUBTFUL]
    details: dict[str, Any] = {"bbox": bounds, "text": line.recognized.text}
    if line.box == box and line.height < TALL * (box.x2 - box.x1):  # neither turned nor vertical
        width = box.x2 - box.x1
        details["x"] = [round(box.x1 + edge * width) for edge in line.recognized.edges]
    return {**details, "doubtful": doubtful} if doubtful else details


def _percent(probability: float) -> int:
    return round(1000 * probability) // 10

"""Marks doubtful characters of OCR output in the pieces of a text difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rapidfuzz.distance import Levenshtein

from vdebench.core.page_text import Block

MAX_ALIGNED = 20_000
"""Longer texts are shown without marks: their alignment would take gigabytes."""
Piece = list[Any]
"""A sign, a text, and the probability in percent if its characters are doubtful."""


def doubtful_positions(blocks: Sequence[Block], text: str) -> dict[int, int]:
    """Return the positions of doubtful characters in the text of blocks, with their probabilities in percent.

    Readers that return probabilities list them in the field `doubtful` of a block; `text` may be normalised.
    """
    raw = ""
    doubtful: dict[int, int] = {}
    for block in blocks:
        spans = block.extra.get("doubtful")
        for span in spans if isinstance(spans, list) else ():
            if isinstance(span, list) and len(span) == 3 and all(isinstance(each, int) for each in span):
                doubtful |= {len(raw) + at: span[2] for at in range(max(0, span[0]), min(span[1], len(block.content)))}
        raw += block.content
    if not doubtful or raw == text:
        return doubtful
    if max(len(raw), len(text)) > MAX_ALIGNED:
        return {}
    moved: dict[int, int] = {}
    for op in Levenshtein.opcodes(raw, text):
        if op.tag == "equal":
            shift = op.dest_start - op.src_start
            moved |= {at + shift: doubtful[at] for at in range(op.src_start, op.src_end) if at in doubtful}
    return moved


def mark_doubtful(pieces: Sequence[Piece], doubtful: Mapping[int, int]) -> list[Piece]:
    """Split the pieces that are in the OCR output at doubtful characters and add these characters' probability.

    >>> mark_doubtful([["=", "in 202"], ["-", "3"], ["+", "4"]], {4: 88, 6: 51})
    [['=', 'in 2'], ['=', '0', 88], ['=', '2'], ['-', '3'], ['+', '4', 51]]
    """
    if not doubtful:
        return list(pieces)
    marked: list[Piece] = []
    at = 0
    for sign, text in pieces:
        if sign == "-":
            marked.append([sign, text])
            continue
        for percent, run in groupby(enumerate(text, at), key=lambda each: doubtful.get(each[0])):
            part = "".join(character for _, character in run)
            marked.append([sign, part] if percent is None else [sign, part, percent])
        at += len(text)
    return marked

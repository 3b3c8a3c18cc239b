"""Short texts, such as cells, that were drawn anew and are not safe to read.

A recogniser reads garbled digits as digits, and one of several crops of them as the text before. The shapes of text
that was drawn anew cannot be compared with those before, so the output's own reading decides, and how certain it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.line_pairs import CELL, PlacedLine, in_row, line_text
from vdebench.changes.style import MIN_HEIGHT
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.words import PlacedText, compared, fact_kind, is_meaningful, same_text
from vdebench.readers.reader import ReadLines

DRAWN_ANEW = 0.75
"""Correlation below which a text was drawn anew."""
SURE = 0.95
"""Least probability of a character of a text that is safe to read."""


def doubtful_text(pages: AlignedPages, text: TextComparison, output: ReadLines) -> list[Change]:
    """Return the short texts that may read as before, and that the output itself does not show for certain."""
    placed = [
        PlacedLine(number, pages.box_to_page(line.box), line_text(line)) for number, line in enumerate(output.lines)
    ]
    result = []
    for line in dict.fromkeys([*text.unchanged, *text.uncertain]):
        size = len(compared(line.text.text).characters)
        if not is_meaningful(line.text.text) or size > CELL:
            continue
        if (line.box.y2 - line.box.y1) * pages.enlargement < MIN_HEIGHT:
            continue
        correlation = pages.settle(line.box).correlation
        row = [each for each in placed if in_row(line.box, each.box)]
        if row and correlation < DRAWN_ANEW and not _is_safe(line, row):
            result.append(_change(line, row, correlation, pages))
    return result


def _is_safe(line: PlacedText, row: Sequence[PlacedLine]) -> bool:
    """Whether the output's own lines read as before, with certainty."""
    return same_text(line.text.text, _text(row)) and all(
        each.text.probability(0, len(each.text.text)) >= SURE for each in row
    )


def _text(row: Sequence[PlacedLine]) -> str:
    return "".join(each.text.text for each in sorted(row, key=lambda each: each.box.x1))


def _change(line: PlacedText, row: Sequence[PlacedLine], correlation: float, pages: AlignedPages) -> Change:
    words = line.text.text.strip()
    probability = min(each.text.probability(0, len(each.text.text)) for each in row)
    evidence = {"correlation": correlation, "correlation_drop": 1 - correlation, "probability": probability}
    return Change(
        "weakened",
        words,
        _text(row).strip(),
        line.box,
        pages.box_to_output(line.box),
        fact_kind(words),
        confidence=0.8,
        evidence=evidence,
        note="drawn anew, not safe to read",
    )

"""Text that cannot be read on the output any more: small type that a codec or a low resolution has garbled.

One wrong letter in a legible line is a change. Where most lines of the same size read otherwise, the type is illegible,
and a list of single letters would say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vdebench.changes.alignment import FLAT, AlignedPages, cut
from vdebench.changes.change import TEXT_KINDS, Change, ChangeKind
from vdebench.changes.line_pairs import in_row
from vdebench.changes.type_heights import affected_words
from vdebench.changes.words import count_words, fact_kind, is_meaningful
from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import ReadLines

GARBLED: tuple[ChangeKind, ...] = (*TEXT_KINDS, "weakened")
"""Kinds of changes that illegible type leads to."""
MIN_LINES = 6
"""Least number of lines of one size that are judged together."""
CLEAR = 9.0
"""Evidence per character from which other words are clearly written, and not garbled."""
GARBLED_SHARE = 0.4
"""Share of the lines of one size with changed words from which the type is illegible."""
SAME_SIZE = 1.25
"""Ratio of heights of lines of one size."""


def group_illegible(
    changes: Sequence[Change], page: ReadLines, output: ReadLines, pages: AlignedPages | None
) -> tuple[list[Change], int]:
    """Replace the changes of illegible lines by one change for each line; return also the number of words."""
    lines = [line for line in page.lines if is_meaningful(line.text)]
    by_line: dict[int, list[Change]] = {index: [] for index in range(len(lines))}
    for change in changes:
        index = _line_of(change, lines)
        if index is not None:
            by_line[index].append(change)
    garbled = set()
    heights = np.array([line.height for line in lines])
    otherwise = [_reads_otherwise(line, by_line[index], output, pages) for index, line in enumerate(lines)]
    for index, line in enumerate(lines):
        if not otherwise[index]:
            continue
        same = np.flatnonzero((heights < SAME_SIZE * line.height) & (heights > line.height / SAME_SIZE))
        if len(same) >= MIN_LINES and np.mean([otherwise[int(at)] for at in same]) >= GARBLED_SHARE:
            garbled.add(index)
    if pages is not None:
        garbled |= _unread(lines, output, pages, by_line)
    removed = {id(change) for index in garbled for change in by_line[index] if change.kind in GARBLED}
    result = [change for change in changes if id(change) not in removed]
    words = 0
    for index in sorted(garbled):
        line, found = lines[index], by_line[index]
        of_line = [change for change in found if change.kind in GARBLED]
        words += max(1, sum(count_words(change.before) for change in of_line))
        height = line.height * (pages.enlargement if pages is not None else 1.0)
        readings = [change.after for change in found if change.kind == "replaced" and change.after]
        result.append(
            Change(
                "illegible",
                line.text,
                " … ".join(readings),
                line.box,
                pages.box_to_output(line.box) if pages is not None else None,
                fact_kind(line.text),
                evidence={"height": height, "words": max(1, sum(map(affected_words, of_line)))},
                note=f"line {height:.0f} px high on the output",
            )
        )
    return result, words


def _reads_otherwise(line: Line, changes: Sequence[Change], output: ReadLines, pages: AlignedPages | None) -> bool:
    """Whether words of a line changed without clear evidence, or are lost where there is ink and nothing was read."""
    if any(_is_doubtful(change) for change in changes):
        return True
    if pages is None:
        return False
    read = [pages.box_to_page(other.box) for other in output.lines]
    lost = [change.box_before for change in changes if change.kind == "lost" and change.box_before is not None]
    unread = [box for box in lost if not any(in_row(box, other) for other in read)]
    return any(float(cut(pages.after_grey, box).std()) >= FLAT for box in unread)


def _is_doubtful(change: Change) -> bool:
    """Whether words read otherwise without clear evidence for other words."""
    return change.kind == "weakened" or (
        change.kind in ("replaced", "lost") and change.evidence.get("score", CLEAR) < CLEAR
    )


def _line_of(change: Change, lines: Sequence[Line]) -> int | None:
    if change.box_before is None or change.kind not in GARBLED:
        return None
    shared = [change.box_before.shared_area(line.box) for line in lines]
    best = int(np.argmax(shared)) if shared else -1
    return best if best >= 0 and shared[best] > 0 else None


def _unread(
    lines: Sequence[Line], output: ReadLines, pages: AlignedPages, by_line: dict[int, list[Change]]
) -> set[int]:
    """Return the lines that were lost where the output has a line that the reader cannot read."""
    boxes: list[Box] = [pages.box_to_page(line.box) for line in output.unread]
    return {
        index
        for index, line in enumerate(lines)
        if any(change.kind == "lost" for change in by_line[index])
        and any(in_row(line.box, box) and line.box.iou(box) > 0.3 for box in boxes)
    }

"""Changes of ink where no text is: rules, figures, marks; and traces where text was removed.

Strong ink on one image is looked for on the other at a much lower contrast and within a small distance, so that blur,
compression, tint and small shifts are no changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import Change, ChangeKind
from vdebench.changes.pictures import picture_changes
from vdebench.changes.shifts import Shift, frequent_shifts, moved_by, shifted
from vdebench.changes.text_changes import TextComparison
from vdebench.core.box import Box
from vdebench.core.images import Image

Mask = NDArray[np.uint8]

STRONG, WEAK = 70, 22
"""Contrast in grey levels of ink that is looked for, and of ink that counts as found."""
REACH = 0.2
"""Distance within which ink is found, in heights of a line of text."""
MIN_SIZE = 0.35
"""Least side of a change, in heights of a line of text; a rule is as long as this at least four times."""
BACKGROUND = 2.5
"""Size of the neighbourhood whose median is the background, in heights of a line."""
RULE = 6.0
"""Least length of a rule beside text, in heights of a line."""
MAX_TEXTURE = 0.35
"""Share of a page that may have ink; on a photograph, ink is no useful notion."""
RESIDUE = 9.0
"""Least contrast in grey levels of what is left where text was removed."""
MIN_GHOST, ALIKE, FAINT = 40, 0.4, 0.05
"""Least number of pixels of removed text on blank paper; the correlation of its traces with it, and their strength as a
share of its contrast, from which a person sees them."""
BLANK = 6
"""Contrast in grey levels up to which paper is blank."""
LINE_HEIGHT = 24.0
"""Height of a line of text on a page without any."""


def ink_changes(pages: AlignedPages, text: TextComparison) -> list[Change]:
    """Return ink and pictures that changed outside lines of text, and traces where text was removed."""
    height = float(np.median([box.y2 - box.y1 for box in text.lines])) if text.lines else LINE_HEIGHT
    shifts = frequent_shifts(text.changes, pages)
    pictures = picture_changes(pages, _text_boxes(pages, text, height), height, shifts)
    marks = [each for each in _marks(pages, text, height, shifts) if not _is_part(each, pictures)]
    return [*pictures, *marks, *_residues(pages, text, height)]


def _text_boxes(pages: AlignedPages, text: TextComparison, height: float) -> list[Box]:
    """Return the boxes of all text, those of changed words with a margin: letters may have flourishes."""
    boxes = [*text.lines, *text.output_lines]
    for change in text.changes:
        if change.box_before is not None:
            boxes.append(_grown(change.box_before, height))
        if change.box_after is not None:
            boxes.append(_grown(pages.box_to_page(change.box_after), height))
    return boxes


def _grown(box: Box, by: float) -> Box:
    return Box(box.x1 - by, box.y1 - by, box.x2 + by, box.y2 + by)


def _is_part(change: Change, pictures: Sequence[Change]) -> bool:
    """Whether a mark lies in a picture that changed."""
    box = change.box_before
    boxes = [each.box_before for each in pictures if each.box_before is not None]
    return box is not None and any(box.shared_area(each) > 0.5 * box.area for each in boxes)


def _marks(pages: AlignedPages, text: TextComparison, height: float, shifts: Sequence[Shift]) -> list[Change]:
    """Return rules and marks that were lost, added or moved; none on photographs."""
    before, after = (_contrast(grey, height) for grey in (pages.before_grey, pages.after_grey))
    if max((each > STRONG).mean() for each in (before, after)) > MAX_TEXTURE:
        return []
    reach = max(2, round(REACH * height + pages.blur))
    near = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    ignored = _text_mask(pages, text, height)
    inside = _frame_mask(pages, height)
    lost = (before > STRONG) & (cv2.dilate(after, near) < WEAK) & ~ignored
    added = (after > STRONG) & (cv2.dilate(before, near) < WEAK) & ~ignored
    lost |= _rules(before, STRONG, RULE * height) & ~_near(_rules(after, WEAK, RULE * height / 2), near)
    added |= _rules(after, STRONG, RULE * height) & ~_near(_rules(before, WEAK, RULE * height / 2), near)
    lost, added = lost & inside, added & inside
    found = []
    for box in _boxes(lost, height):
        shift = moved_by(pages.before_grey, pages.after_grey, box, shifts)
        found.append(_change("ink_lost", box, pages) if shift is None else _moved(box, shift, pages))
    back = [(-right, -down) for right, down in shifts]
    new = [box for box in _boxes(added, height) if not moved_by(pages.after_grey, pages.before_grey, box, back)]
    return [*found, *(_change("ink_added", box, pages) for box in new)]


def _moved(box: Box, shift: Shift, pages: AlignedPages) -> Change:
    place = pages.box_to_output(shifted(box, shift))
    return Change("moved", "", "", box, place, confidence=0.8, note=f"{_shape(box)}, with the text around it")


def _contrast(grey: NDArray[np.uint8], height: float) -> Mask:
    """Return the difference of each pixel from the median of its neighbourhood."""
    side = int(BACKGROUND * height) | 1
    scale = min(1.0, 31 / side)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    paper = cv2.medianBlur(small, max(3, round(side * scale) | 1))
    paper = cv2.resize(paper, (grey.shape[1], grey.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.absdiff(grey, paper), np.uint8)


def _text_mask(pages: AlignedPages, text: TextComparison, height: float) -> NDArray[np.bool_]:
    """Return where ink belongs to text on either image."""
    mask = np.zeros(pages.before_grey.shape, np.bool_)
    margin = max(2, round(0.3 * height))
    for box in [*text.lines, *text.output_lines]:
        x1, y1, x2, y2 = (round(side) for side in box)
        mask[max(0, y1 - margin) : y2 + margin, max(0, x1 - margin) : x2 + margin] = True
    return mask


def _frame_mask(pages: AlignedPages, height: float) -> NDArray[np.bool_]:
    """Return where both images show the page, without a margin."""
    x1, y1, x2, y2 = (round(side) for side in pages.frame)
    is_whole = (x1, y1, x2, y2) == (0, 0, round(pages.size.width), round(pages.size.height))
    # Beyond the frame, the background is not known.
    edge = max(2, round((0.3 if is_whole else BACKGROUND) * height))
    inside = np.zeros(pages.before_grey.shape, np.bool_)
    inside[y1 + edge : max(0, y2 - edge), x1 + edge : max(0, x2 - edge)] = True
    return inside


def _rules(contrast: Mask, level: int, length: float) -> NDArray[np.bool_]:
    """Return the ink of straight lines across or down of at least a length; no letter has such strokes."""
    ink = (contrast > level).astype(np.uint8)
    size = max(9, round(length)) | 1
    across = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, size), np.uint8))
    down = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((size, 1), np.uint8))
    return np.asarray((across > 0) | (down > 0), np.bool_)


def _near(ink: NDArray[np.bool_], kernel: Mask) -> NDArray[np.bool_]:
    return np.asarray(cv2.dilate(ink.astype(np.uint8), kernel) > 0, np.bool_)


def _boxes(ink: NDArray[np.bool_], height: float) -> list[Box]:
    """Return the boxes of connected ink that is large enough."""
    joined = cv2.morphologyEx(
        ink.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((max(3, round(0.5 * height) | 1),) * 2, np.uint8)
    )
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    sizes = np.bincount(labels[ink], minlength=count)
    boxes = []
    for number in range(1, count):
        x, y, width, tall, _ = stats[number]
        large = min(width, tall) >= MIN_SIZE * height or max(width, tall) >= 4 * MIN_SIZE * height
        if large and sizes[number] >= 0.4 * height:
            boxes.append(Box(float(x), float(y), float(x + width), float(y + tall)))
    return boxes


def _change(kind: ChangeKind, box: Box, pages: AlignedPages) -> Change:
    return Change(kind, "", "", box, pages.box_to_output(box), confidence=0.8, note=_shape(box))


def _shape(box: Box) -> str:
    sides = sorted((box.x2 - box.x1, box.y2 - box.y1))
    return "rule" if sides[1] > 8 * sides[0] else "mark"


def _residues(pages: AlignedPages, text: TextComparison, height: float) -> list[Change]:
    """Return traces at places where text was removed and nothing was written."""
    found = []
    for change in text.changes:
        box = change.box_before
        if change.kind != "lost" or box is None or _is_written(box, text.output_lines):
            continue
        inner = cut(pages.after_grey, box)
        pad = max(3, round(0.4 * (box.y2 - box.y1)))
        around = _ring(pages.after_grey, box, pad, text.output_lines)
        if around is None or not inner.size:
            continue
        paper = float(np.median(around))
        usual = float(np.quantile(np.abs(around.astype(np.float32) - paper), 0.9))
        smooth = cv2.GaussianBlur(inner, (0, 0), max(0.8, 0.05 * height)).astype(np.float32)
        contrast = float(np.quantile(np.abs(smooth - paper), 0.9))
        if contrast > RESIDUE + 1.5 * usual:
            found.append(
                Change(
                    "residue",
                    change.before,
                    "",
                    box,
                    pages.box_to_output(box),
                    change.fact,
                    evidence={"contrast": contrast, "paper": usual},
                    note="traces of removed text",
                )
            )
    return found


def region_residue(pages: AlignedPages, region: Box) -> Change | None:
    """Return traces in a region where the page, here the reference, is blank: a smear or a ghost of removed text."""
    height = min(LINE_HEIGHT, region.y2 - region.y1)
    before, after = (_contrast_to_paper(cut(grey, region)) for grey in (pages.before_grey, pages.after_grey))
    if before.shape != after.shape or min(before.shape) < 6:
        return None
    reach = max(2, round(0.25 * height + 2 * pages.blur))
    near = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    blank = cv2.dilate((before > BLANK).astype(np.uint8), near) == 0
    if blank.sum() < 2 * height * height:
        return None
    smooth = cv2.GaussianBlur(after, (0, 0), max(1.0, 0.06 * height))
    marked = blank & (smooth > RESIDUE)
    usual = float(np.median(after[blank]))
    joined = cv2.morphologyEx(marked.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    size = float(joined.sum())
    if usual > RESIDUE or size < 0.6 * height * height:
        return None
    return Change(
        "residue",
        "",
        "",
        region,
        pages.box_to_output(region),
        confidence=0.8,
        evidence={"pixels": size, "contrast": float(np.quantile(smooth[marked], 0.9))},
        note="traces where the reference is blank",
    )


def ghost(pages: AlignedPages, source: Image, box: Box) -> Change | None:
    """Return traces of text that an edit removed, where the page, here the reference, is blank.

    The output is compared with the text itself: a ghost or a smear has its shape, at a lower contrast.
    """
    removed = cut(np.asarray(cv2.cvtColor(source, cv2.COLOR_RGB2GRAY), np.uint8), box)
    text, before, after = map(_contrast_to_paper, (removed, cut(pages.before_grey, box), cut(pages.after_grey, box)))
    blank = cv2.dilate((before > BLANK).astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
    if (text[blank] > STRONG).sum() < MIN_GHOST:
        return None
    shape, traces = (cv2.GaussianBlur(each.astype(np.float64), (0, 0), 1.0)[blank] for each in (text, after))
    if not shape.std() or not traces.std():
        return None
    correlation = float(np.corrcoef(shape, traces)[0, 1])
    strength = correlation * float(traces.std() / shape.std())
    if correlation < ALIKE or strength < FAINT:
        return None
    return Change(
        "residue",
        "",
        "",
        box,
        pages.box_to_output(box),
        confidence=0.8,
        evidence={"correlation": correlation, "strength": strength},
        note="traces of removed text",
    )


def _contrast_to_paper(grey: NDArray[np.uint8]) -> Mask:
    """Return the difference of each pixel from the most frequent grey level."""
    paper = int(np.bincount(grey.ravel(), minlength=256).argmax())
    return np.asarray(np.abs(grey.astype(np.int16) - paper), np.uint8)


def _is_written(box: Box, lines: Sequence[Box]) -> bool:
    return any(line.shared_area(box) > 0.2 * box.area for line in lines)


def _ring(grey: NDArray[np.uint8], box: Box, pad: int, lines: Sequence[Box]) -> NDArray[np.uint8] | None:
    """Return the pixels around a box that are not text; None if there are few."""
    x1, y1, x2, y2 = (round(side) for side in box)
    top, left = max(0, y1 - 2 * pad), max(0, x1 - 2 * pad)
    window = grey[top : y2 + 2 * pad, left : x2 + 2 * pad]
    free = np.ones(window.shape, np.bool_)
    for other in [Box(x1 - pad / 2, y1 - pad / 2, x2 + pad / 2, y2 + pad / 2), *lines]:
        a, b, c, d = (round(side) for side in other)
        free[max(0, b - top) : max(0, d - top), max(0, a - left) : max(0, c - left)] = False
    pixels = window[free]
    return pixels if pixels.size >= 50 else None

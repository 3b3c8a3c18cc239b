"""Ink outside of text, on drawn pages with the boxes of their lines."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, LINES, RULE, WIDTH, blank, draw, jpeg, line_top, resized, with_line
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.ink import ghost, ink_changes
from vdebench.changes.registration import whole_page
from vdebench.changes.text_changes import TextComparison
from vdebench.core.box import Box, Size

BOXES = [Box(38, line_top(row) - 2, 400, line_top(row) + 30) for row in range(len(LINES))]


def compared(before, after, changes=(), lines=BOXES, output_lines=BOXES):
    sizes = (Size(image.shape[1], image.shape[0]) for image in (before, after))
    text = TextComparison(list(changes), lines=list(lines), output_lines=list(output_lines))
    return ink_changes(AlignedPages(before, after, whole_page(*sizes)), text)


def with_mark(image, box, colour=(20, 20, 20)):
    x1, y1, x2, y2 = (int(side) for side in box)
    changed = image.copy()
    changed[y1:y2, x1:x2] = colour
    return changed


@pytest.mark.parametrize(
    "after", [draw(), jpeg(draw(), 40), resized(draw(), 300, 262)], ids=["same", "jpeg", "smaller"]
)
def test_no_ink_changed(after):
    assert compared(draw(), after) == []


def test_a_rule_that_was_removed_or_added():
    (lost,) = compared(draw(), draw(rule=False))
    assert (lost.kind, lost.note, str(lost)) == ("ink_lost", "rule", "ink lost: rule")
    assert lost.box_before.iou(RULE) == 1
    (added,) = compared(draw(rule=False), draw())
    assert (added.kind, added.note) == ("ink_added", "rule")
    assert added.box_after.iou(RULE) == 1


def test_a_mark_that_was_added():
    mark = Box(430, 100, 460, 130)
    (change,) = compared(draw(), with_mark(draw(), mark))
    assert (change.kind, change.note) == ("ink_added", "mark")
    assert change.box_after.iou(mark) > 0.9


@pytest.mark.parametrize(
    ("box", "colour"),
    [
        (Box(430, 100, 436, 106), (20, 20, 20)),  # 6 pixels; 0.35 × 32 = 11 are the least
        (Box(430, 100, 460, 130), (220, 219, 216)),  # a contrast of 32; 70 is the least
        (Box(100, 128, 130, 140), (20, 20, 20)),  # in a line of text
        (Box(0, 100, 6, 200), (20, 20, 20)),  # at the edge of the frame
    ],
    ids=["small", "faint", "in text", "at the edge"],
)
def test_marks_that_do_not_count(box, colour):
    assert compared(draw(), with_mark(draw(), box, colour)) == []


def test_a_rule_that_moved_by_a_pixel_did_not_change():
    before = with_mark(draw(rule=False), RULE)
    after = with_mark(draw(rule=False), Box(RULE.x1 + 1, RULE.y1 + 2, RULE.x2 + 1, RULE.y2 + 2))
    assert compared(before, after) == []


def traces_of_a_line(share, saved=lambda image: image):
    """What is found where a line was deleted and its text still shows with a share of its contrast."""
    source, reference = draw(), draw(with_line(3, ""))
    output = saved(np.asarray(np.round(source * share + reference * (1 - share)), np.uint8))
    size = Size(WIDTH, HEIGHT)
    return ghost(AlignedPages(reference, output, whole_page(size, size)), source, BOXES[3])


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("saved", [lambda image: image, jpeg], ids=["as it is", "jpeg"])
def test_a_ghost_of_deleted_text(share, saved):
    found = traces_of_a_line(share, saved)
    assert (found.kind, found.note) == ("residue", "traces of removed text")
    assert found.evidence["strength"] == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("saved", [lambda image: image, jpeg], ids=["as it is", "jpeg"])
def test_deleted_text_without_traces(saved):
    assert traces_of_a_line(0.0, saved) is None
    assert traces_of_a_line(0.02, saved) is None  # a contrast of 5 grey levels


def one_pixel(page):
    page = page.copy()
    page[int(BOXES[3].y1) + 12, 200] -= 2
    return page


def test_a_single_faint_pixel_is_no_ghost():
    assert traces_of_a_line(0.0, one_pixel) is None


def moved_line(down):
    """The last line of text, which an edit pushed down."""
    last = BOXES[-1]
    return Change("moved", LINES[-1], LINES[-1], last, Box(last.x1, last.y1 + down, last.x2, last.y2 + down))


def test_a_rule_that_moved_with_the_text():
    before = with_mark(draw(rule=False), RULE)
    after = with_mark(draw(rule=False), Box(RULE.x1, RULE.y1 + 20, RULE.x2, RULE.y2 + 20))
    (change,) = compared(before, after, [moved_line(20)])
    assert (change.kind, change.note) == ("moved", "rule, with the text around it")
    assert change.box_after.y1 - change.box_before.y1 == 20
    # a line that moved by another distance does not explain the rule
    assert [each.kind for each in compared(before, after, [moved_line(9)])] == ["ink_lost", "ink_added"]


def test_on_a_photograph_areas_are_compared_and_no_marks():
    rng = np.random.default_rng(0)
    texture = np.repeat(rng.integers(0, 2, (HEIGHT // 4, WIDTH // 4, 1), np.uint8) * 255, 3, axis=2)
    photo = cv2.resize(texture, (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST)
    assert compared(photo, with_mark(photo, Box(100, 100, 112, 112)), lines=[], output_lines=[]) == []
    (change,) = compared(photo, with_mark(photo, Box(100, 100, 200, 200)), lines=[], output_lines=[])
    assert (change.kind, change.note) == ("redrawn", "picture")


def test_pages_without_text():
    (change,) = compared(blank(), with_mark(blank(), Box(100, 100, 140, 140)), lines=[], output_lines=[])
    assert change.kind == "ink_added"
    assert compared(blank(), blank(grey=200), lines=[], output_lines=[]) == []
    assert compared(blank(8, 8), blank(1, 1), lines=[], output_lines=[]) == []


LOST = Change("lost", LINES[3], "", BOXES[3], None, "number")
REST = [*BOXES[:3], *BOXES[4:]]


def test_traces_of_removed_text_are_residue():
    clean, page = draw(with_line(3, "")), draw()
    assert compared(page, clean, [LOST], output_lines=REST) == []
    ghost = (0.85 * clean + 0.15 * page).astype(np.uint8)  # a contrast of 0.15 × 230 = 35
    (residue,) = compared(page, ghost, [LOST], output_lines=REST)
    assert (residue.kind, residue.before, residue.box_before, residue.fact) == ("residue", LINES[3], BOXES[3], "number")
    faint = (0.98 * clean + 0.02 * page).astype(np.uint8)  # a contrast of 5
    assert compared(page, faint, [LOST], output_lines=REST) == []


def test_new_text_is_no_residue():
    after = draw(with_line(3, "Something else stands here"))
    assert compared(draw(), after, [LOST], output_lines=BOXES) == []

"""Short texts that were drawn anew, on a drawn page: what the output's own reading says of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, LINES, WIDTH, draw, line_top, noise, with_line
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.doubtful import doubtful_text
from vdebench.changes.registration import whole_page
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.verdict import is_damage
from vdebench.changes.words import LineText, PlacedText
from vdebench.core.box import Box, Size
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.reader import ReadLines

SIZE = Size(WIDTH, HEIGHT)
ROW = 2
BOX = Box(38, line_top(ROW), 110, line_top(ROW) + 28)
PAGE = draw(with_line(ROW, "21.88"))


def scribbled():
    """The page with a scribble in place of its price."""
    image = PAGE.copy()
    x1, y1, x2, y2 = (round(side) for side in BOX)
    image[y1:y2, x1:x2] = np.where(noise(x2 - x1, y2 - y1) > 200, 20, 250)
    return image


def doubtful(after, reading, probability=1.0, text="21.88", *, certain=True):
    """The changes, if the output's line at the price is read with one probability for all characters."""
    edges = tuple(np.linspace(0, 1, len(reading) + 1))
    line = Line(BOX, reading, recognized=RecognizedLine(reading, edges, (probability,) * len(reading)))
    found = [PlacedText(BOX, LineText(text))]
    comparison = TextComparison(unchanged=found if certain else [], uncertain=[] if certain else found * 2)
    pages = AlignedPages(PAGE, after, whole_page(SIZE, SIZE))
    return doubtful_text(pages, comparison, ReadLines([line] if reading else [], []))


@pytest.mark.parametrize(("reading", "probability"), [("21.88", 0.9), ("27.88", 1.0)])
@pytest.mark.parametrize("certain", [True, False])
def test_a_scribble_that_may_read_as_before_is_not_safe_to_read(reading, probability, certain):
    (change,) = doubtful(scribbled(), reading, probability, certain=certain)
    assert (change.kind, change.before, change.after, change.fact) == ("weakened", "21.88", reading, "number")
    assert change.evidence["probability"] == probability
    assert is_damage(change)


@pytest.mark.parametrize(
    ("after", "reading", "probability", "text"),
    [
        (PAGE, "21.88", 0.5, "21.88"),  # the pixels are those of the page
        (scribbled(), "21.88", 0.99, "21.88"),  # another hand, and easy to read
        (scribbled(), "", 1.0, "21.88"),  # no line: lost, or not read on either image
        (scribbled(), LINES[2], 0.5, LINES[2]),  # a line: its other characters tell
        (scribbled(), "- -", 0.5, "- -"),  # no words
    ],
)
def test_text_that_is_safe_to_read_or_not_compared_here(after, reading, probability, text):
    assert doubtful(after, reading, probability, text) == []

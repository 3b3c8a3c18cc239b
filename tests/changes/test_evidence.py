"""Evidence for differences, from a reader whose likelihoods are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.changes.drawn import LEFT, LINES, draw, line_top, with_line
from tests.changes.fake_reader import FakeReader
from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.evidence import MAX_RATIO, Evidence, LinePair, gather
from vdebench.changes.words import LineText, differences
from vdebench.core.box import Box

BOX = Box(LEFT, line_top(2), LEFT + 345, line_top(2) + 30)
OLD, NEW = LINES[2], LINES[2].replace("21.88", "27.88")
PAGE, OUTPUT = draw(), draw(with_line(2, NEW))
PAGES = AlignedPages(PAGE, OUTPUT, np.array([[1.0, 0, 0], [0, 1, 0]]))
BEFORE, AFTER = cut(PAGE, BOX), cut(OUTPUT, BOX)


def pair(after=NEW, *, place=True, edges=()):
    line = LineText(after, (), (0.9,) * len(after))
    return LinePair(BOX, LineText(OLD, edges), line, BEFORE, AFTER, BOX, PAGES.settle(BOX) if place else None)


def reader(**options):
    return FakeReader(lambda image: OLD if np.array_equal(image, BEFORE) else NEW, **options)


def test_both_texts_are_likely_on_their_own_image():
    found = differences(OLD, NEW)
    (evidence,) = gather(pair(), found, reader(), PAGES)
    # one character differs: a log-likelihood of 10 on each image
    assert (evidence.before, evidence.after, evidence.characters) == (10, 10, 1)
    assert evidence.probability == 0.9
    assert evidence.correlation < 0.9  # of the digit
    assert evidence.drop > 0.1  # against the other characters
    assert evidence.confidence > 0.9


def test_a_text_that_the_output_does_not_show_is_a_misreading():
    misread = OLD.replace("21.88", "24.88")
    same = FakeReader(lambda image: OLD)  # the reader is sure that both images have the old text
    (evidence,) = gather(pair(misread), differences(OLD, misread), same, PAGES)
    assert evidence.after == -10
    assert evidence.confidence < 0.05


def test_the_page_is_not_asked_where_the_output_does_not_show_another_text():
    asked = []

    class Recorder(FakeReader):
        def likelihood(self, line, texts):
            asked.append(texts[0])
            return super().likelihood(line, texts)

    misread = OLD.replace("21.88", "24.88")
    gather(pair(misread), differences(OLD, misread), Recorder(lambda image: OLD), PAGES)
    assert asked == [misread]


def test_a_line_that_moved_has_no_correlation():
    (evidence,) = gather(pair(place=False), differences(OLD, NEW), reader(), PAGES)
    assert (evidence.drop, evidence.correlation) == (None, None)
    assert gather(pair(), differences(OLD, NEW), reader(), None)[0].drop is None
    assert set(evidence.to_json()) == {"likelihood_before", "likelihood_after", "probability", "score"}


def test_each_difference_is_judged_by_itself():
    after = NEW.replace("car", "cat")
    found = differences(OLD, after)
    one, other = gather(pair(after), found, reader(), PAGES)
    assert one.after == 10  # the output has 27.88 …
    assert other.after == -10  # … and "car", whatever was read


def test_ratios_are_limited():
    (evidence,) = gather(pair(), differences(OLD, NEW), reader(step=1000.0), PAGES)
    assert (evidence.before, evidence.after) == (MAX_RATIO, MAX_RATIO)


def test_an_unknown_character_is_no_evidence():
    class Unknown(FakeReader):
        def likelihood(self, line, texts):
            return [-math.inf for _ in texts]

    (evidence,) = gather(pair(), differences(OLD, NEW), Unknown(lambda image: OLD), PAGES)
    assert (evidence.before, evidence.after) == (0, 0)


def test_no_differences_and_no_text():
    assert gather(pair(), [], reader(), PAGES) == []
    empty = LinePair(BOX, LineText(""), LineText("new"), BEFORE, AFTER, BOX, PAGES.settle(BOX))
    (evidence,) = gather(empty, differences("", "new"), reader(), PAGES)
    assert evidence.characters == 3


@pytest.mark.parametrize(
    ("before", "after", "characters", "drop", "score"),
    [
        (12, 8, 2, 0.3, 7),  # the weaker one, for each character, and 10 × the drop: 8 / 2 + 3
        (12, 8, 2, None, 5),  # 0.1 if it is not known: 4 + 1
        (12, -8, 1, 0.0, -8),
    ],
)
def test_the_score(before, after, characters, drop, score):
    evidence = Evidence(before, after, characters, drop, None, 1.0)
    assert evidence.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("before", "after", "characters", "drop", "correlation", "weak"),
    [
        (6, 8, 1, 0.0, 0.85, True),  # a score of 6, and the glyph looks as before
        (6, 8, 1, 0.05, 0.85, True),  # the rest of the line correlates by .90
        (6, 8, 1, 0.05, 0.9, False),  # by .95: it is reproduced exactly
        (6, 8, 1, 0.3, 0.6, False),  # another glyph
        (6, 8, 1, None, None, False),  # not known
        (20, 18, 1, 0.0, 0.85, False),  # a score of 18
        (MAX_RATIO, MAX_RATIO, 12, 0.0, 0.85, False),  # the ratio is limited: 5 for each character means nothing
    ],
)
def test_a_doubtful_character(before, after, characters, drop, correlation, weak):
    assert Evidence(before, after, characters, drop, correlation, 1.0).is_weak is weak


def test_the_confidence_grows_with_the_score():
    values = [Evidence(score, score, 1, 0.0, None, 1.0).confidence for score in (-20, 0, 4, 8, 40)]
    assert values == sorted(values)
    assert values[0] < 0.01
    assert values[-1] > 0.99

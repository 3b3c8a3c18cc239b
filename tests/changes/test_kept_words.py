"""Changes that keep the words around a target, and changes that do not."""

from __future__ import annotations

import pytest

from vdebench.changes.change import Change
from vdebench.changes.kept_words import adds_part, keeps_context, keeps_rest


@pytest.mark.parametrize(
    ("before", "after", "part", "new", "expected"),
    [
        ("21.88", "27.88", "21.88", "27.88", True),
        ("上八点", "上九点", "八点", "九点", True),  # a neighbour for context
        ("早上八点", "早下九点", "八点", "九点", False),
        ("costs 21.88", "27.88", "21.88", "27.88", False),  # a word lost
        ("21.88", "27.88%", "21.88", "27.88", False),  # a mark more
        ("the museum of", "the", "museum of", "", True),
        ("the museum of", "", "museum of", "", False),
        ("museum", "", "museum of", "", True),  # a part of the target
        ("of the", "the", "museum of", "", True),  # its end, and the word after it
        ("of the", "", "museum of", "", False),
        ("museum", "castle", "museum of navigation", "castle of kings", True),  # a part of both
        ("21.88", "27.38", "21.88", "27.88", True),  # misread: the outcome says that the edit is done
        ("21.88", "gone", "21.88", "27.88", False),
        ("", "old", "", "old", True),  # inserted
        ("", "very old", "", "old", False),
        ("museum", "old museum", "", "old", True),
        ("museum", "old musem", "", "old", False),
        ("year,", ",", "year", "", True),  # a mark stays
        ("", "", "", "", True),
    ],
)
def test_the_words_around_a_target_are_kept(before, after, part, new, expected):
    assert keeps_rest(Change("replaced", before, after), part, new) is expected


@pytest.mark.parametrize(
    ("before", "after", "part", "expected"),
    [
        ("21.88", "gone", "21.88", True),  # whatever stands there
        ("costs 21.88", "costs anything", "21.88", True),
        ("costs 21.88", "27.88", "21.88", False),
        ("museum", "", "the museum of", True),
        ("the museum of", "", "museum of", False),
        ("museum", "old museum", "", True),
        ("museum", "old musem", "", False),
        ("other", "words", "21.88", False),
    ],
)
def test_the_context_is_kept_whatever_stands_there(before, after, part, expected):
    assert keeps_context(Change("replaced", before, after), part) is expected


@pytest.mark.parametrize(
    ("added", "new", "expected"),
    [
        ("(provisional).", "(provisional)", True),  # "Problem 3.1." → "Problem 3.1 (provisional)."
        (", of", "of iron,", True),
        (".", ".", True),
        ("old museum", "museum", False),
        ("27.88%", "27.88", False),
    ],
)
def test_marks_beside_added_text(added, new, expected):
    assert adds_part(Change("added", "", added), new) is expected


def test_marks_that_go_with_a_deleted_text():
    lost = Change("lost", ". We omit it", "")  # "standard. We omit it. Next" → "standard. Next"
    assert keeps_rest(lost, "We omit it.", "")
    assert not keeps_rest(Change("lost", "now. We omit it", ""), "We omit it.", "")
    assert not keeps_rest(Change("replaced", ". 21.88", "27.88"), "21.88", "27.88")

"""The verdict on hand-made changes."""

from __future__ import annotations

import pytest

from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.changes.verdict import GeometryLimits, judge
from vdebench.core.box import Box, Size

PAGE = Size(1000, 1000)
SAME = Geometry("same", PAGE, PAGE)
LIMITS = GeometryLimits()
ASKED = Change("replaced", "old", "new", asked=True)


def verdict(*changes, edit="done", geometry=SAME, limits=LIMITS):
    check = judge(PageChanges(geometry, changes), edit, limits)
    assert check.edit == edit
    assert check.page.changes == changes
    return check.usable, check.why


def unasked(kind="replaced", before="59.00", after="69.00", **fields):
    return Change(kind, before, after, asked=False, **fields)


def test_an_edit_that_is_done_and_nothing_else_is_usable():
    assert verdict(ASKED) == (True, "the edit is done and nothing else changed")
    assert verdict() == (True, "the edit is done and nothing else changed")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("not_done", "the edit was not made"),
        ("wrong_text", "the edit has the wrong text"),
        ("partly", "the edit was made in part"),
    ],
)
def test_an_edit_that_is_not_done(edit, why):
    assert verdict(edit=edit) == (False, why)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (unasked(fact="number"), "1 fact changed: 59.00 → 69.00"),
        (unasked(before="cat", after="cart"), "1 other change of text: cat → cart"),
        (unasked("lost", "cat", ""), "1 other change of text: lost: cat"),
        (unasked("duplicated", "", "cat"), "1 other change of text: duplicated: cat"),
        (unasked("illegible", "cat", ""), "1 other change of text: illegible: cat"),
        (unasked("weakened", "59", "68", fact="number"), "1 fact changed: weakened: 59"),
        (unasked("ink_lost", "", ""), "1 mark lost, added or left behind"),
        (unasked("residue", "cat", ""), "1 mark lost, added or left behind"),
        (unasked("restyled", "a", "b", note="other colour"), "text looks different: b (other colour)"),
    ],
)
def test_a_change_that_was_not_asked_for_is_not_usable(change, why):
    assert verdict(ASKED, change) == (False, why)


def test_a_doubtful_letter_that_is_no_fact_is_accepted():
    assert verdict(ASKED, unasked("weakened", "cat", "cet"))[0] is True


def test_where_it_is_not_known_what_was_asked_for_only_traces_of_removed_text_are_damage():
    """An instruction that is not understood may ask for a mark or another style."""
    assert verdict(Change("residue"), edit="unknown") == (False, "1 mark lost, added or left behind")
    for kind in ("ink_added", "ink_lost", "restyled"):
        assert verdict(Change(kind), edit="unknown") == (None, "it is not known which changes were asked for")


def test_the_reason_names_all_problems_and_the_first_three_changes():
    changes = [unasked(before=str(number), after="0", fact="number") for number in range(1, 5)]
    usable, why = verdict(*changes, unasked("added", "", "x" * 99), edit="not_done")
    assert usable is False
    assert why == (
        "the edit was not made; 4 facts changed: 1 → 0, 2 → 0, 3 → 0, …; "
        f"1 other change of text: added: {'x' * 52}…"  # 60 characters
    )


def test_unknown_is_no_verdict():
    expected = None, "it is not known which changes were asked for"
    assert verdict(edit="unknown") == expected
    assert verdict(Change("replaced", "a", "b"), edit="unknown") == expected
    assert verdict(ASKED, Change("replaced", "a", "b"), edit="done") == expected


def zoomed(x, y=None, **fields):
    return Geometry("scaled", PAGE, fields.pop("after", PAGE), x, y or x, **fields)


@pytest.mark.parametrize(
    ("geometry", "limits", "problem"),
    [
        (SAME, {}, ""),
        (zoomed(1.04), {}, ""),
        (zoomed(1.06), {}, "zoomed by 6.0%, more than 5.0%"),
        (zoomed(0.9), {}, "zoomed by 10.0%, more than 5.0%"),
        (zoomed(1.06), {"max_zoom": 0.1}, ""),
        (zoomed(1.0, 1.03), {}, ""),  # 1 / 1.03: proportions changed by 2.9 %
        (zoomed(1.0, 1.045), {}, "proportions changed by 4.3%"),  # 1 / 1.045
        (zoomed(1.0, after=Size(2000, 2000)), {}, ""),  # the same page at another resolution
        (zoomed(1.0, after=Size(1000, 500)), {}, "proportions changed by 100.0%"),
        (zoomed(1.0, cropped_words=2), {}, "cropped: 2 words are cut off"),
        (zoomed(1.2, cropped_words=2, visible=Box(0, 0, 0.8, 0.8)), {"allow_crop": True}, ""),
        (Geometry("reframed", PAGE, PAGE), {}, "the page was drawn anew: it cannot be aligned with the original"),
    ],
)
def test_limits_of_geometry(geometry, limits, problem):
    assert GeometryLimits(**limits).problem(geometry) == problem
    usable, why = verdict(ASKED, geometry=geometry, limits=GeometryLimits(**limits))
    assert usable is (not problem)
    assert why == (problem or "the edit is done and nothing else changed")


def test_words_that_are_cut_off_are_counted_with_the_geometry_alone():
    cut = unasked("cropped", "Total 12", "", fact="number")
    geometry = Geometry("cropped", PAGE, PAGE, cropped_words=2)
    assert verdict(cut, geometry=geometry) == (False, "cropped: 2 words are cut off")
    assert verdict(cut, geometry=geometry, limits=GeometryLimits(allow_crop=True))[0] is True


def test_text_that_could_not_be_compared_is_no_verdict():
    check = judge(PageChanges(SAME, (ASKED,), unknown="the reader failed"), "done", LIMITS)
    assert (check.usable, check.why) == (None, "the reader failed")

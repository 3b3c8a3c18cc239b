"""Changes and geometry as JSON data and as text."""

from __future__ import annotations

import json

import pytest

from vdebench.changes.change import CHANGE_KINDS, TEXT_KINDS, Change, EditCheck, Geometry, PageChanges
from vdebench.core.box import Box, Size


def test_geometry_as_json():
    geometry = Geometry(
        "cropped",
        Size(1000, 2000),
        Size(500, 900),
        1.2,
        1.25,
        (-0.1, 0.0),
        0.12345,
        Box(0.1, 0.0, 0.9, 1.0),
        0.456,
        80,
        3,
    )
    # Enlargements in pixels: 1.2 × 500 / 1000 = 0.6 across, 1.25 × 900 / 2000 = 0.5625 down; 0.6 / 0.5625 = 1.0667.
    # 0.8 of the page is shown.
    assert json.loads(json.dumps(geometry.to_json())) == {
        "kind": "cropped",
        "scale_x": 1.2,
        "scale_y": 1.25,
        "shift": [-0.1, 0.0],
        "rotation": 0.123,
        "aspect_change": 1.0667,
        "visible": [0.1, 0.0, 0.9, 1.0],
        "cut_off": 0.2,
        "cropped_words": 3,
        "size_before": [1000, 2000],
        "size_after": [500, 900],
        "residual": 0.46,
        "matches": 80,
    }


@pytest.mark.parametrize(("before", "after", "expected"), [((100, 200), (50, 100), 1.0), ((100, 100), (200, 100), 2.0)])
def test_a_page_resized_as_a_whole_changes_proportions_with_its_frame(before, after, expected):
    assert Geometry("scaled", Size(*before), Size(*after)).aspect_change == pytest.approx(expected)


def test_a_change_as_json():
    change = Change(
        "replaced", "59.00", "69.00", Box(1.04, 2, 3, 4), None, "number", True, 0.98765, {"score": 1.23456}, "note"
    )
    assert json.loads(json.dumps(change.to_json())) == {
        "kind": "replaced",
        "before": "59.00",
        "after": "69.00",
        "box_before": [1.0, 2, 3, 4],
        "box_after": None,
        "asked": True,
        "fact": True,
        "fact_kind": "number",
        "confidence": 0.988,
        "evidence": {"score": 1.235},
        "note": "note",
    }
    assert Change("lost", "a").to_json()["asked"] is None
    assert Change("lost", "a").to_json()["fact"] is False


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change("replaced", "a", "b"), "a → b"),
        (Change("added", "", "new"), "added: new"),
        (Change("ink_lost", note="rule"), "ink lost: rule"),
        (Change("ink_added"), "ink added"),
        (Change("restyled", "a", "b", note="other colour"), "restyled: a"),
    ],
)
def test_a_change_as_text(change, expected):
    assert str(change) == expected


def test_a_check_as_json_has_the_changes_and_the_verdict():
    page = PageChanges(Geometry("same", Size(9, 9), Size(9, 9)), (Change("lost", "x"),), 12, 2, "why")
    data = json.loads(json.dumps(EditCheck(page, "done", None, "because").to_json()))
    assert {name: data[name] for name in ("words", "illegible_words", "unknown", "edit", "usable", "why")} == {
        "words": 12,
        "illegible_words": 2,
        "unknown": "why",
        "edit": "done",
        "usable": None,
        "why": "because",
    }
    assert [each["kind"] for each in data["changes"]] == ["lost"]
    assert data["geometry"]["kind"] == "same"


def test_changes_are_read_back_from_json():
    geometry = Geometry(
        "cropped", Size(1000, 2000), Size(500, 900), 1.2, 1.25, (-0.1, 0.0), 0.1, Box(0.1, 0, 0.9, 1), 0.4, 8, 3
    )
    changes = (
        Change(
            "replaced", "59.00", "69.00", Box(1.5, 2, 3, 4), Box(5, 6, 7, 8), "number", True, 0.9, {"score": 1.5}, "x"
        ),
        Change("added", "", "new", None, Box(1, 2, 3, 4), asked=None),
    )
    page = PageChanges(geometry, changes, 12, 2, "why")
    assert PageChanges.from_json(json.loads(json.dumps(page.to_json()))) == page


def test_kinds_of_text_changes_are_kinds():
    assert set(TEXT_KINDS) < set(CHANGE_KINDS)
    assert len(CHANGE_KINDS) == 13

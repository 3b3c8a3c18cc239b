"""From annotations to commands, and all the ways in which an annotation is no vote."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("httpx2")
from tests.review.label_studio.accounts import chosen, drawn, rated
from vdebench.core.box import Box, Size
from vdebench.review.label_studio.annotations import TaskLabel, UnfitError, pixels, task_label, vote_in
from vdebench.review.label_studio.configs import CHANGED, config, settings
from vdebench.review.label_studio.projects import IMAGES, ReviewProject, label_studio_steps, project_in, projects_by_key
from vdebench.review.ratings import SCALES, Ratings
from vdebench.review.state import Item
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen

ITEM = Item("a", "9f86", 400, 300, 0, "")
SLIP = TaskLabel("a", 2, "9f86", ("one", ""))
BOX = Box(10, 20, 310, 60)
GROUP = "group:2"


def test_votes():
    def vote(step, voter, result):
        return vote_in(ReviewProject(step, voter), ITEM, SLIP, result)

    assert vote("pilot", "member:x", rated(1, 2, 3)) == RatePilot("a", 2, Ratings(1, 2, 3))
    assert vote("score", GROUP, rated(3, 3, 3)) == Rate("a", 2, "2", Ratings(3, 3, 3))
    two = [BOX, Box(0, 0, 400, 300)]
    assert vote("boxes", GROUP, drawn(two, 400, 300)) == Draw("a", 2, "2", tuple(two))
    assert vote("boxes", GROUP, []) == Draw("a", 2, "2", ())  # the store refuses it, as it does from anywhere
    assert vote("screen", GROUP, chosen("yes")) == Screen("a", 2, "2", True)
    assert vote("screen", GROUP, chosen("no", note="blurred")) == Screen("a", 2, "2", False, "blurred")
    assert vote("ocr", "person", chosen("correct")) == Check("a", 2, "correct")
    assert vote("ocr", "person", chosen("correct", text_0="one")) == Check("a", 2, "correct")
    corrected = chosen("corrected", text_0="uno", text_1="due", note="!")
    assert vote("ocr", "person", corrected) == Check("a", 2, "corrected", ("uno", "due"), "!")
    assert vote("ocr", "person", chosen("corrected", text_0="one", text_1="x")).texts == ("one", "x")
    assert vote("ocr", "person", chosen("wrong", text_0="tow")) == Check("a", 2, "wrong")


def one_box(**changed):
    return drawn([BOX], 400, 300, **changed)


@pytest.mark.parametrize(
    ("step", "result", "reason"),
    [
        ("score", None, "malformed"),
        ("score", {"result": []}, "malformed"),
        ("score", ["rating"], "malformed"),
        ("score", [], "malformed"),
        ("score", rated(3, 3, 3)[:2], "malformed"),
        ("score", rated(3, 3, 3) + rated(1, 1, 1)[:1], "malformed"),
        ("score", rated(3, 3, 7), "bad_rating"),
        ("score", rated(0, 3, 3), "bad_rating"),
        ("score", rated(3, 2.5, 3), "bad_rating"),
        ("score", rated(3, 3.0, 3), "bad_rating"),
        ("score", rated(3, True, 3), "bad_rating"),
        ("score", rated(3, "3", 3), "bad_rating"),
        ("score", rated(3, None, 3), "bad_rating"),
        ("score", rated(3, 3, 3) + one_box(), "malformed"),
        ("score", [{**each, "type": "number"} for each in rated(3, 3, 3)], "malformed"),
        ("score", [{**each, "value": [3]} for each in rated(3, 3, 3)], "malformed"),
        ("boxes", rated(3, 3, 3), "malformed"),
        ("boxes", one_box(type="polygonlabels"), "malformed"),
        ("boxes", [{**one_box()[0], "value": None}], "malformed"),
        ("boxes", one_box(rotation=0.5), "rotated"),
        ("boxes", one_box(image_rotation=90), "rotated"),
        ("boxes", one_box(original_width=800), "wrong_size"),
        ("boxes", one_box(original_height=None), "wrong_size"),
        ("boxes", one_box(rectanglelabels=["other"]), "malformed"),
        ("boxes", one_box(rectanglelabels=[]), "malformed"),
        ("boxes", one_box(x=None), "malformed"),
        ("boxes", one_box(y="3"), "malformed"),
        ("boxes", one_box(width=nan), "malformed"),
        ("boxes", one_box(height=inf), "malformed"),
        ("boxes", one_box(x=1e300), "malformed"),
        ("boxes", one_box(x=True), "malformed"),
        ("screen", chosen("maybe"), "bad_verdict"),
        ("screen", chosen(["yes"]), "bad_verdict"),
        ("screen", chosen("yes")[:0], "malformed"),
        ("screen", chosen("yes") + chosen("no"), "malformed"),
        ("screen", [{**chosen("yes")[0], "value": {"choices": ["yes", "no"]}}], "bad_verdict"),
        ("screen", chosen("yes", text_0="x"), "malformed"),
        ("screen", chosen("no", note=3), "malformed"),
        ("ocr", chosen("yes"), "bad_verdict"),
        ("ocr", chosen("correct", text_0="two"), "bad_verdict"),
        ("ocr", chosen("corrected", text_0="one"), "bad_verdict"),
        ("ocr", chosen("corrected", text_1="x"), "bad_verdict"),  # the first text was deleted
        ("ocr", chosen("corrected"), "bad_verdict"),
        ("ocr", chosen("correct", text_2="x"), "malformed"),
    ],
)
def test_what_is_no_vote(step, result, reason):
    with pytest.raises(UnfitError) as refused:
        vote_in(ReviewProject(step, GROUP), ITEM, SLIP, result)
    assert refused.value.reason == reason
    assert len(refused.value.words) < 400


def test_a_task_of_another_edit_is_no_vote():
    with pytest.raises(UnfitError) as refused:
        vote_in(ReviewProject("score", GROUP), ITEM, SLIP._replace(edit="0000"), rated(3, 3, 3))
    assert refused.value.reason == "other_edit"


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"sample": "a", "round": "1", "edit": "x"},
        {"sample": "a", "round": True, "edit": "x"},
        {"sample": 3, "round": 1, "edit": "x"},
        {"sample": "a", "round": 1},
        {"sample": "a", "round": 1, "edit": "x", "regions": [{"image": "y"}]},
        {"sample": "a", "round": 1, "edit": "x", "regions": "ab"},
    ],
)
def test_tasks_that_are_not_ours(data):
    with pytest.raises(UnfitError) as refused:
        task_label(data)
    assert refused.value.reason == "unknown_task"


SIDE = st.integers(1, 20_000)


@given(SIDE, SIDE, st.data())
def test_whole_pixels_come_back(width, height, data):
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    box = Box(left, top, data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height)))
    assert pixels(box.to_percent(Size(width, height)), Size(width, height)) == box


@given(SIDE, SIDE, *[st.floats(0, 100)] * 4)
def test_a_drawn_box_goes_to_the_nearest_pixels(width, height, x, y, wide, high):
    found = pixels((x, y, wide, high), Size(width, height))
    exact = Box.from_percent(x, y, wide, high, Size(width, height))
    assert all(type(side) is int for side in found)
    assert all(abs(side - other) <= 0.5 for side, other in zip(found, exact, strict=True))


@pytest.mark.parametrize("step", label_studio_steps())
def test_configs_hold_the_names_that_are_read(step):
    root = ElementTree.fromstring(config(step))
    tags = {tag.get("name"): tag for tag in root.iter() if tag.get("name")}
    expected = {
        "pilot": {*SCALES},
        "score": {*SCALES},
        "boxes": {"boxes"},
        "screen": {"verdict", "note"},
        "ocr": {"verdict", "note", "text_{{idx}}", "region_{{idx}}"},
    }[step]
    shown = {"instruction", "after"} | (set() if step == "ocr" else {"before"})
    assert tags.keys() == expected | shown
    assert all(tag.get("toName") in tags for tag in tags.values() if tag.tag not in ("Image", "Text"))
    if step == "boxes":
        assert [label.get("value") for label in tags["boxes"]] == [CHANGED]
        assert tags["boxes"].get("toName") == "after"
    assert settings(step)["maximum_annotations"] == 1


@given(st.sampled_from(label_studio_steps()), st.text(min_size=1, max_size=200), st.text(max_size=80))
def test_desks_are_known_again(step, group, name):
    desk, study = ReviewProject(step, f"group:{group}"), "0123456789abcdef"
    assert project_in(desk.description(study), study) == desk
    assert project_in(desk.description(study), "f" * 16) is None
    assert 3 <= len(desk.title(name)) <= 50


def test_projects_of_others_are_not_ours():
    mine, study = ReviewProject("score", "group:1"), "0123456789abcdef"
    projects = [
        {"id": 7, "description": mine.description(study)},
        {"id": 3, "description": mine.description(study)},
        {"id": 4, "description": IMAGES.description(study)},
        {"id": 5, "description": None},
        {"id": 6, "description": "vde-review 0123456789abcdef dance group:1"},
    ]
    assert projects_by_key(projects, study) == {mine: [3, 7], IMAGES: [4]}

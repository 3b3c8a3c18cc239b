"""A step is one `Step` object: a second screening, added here, is voted on, stored, served and shown in Label Studio."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.review.people import BOX, GROUPS, Review
from vdebench.review.commands import command_from_json, command_to_json
from vdebench.review.events import event_from_json
from vdebench.review.funnel import funnel, passed_through
from vdebench.review.label_studio.annotations import TaskLabel, vote_in
from vdebench.review.label_studio.configs import config, settings
from vdebench.review.label_studio.projects import ReviewProject, waiting
from vdebench.review.ratings_table import group_ratings
from vdebench.review.server.page_files import PAGE
from vdebench.review.state import replay
from vdebench.review.step import Form, Step, Vote, VoteCommand
from vdebench.review.steps.screen import Screen, check_yes, decide_unanimous
from vdebench.review.workflow import WORKFLOW
from vdebench.review.workspace import decisions


@dataclass(frozen=True, slots=True)
class ScreenLayout(VoteCommand):
    """Say yes or no to the layout for one's group."""

    group: str
    yes: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class LayoutScreened(Vote):
    """A group said yes or no to the layout."""

    group: str
    yes: bool
    note: str = ""


LAYOUT = Step(
    name="layout",
    title="Layout screening",
    order=35,
    voters="group",
    hint="Is the layout of the page intact?",
    command=ScreenLayout,
    event=LayoutScreened,
    check=check_yes,
    decide=decide_unanimous,
    form=Form(("yes", "note")),
    widget="step_screen.js",
    done="layout screened",
    decision="screen",
    image="reference",
    scale="layout",
)


@pytest.fixture(autouse=True)
def _layout():
    with WORKFLOW.extended(LAYOUT):
        yield


def screened():
    review = Review(2)
    review.score()
    review.draw()
    review.screen()
    return review


def vote(review, says=(True, True, True)):
    for group, yes in zip(GROUPS, says, strict=True):
        review.must(ScreenLayout("s0", 1, group, yes), f"{group}c")


def test_a_sample_passes_through_the_new_step():
    review = screened()
    assert review.item().step == "layout"
    assert review.refused(Screen("s0", 1, "1", True), "1d") == "already_voted"
    assert review.refused(ScreenLayout("s0", 1, "2", True), "1a") == "wrong_group"
    assert review.refused(ScreenLayout("s0", 1, "1", "yes"), "1a") == "bad_verdict"
    vote(review)
    assert review.item().step == "ocr"
    assert funnel(review.state).places["layout screened"] == 1
    review.check()
    assert review.item().step == "passed"
    assert passed_through(review.state.items.values())["layout"] == 1
    assert ("group 2", "s0", "layout", "yes") in [row[:4] for row in group_ratings(review.state)]
    stored = [event_from_json(event.to_json()) for event in review.log]
    assert replay(stored) == review.state
    assert stored[-6].kind == "layout_screened"


def test_a_no_in_the_new_step_rejects_the_sample():
    review = screened()
    vote(review, (True, False, True))
    assert (review.item().step, review.item().reason) == ("rejected", "screened_out")
    rejected = [each for each in decisions(review.state) if each.verdict == "reject"]
    assert [(each.step, each.reason, each.words) for each in rejected] == [("screen", "screened_out", "2: no")]


def test_commands_of_the_new_step_come_from_clients():
    command = ScreenLayout("s0", 1, "2", True)
    assert command_to_json(command)["kind"] == "screen_layout"
    assert command_from_json(command_to_json(command)) == command


def test_label_studio_asks_for_the_new_step():
    review = screened()
    key = ReviewProject("layout", "group:1")
    assert [item.id for item in waiting(review.state)[key]] == ["s0"]
    assert settings("layout")["expert_instruction"] == LAYOUT.hint
    assert 'name="verdict"' in config("layout")
    result = [{"from_name": "verdict", "type": "choices", "value": {"choices": ["no"]}}]
    label = TaskLabel("s0", 1, review.item().edit)
    assert vote_in(key, review.item(), label, result) == ScreenLayout("s0", 1, "1", False)


def test_the_database_and_the_server_have_the_new_step(tmp_path):
    serving = pytest.importorskip("tests.review.server.serving")
    site = serving.Site(serving.template(tmp_path), tmp_path)
    votes = [
        ("rate", {"ratings": serving.NINE}),
        ("draw", {"boxes": [list(BOX)]}),
        ("screen", {"yes": True}),
        ("screen_layout", {"yes": True}),
    ]
    try:
        people = [site.signed_in(name) for name in ("anna1", "cora2", "eve3")]
        for kind, fields in votes:
            for group, browser in zip(GROUPS, people, strict=True):
                browser.must(kind, sample="s0", round=1, group=group, **fields)
        me = people[0].get("/api/me").json()
        names = ["pilot", "score", "boxes", "screen", "layout", "ocr", "conflict"]
        assert [step["name"] for step in me["workflow"]] == names
        assert {step["widget"] for step in me["workflow"]} <= {file.name for file in PAGE.iterdir()}
        assert me["steps"]["layout"] == {"waiting": 0, "mine": 1}
        assert people[0].get("/api/progress").json()["groups"]["1"]["layout"] == {"done": 1, "waiting": 0}
        assert site.store.view("root", "s0").step == "ocr"
        assert site.store.check() == []
    finally:
        site.store.close()

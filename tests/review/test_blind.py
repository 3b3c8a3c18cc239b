"""Nobody is shown another's vote of an open round: what others have said there changes nothing in what one sees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.people import BOX, GROUPS, NINE, Review
from vdebench.core.box import Box
from vdebench.review.commands import Mark, StartPilot
from vdebench.review.event_types import Marked
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.state import replay
from vdebench.review.steps.boxes import Draw, Drawn
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.steps.pilot import PilotRated, RatePilot
from vdebench.review.steps.score import Rate, Rated
from vdebench.review.steps.screen import Screen, Screened
from vdebench.review.visibility import view

FAR = Box(350, 200, 370, 220)
ELSE = {
    Rated: lambda what: replace(what, ratings=Ratings(1, 2, 1)),
    PilotRated: lambda what: replace(what, ratings=Ratings(1, 2, 1)),
    Drawn: lambda what: replace(what, boxes=(FAR, Box(50, 50, 60, 60))),
    Screened: lambda what: replace(what, yes=not what.yes, note="changed"),
    Marked: lambda what: replace(what, boxes=(FAR,), note="changed"),
}


def otherwise(log, state, who):
    """The same log, had the others voted otherwise wherever a step is still open, or never marked anything else."""
    for event in log:
        step = event.step or getattr(event.what, "step", "")
        item = state.items.get(event.sample)
        kept = item is None or type(event.what) not in ELSE or event.who == who
        is_open = not kept and (
            state.study.pilot_open and event.what.round == state.study.pilot
            if step == "pilot"
            else item.step not in ("passed", "rejected", "withdrawn") and not item.is_closed(step, event.what.round)
        )
        yield replace(event, what=ELSE[type(event.what)](event.what)) if is_open else event


@st.composite
def reviews(draw):
    """A review in which one or two votes of most steps are in, and some marks."""
    review = Review(4, Options(rounds=draw(st.integers(1, 2))))
    if draw(st.booleans()) and draw(st.booleans()):
        review.must(StartPilot(("s0", "s1")), "root")
        for name in draw(st.lists(st.sampled_from(["1a", "1b", "2a", "3c"]), unique=True)):
            review.must(RatePilot("s0", 1, Ratings(2, 2, 3)), name)
        return review
    for sample in ("s0", "s1", "s2", "s3"):
        for _ in range(draw(st.integers(0, 12))):
            item = review.item(sample)
            group = draw(st.sampled_from(GROUPS))
            who = f"{group}{draw(st.sampled_from('abcde'))}"
            box = draw(st.sampled_from([BOX, BOX, Box(10, 10, 310, 51), FAR]))
            command = {
                "score": Rate(sample, item.round, group, draw(st.sampled_from([NINE, NINE, NINE, Ratings(3, 3, 2)]))),
                "boxes": Draw(sample, item.round, group, (box,)),
                "screen": Screen(sample, item.round, group, True, "seen"),
                "conflict": Adjudicate(sample, item.round, "again"),
            }.get(item.step)
            if command is not None:
                review.do(command, "judge" if item.step == "conflict" else who)
            if draw(st.integers(0, 5)) == 0:
                review.do(Mark(sample, f"m{len(review.log)}", "after", (BOX,)), who)
    return review


@given(reviews())
@settings(max_examples=40)
def test_what_others_say_in_an_open_round_cannot_be_seen(review):
    for who in ("1a", "2b", "3c", "judge", "root"):
        other = replay(otherwise(review.log, review.state, who))
        for sample in review.state.items:
            assert view(review.state, who, sample) == view(other, who, sample)


def test_the_test_can_fail():
    """What is changed is really there, and is shown once it may be."""
    review = Review()
    review.must(Rate("s0", 1, "1", Ratings(3, 3, 2)), "1a")
    assert replay(otherwise(review.log, review.state, "2a")) != review.state
    review.must(Rate("s0", 1, "2", NINE), "2a")
    review.must(Rate("s0", 1, "3", NINE), "3a")
    assert [vote.who for vote in view(review.state, "2b", "s0").votes] == ["1a", "2a", "3a"]


def test_boxes_of_an_earlier_round_do_not_lead_the_hand():
    review = Review()
    review.score()
    review.draw(drawn=((BOX,), (BOX,), (FAR,)))
    seen = view(review.state, "1b", "s0")
    assert [vote.who for vote in seen.votes] == ["1b"]
    assert seen.agreements == pytest.approx((1 / 3,))
    assert seen.asked
    assert seen.to_json()["boxes"] == []
    assert len(view(review.state, "judge", "s0").votes) == 6  # scores, and the boxes that were dropped


def test_not_for_strangers():
    review = Review()
    assert view(review.state, "mallory", "s0").reason == "unknown_member"
    assert view(review.state, "1a", "s9").reason == "unknown_sample"

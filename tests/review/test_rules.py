"""The protocol, step by step, and everything that it refuses."""

from __future__ import annotations

import pytest

from tests.review.people import BOX, GROUPS, NINE, Review, at
from vdebench.core.box import Box
from vdebench.review.assignment import Lease, new_lease, next_for, waiting_for
from vdebench.review.commands import (
    Add,
    EndPilot,
    Join,
    Leave,
    Mark,
    Open,
    PoolSample,
    StartPilot,
    Unmark,
    Withdraw,
    command_from_json,
    command_to_json,
)
from vdebench.review.events import event_from_json
from vdebench.review.funnel import funnel, passed_through
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.rules import decide
from vdebench.review.state import EMPTY, apply, replay
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen
from vdebench.review.visibility import conflicts, progress

OFF = Box(11, 11, 311, 51)
"""One pixel off in both axes."""


def test_a_sample_that_passes():
    review = Review()
    review.score()
    assert review.item().step == "boxes"
    larger = Box(10, 10, 310, 51)
    review.draw(drawn=((BOX,), (larger,), (BOX,)))
    assert (review.item().step, review.item().boxes) == ("screen", (larger,))
    review.screen()
    assert review.item().step == "ocr"
    review.check()
    assert review.item().step == "passed"
    assert funnel(review.state).places == {
        **dict.fromkeys(
            ("scored 9", "boxes agreed", "screened", "in adjudication", "rejected", "withdrawn", "pilot"), 0
        ),
        "pool": 2,
        "OCR checked": 1,
    }
    assert passed_through(review.state.items.values()) == {"score": 1, "boxes": 1, "screen": 1, "ocr": 1}
    assert progress(review.state)["group:2"] == {"score": 1, "boxes": 1, "screen": 1}


def test_only_a_nine_of_every_group_goes_on():
    review = Review()
    review.score(totals=(NINE, Ratings(3, 3, 2), NINE))
    assert (review.item().step, review.item().reason) == ("rejected", "low_score")
    assert review.item().closings()[-1].words == "totals 1: 9, 2: 8, 3: 9"
    lower = Review(options=Options(needed_total=8))
    lower.score(totals=(NINE, Ratings(3, 3, 2), NINE))
    assert lower.item().step == "boxes"


def test_nothing_is_decided_before_the_last_vote():
    review = Review()
    review.must(Rate("s0", 1, "1", Ratings(1, 1, 1)), "1a")
    assert review.item().step == "score"
    assert waiting_for(review.state.study, review.item()) == ["group:2", "group:3"]


def test_boxes_that_differ_return_and_then_are_a_conflict():
    review = Review(options=Options(rounds=2))
    review.score()
    review.draw(drawn=((BOX,), (OFF,), (Box(9, 9, 309, 49),)))
    assert (review.item().step, review.item().round, review.item().boxes) == ("boxes", 2, ())
    assert len(review.item().votes("boxes", 1)) == 3  # kept, though dropped
    review.draw(drawn=((BOX,), (BOX,), (BOX, OFF)))
    assert (review.item().step, review.item().round) == ("conflict", 2)
    assert review.item().closings()[-1].words == "the groups drew different numbers of boxes"
    assert [item.id for item in conflicts(review.state)] == ["s0"]
    assert funnel(review.state).places["in adjudication"] == 1


def test_one_group_off_by_a_pixel_is_within_the_mean():
    review = Review()
    review.score()
    review.draw(drawn=((BOX,), (OFF,), (BOX,)))  # (1 + 2 × 0.945) / 3 = 0.963
    assert review.item().step == "screen"


def conflict(**options):
    review = Review(options=Options(rounds=1, **options))
    review.score()
    review.draw(drawn=((BOX,), (OFF,), (Box(9, 9, 309, 49),)))
    return review


def test_an_adjudicator_decides_by_boxes():
    review = conflict()
    assert review.refused(Adjudicate("s0", 1, "boxes", (BOX,)), "1a") == "wrong_role"
    assert review.refused(Adjudicate("s0", 1, "boxes"), "judge") == "no_box"
    assert review.refused(Adjudicate("s0", 1, "again", (BOX,)), "judge") == "bad_verdict"
    review.must(Adjudicate("s0", 1, "boxes", (OFF,)), "judge")
    assert (review.item().step, review.item().boxes) == ("screen", (OFF,))
    assert review.refused(Adjudicate("s0", 1, "boxes", (BOX,)), "judge") == "already_voted"
    assert review.refused(Adjudicate("s1", 1, "reject"), "judge") == "wrong_step"
    review.screen()
    review.check()
    assert review.item().step == "passed"
    assert passed_through(review.state.items.values())["boxes"] == 1


def test_an_adjudicator_rejects():
    review = conflict()
    review.must(Adjudicate("s0", 1, "reject", note="blurred"), "judge")
    assert (review.item().step, review.item().reason) == ("rejected", "adjudicated")


@pytest.mark.parametrize(("rescore", "step"), [(False, "boxes"), (True, "score")])
def test_an_adjudicator_lets_the_groups_try_again(rescore, step):
    review = conflict(rescore=rescore)
    review.must(Adjudicate("s0", 1, "again"), "judge")
    assert (review.item().step, review.item().round, review.item().limit) == (step, 2, 2)
    if rescore:
        review.score()
    review.draw(drawn=((BOX,), (OFF,), (Box(9, 9, 309, 49),)))
    assert review.item().step == "conflict"


def test_screening_is_unanimous():
    review = Review()
    review.score()
    review.draw()
    review.screen(says=(True, False, True))
    assert (review.item().step, review.item().reason) == ("rejected", "screened_out")


def test_readings_are_checked():
    for verdict, texts, step in (("wrong", (), "rejected"), ("corrected", ("May 2024",), "passed")):
        review = Review()
        review.score()
        review.draw()
        review.screen()
        review.check(verdict=verdict, texts=texts)
        assert review.item().step == step
    assert funnel(review.state).adds_up


def test_the_outcome_does_not_hang_on_the_order_of_votes():
    ends = set()
    for order in (GROUPS, GROUPS[::-1], ("2", "3", "1")):
        review = Review()
        drawn = dict(zip(GROUPS, ((BOX,), (Box(10, 10, 310, 51),), (Box(10, 10, 311, 50),)), strict=True))
        review.score()
        for group in order:
            review.must(Draw("s0", 1, group, drawn[group]), f"{group}a")
        ends.add((review.item().step, review.item().boxes, review.item().closings()[-1].agreement))
    assert len(ends) == 1


def test_the_pilot():
    review = Review()
    assert review.refused(RatePilot("s0", 1, NINE), "1a") == "no_pilot"
    assert review.refused(StartPilot(("s0", "s9")), "root") == "unknown_sample"
    assert review.refused(StartPilot(("s0", "s0")), "root") == "malformed"
    assert review.refused(StartPilot(("s0",)), "1a") == "wrong_role"
    review.must(StartPilot(("s0", "s1")), "root")
    assert review.refused(StartPilot(("s2",)), "root") == "pilot_open"
    assert funnel(review.state).places["pilot"] == 2
    assert len(waiting_for(review.state.study, review.item())) == 15
    assert waiting_for(review.state.study, review.item("s2")) == []
    for name in ("1a", "1b", "2a"):  # two of one group: all annotators score the same
        review.must(RatePilot("s0", 1, Ratings(1, 2, 3)), name)
    assert review.refused(RatePilot("s0", 1, NINE), "1a") == "already_voted"
    assert review.refused(RatePilot("s0", 2, NINE), "1c") == "wrong_round"
    assert review.refused(RatePilot("s2", 1, NINE), "1c") == "not_in_pilot"
    assert review.refused(RatePilot("s0", 1, NINE), "judge") == "wrong_role"
    assert review.refused(Rate("s0", 1, "1", NINE), "1a") == "pilot_open"
    review.must(EndPilot(), "root")
    assert funnel(review.state).places == {**funnel(review.state).places, "pilot": 0, "pool": 3}
    review.score()  # its scores in the pilot decide nothing
    assert review.item().step == "boxes"
    review.must(StartPilot(("s1",)), "root")
    review.must(RatePilot("s1", 2, NINE), "1a")
    assert review.refused(EndPilot(), "2a") == "wrong_role"


FORGED = [
    (Rate("s0", 1, "2", NINE), "1a", "wrong_group"),
    (Rate("s0", 1, "4", NINE), "1a", "wrong_group"),
    (Rate("s0", 2, "1", NINE), "1a", "wrong_round"),
    (Rate("s0", 0, "1", NINE), "1a", "wrong_round"),
    (Rate("s0", "1", "1", NINE), "1a", "malformed"),
    (Rate("s0", True, "1", NINE), "1a", "malformed"),
    (Rate("nowhere", 1, "1", NINE), "1a", "unknown_sample"),
    (Rate("s0\0", 1, "1", NINE), "1a", "bad_text"),
    (Rate("s0\ud800", 1, "1", NINE), "1a", "bad_text"),
    (Rate(["s0"], 1, "1", NINE), "1a", "bad_text"),
    (Rate("s0", 1, "1", Ratings(0, 3, 3)), "1a", "bad_rating"),
    (Rate("s0", 1, "1", Ratings(3, 4, 3)), "1a", "bad_rating"),
    (Rate("s0", 1, "1", Ratings(3, 3, 2.0)), "1a", "bad_rating"),
    (Rate("s0", 1, "1", Ratings(3, 3, True)), "1a", "bad_rating"),
    (Rate("s0", 1, "1", {"compliance": 3}), "1a", "bad_rating"),
    (Rate("s0", 1, "1", NINE), "mallory", "unknown_member"),
    (Rate("s0", 1, "1", NINE), "judge", "wrong_role"),
    (Rate("s0", 1, "1", NINE), "root", "wrong_role"),
    (Rate("s0", 1, "1", NINE), "protocol", "unknown_member"),
    (Draw("s0", 1, "1", (BOX,)), "1a", "wrong_step"),
    (Draw("s1", 1, "1", (Box(0, 0, 401, 20),)), "1a", "box_outside"),
    (Draw("s1", 1, "1", (Box(0, 0, 40.5, 20),)), "1a", "box_not_pixels"),
    (Draw("s1", 1, "1", (Box(5, 5, 5, 20),)), "1a", "box_empty"),
    (Draw("s1", 1, "1", ()), "1a", "no_box"),
    (Screen("s2", 1, "1", "yes"), "1a", "bad_verdict"),
    (Screen("s2", 1, "1", True, "x" * 20_001), "1a", "bad_text"),
    (Check("s2", 1, "correct"), "1a", "wrong_step"),
    (Check("s3", 1, "fine"), "1a", "bad_verdict"),
    (Check("s3", 1, "correct", ("a",)), "1a", "bad_verdict"),
    (Check("s3", 1, "corrected", ("a", "b")), "1a", "bad_verdict"),
    (Check("s3", 1, "corrected", ("a\0",)), "1a", "bad_text"),
    (Check("s3", 1, "correct"), "root", "wrong_role"),
    (Rate("s4", 1, "1", NINE), "1a", "already_voted"),
    (Draw("s4", 1, "1", (BOX,)), "1a", "closed"),
    (Withdraw("s4", "broken"), "root", "closed"),
    (Withdraw("s0", " "), "root", "bad_text"),
    (Withdraw("s0", "broken"), "1a", "wrong_role"),
    (Mark("s0", "m", "left", (BOX,)), "1a", "bad_verdict"),
    (Mark("s0", "m", "after", (Box(0, 0, 999, 9),)), "1a", "box_outside"),
    (Mark("s4", "m", "after", (BOX,)), "1a", "closed"),
    (Unmark("s0", "m"), "1a", "unknown_mark"),
    (Join("x", "annotator", "9"), "root", "wrong_group"),
    (Join("x", "annotator", ""), "root", "wrong_group"),
    (Join("x", "adjudicator", "1"), "root", "wrong_group"),
    (Join("x", "boss", "1"), "root", "wrong_role"),
    (Join("1a", "annotator", "2"), "root", "known_member"),
    (Join("protocol", "admin"), "root", "known_member"),
    (Join("x\n", "admin"), "root", "bad_text"),
    (Join("x", "admin"), "judge", "wrong_role"),
    (Leave("root"), "root", "wrong_role"),
    (Leave("x"), "root", "unknown_member"),
    (Open(), "root", "already_opened"),
    (Add((PoolSample("s0", "e", 10, 10),)), "root", "known_sample"),
    (Add((PoolSample("n", "e", 10, 10), PoolSample("n", "e", 10, 10))), "root", "known_sample"),
    (Add((PoolSample("n", "e", 0, 10),)), "root", "malformed"),
    (Add((PoolSample("n", "e", 10, 10.0),)), "root", "malformed"),
    (Add((PoolSample("", "e", 10, 10),)), "root", "bad_text"),
    (Add(("n",)), "root", "malformed"),
    (Add((PoolSample("n", "e", 10, 10),)), "1a", "wrong_role"),
]


@pytest.fixture(scope="module")
def mixed():
    """s0 in the pool, s1 at its boxes, s2 at its screening, s3 at its check, s4 rejected."""
    review = Review(5)
    for sample in ("s1", "s2", "s3"):
        review.score(sample)
    for sample in ("s2", "s3"):
        review.draw(sample)
    review.screen("s3")
    review.score("s4", (NINE, NINE, Ratings(1, 1, 1)))
    return review


@pytest.mark.parametrize(("command", "who", "reason"), FORGED)
def test_forged_and_late_commands(command, who, reason, mixed):
    assert mixed.refused(command, who) == reason


def test_a_second_vote_of_a_group_is_refused_whoever_gives_it():
    review = Review()
    review.must(Rate("s0", 1, "1", NINE), "1a")
    assert review.refused(Rate("s0", 1, "1", NINE), "1a") == "already_voted"
    assert review.refused(Rate("s0", 1, "1", Ratings(1, 1, 1)), "1b") == "already_voted"


def test_whoever_left_votes_no_more_and_may_come_back():
    review = Review()
    review.must(Rate("s0", 1, "1", NINE), "1a")
    review.must(Leave("1a"), "root")
    assert review.refused(Rate("s1", 1, "1", NINE), "1a") == "unknown_member"
    assert len(review.item().votes("score", 1)) == 1  # what they said stands
    assert review.refused(Join("1a", "annotator", "2"), "root") == "known_member"
    review.must(Join("1a", "annotator", "1"), "root")
    review.must(Rate("s1", 1, "1", NINE), "1a")


def test_withdrawn_is_an_end():
    review = Review()
    review.must(Withdraw("s0", "a name is on it"), "root")
    assert review.refused(Rate("s0", 1, "1", NINE), "1a") == "closed"
    assert funnel(review.state).places["withdrawn"] == 1


def test_nothing_before_it_is_opened():
    assert decide(EMPTY, Rate("s0", 1, "1", NINE), who="1a", now=at(0)).reason == "not_opened"
    for options in (Options(groups=("1",)), Options(groups=("1", "1")), Options(needed_total=10), Options(agreement=1.0),
                    Options(agreement=float("nan")), Options(rounds=0), Options(rescore="no"), Options(groups=("a ", "b"))):  # fmt: skip
        assert decide(EMPTY, Open(options), who="root", now=at(0)).reason == "bad_options"


def test_leases_keep_the_others_of_a_group_out_until_they_are_over():
    review = Review(2)
    options = review.state.study.options
    lease = new_lease(options, "s0", "group:1", "1a", at(0))
    held = {("s0", "group:1"): lease}
    assert next_for(review.state, "1a", at(1), held).id == "s0"
    assert next_for(review.state, "1b", at(1), held).id == "s1"
    assert next_for(review.state, "2a", at(1), held).id == "s0"
    assert next_for(review.state, "1b", at(30 * 60), held).id == "s0"
    assert next_for(review.state, "root", at(1)) is None
    assert next_for(review.state, "nobody", at(1)) is None
    assert review.refused(Rate("s0", 1, "1", NINE), "1b", lease) == "leased"
    review.must(Rate("s0", 1, "2", NINE), "2b")
    assert not isinstance(review.do(Rate("s0", 1, "1", NINE), "1a", lease), Refusal)
    over = Lease("s1", "group:1", "1a", "2026-11-16T09:00:00.000Z")
    assert not isinstance(review.do(Rate("s1", 1, "1", NINE), "1b", over), Refusal)


def test_a_sample_that_returns_goes_to_the_end_of_the_line():
    review = Review(2)
    for sample in ("s0", "s1"):
        review.score(sample)
    assert next_for(review.state, "1a", at(99)).id == "s0"
    review.draw(drawn=((BOX,), (OFF,), (Box(9, 9, 309, 49),)))
    assert next_for(review.state, "1a", at(99)).id == "s1"
    assert next_for(review.state, "1a", at(99), steps=["screen"]) is None


def test_marks():
    review = Review()
    review.must(Mark("s0", "m1", "after", (BOX,), "a ghost of the old text"), "1a")
    assert review.refused(Mark("s0", "m1", "before", (BOX,)), "2a") == "known_mark"
    assert review.refused(Unmark("s0", "m1"), "2a") == "unknown_mark"
    review.must(Unmark("s0", "m1"), "1a")
    assert review.refused(Unmark("s0", "m1"), "1a") == "unknown_mark"
    assert review.refused(Mark("s0", "m1", "after", (BOX,)), "1a") == "known_mark"
    review.must(Mark("s0", "m2", "after", (BOX,)), "1a")
    review.must(Withdraw("s0", "broken"), "root")
    assert review.refused(Unmark("s0", "m2"), "1a") == "closed"  # what has ended is not changed


def test_events_and_commands_are_json():
    review = conflict()
    review.must(Mark("s0", "m1", "after", (BOX,), "日本 <b>"), "1a")
    review.must(Adjudicate("s0", 1, "boxes", (OFF,), "the outer one"), "judge")
    review.must(StartPilot(("s1",)), "root")
    again = [event_from_json(event.to_json()) for event in review.log]
    assert again == review.log
    assert replay(again) == review.state
    for command, _, _ in FORGED:
        told = command_to_json(command)
        read = command_from_json(told)
        assert isinstance(read, Refusal) or command_to_json(read) == told


@pytest.mark.parametrize(
    "told",
    [None, [], {}, {"kind": []}, {"kind": "vote"}, {"kind": "rate"}, {"kind": "leave", "name": "a", "who": "b"}, {"kind": "add", "samples": [1]},
     {"kind": "draw", "sample": "s0", "round": 1, "group": "1", "boxes": 7}, {"kind": "rate", "sample": "s", "round": 1, "group": "1", "ratings": [3, 3, 3]}],
)  # fmt: skip
def test_what_is_no_command(told):
    assert command_from_json(told).reason == "malformed"


def test_every_prefix_replays():
    review = conflict()
    state = EMPTY
    for number, event in enumerate(review.log):
        state = apply(state, event)
        assert replay(review.log[: number + 1]) == state
        assert funnel(state).adds_up

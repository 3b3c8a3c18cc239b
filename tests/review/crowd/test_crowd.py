"""Fifteen people at once over HTTP, unlucky in all ways, and a server that is killed twice: no vote lost, none twice."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review import postgres
from tests.review.crowd.checks import check_all, check_outcome, check_votes
from tests.review.crowd.hosting import Hosted
from tests.review.crowd.people import Faults, Record
from tests.review.crowd.plan import PEOPLE, Plan
from tests.review.crowd.run import held, opened
from vdebench.review.store import Store

UNLUCKY = Faults(at_once=0.08, later=0.08, cut=0.08, impatient=0.05, rival=0.1, mark=0.05, look=0.05)


def review(place, folder, plan):
    invitation = opened(place, plan)
    with Hosted(place, folder) as hosted:
        ran = asyncio.run(held(hosted, plan, invitation, delay=0.01, faults=UNLUCKY, kills=(0.3, 0.7)))
        assert hosted.wrong() == ""
    with Store(place) as store:
        check_all(plan, ran.record, store, ran.log, ran.overview)
    happened = ran.record.happened
    assert min(happened[fault] for fault in ("at_once", "later", "cut", "impatient", "rival")) > 3
    assert happened["try without an answer"] > 10  # the kills hit people in the middle of their work
    assert ran.record.refused  # some lost a race
    assert set(ran.record.refused.values()) <= {"leased", "already_voted", "wrong_step", "wrong_round", "closed"}
    assert Counter(event["who"] for event in ran.log).keys() >= {*PEOPLE, "judge", "root", "protocol"}
    return ran


@pytest.mark.slow
def test_sqlite(tmp_path):
    review(tmp_path / "review.sqlite", tmp_path, Plan(60, seed=4, piloted=3))


@pytest.mark.slow
@pytest.mark.skipif(postgres.binaries() is None, reason="no PostgreSQL here")
def test_postgresql(tmp_path):
    pytest.importorskip("psycopg")
    with postgres.running() as url:
        review(url, tmp_path, Plan(60, seed=5, piloted=3))


def test_the_plan_comes_to_every_end():
    ends, reasons = Plan(400, seed=4, piloted=3).funnel()
    assert ends.keys() == {"passed", "rejected", "withdrawn"}
    assert reasons.keys() == {"low_score", "adjudicated", "screened_out", "misread"}
    assert max(fate.round for fate in Plan(400, seed=4).fates.values()) > 3  # an adjudicator said: again


VOTE = {"kind": "screen", "sample": "s", "round": 1, "group": "1", "yes": True, "note": ""}
EVENT = {"version": 1, "when": "t", "who": "1a", **VOTE, "kind": "screened"}


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ([], "lost"),
        ([EVENT, EVENT], "counted twice"),
        ([{**EVENT, "who": "1b"}], "lost"),
        ([EVENT, {**EVENT, "who": "1b"}], "sent by nobody"),
        ([EVENT, {**EVENT, "yes": False}], "sent by nobody"),
    ],
)
def test_the_checks_can_fail(log, says):
    record = Record(sent={"k": ("1a", VOTE)}, accepted={"k"})
    check_votes(record, [EVENT])
    with pytest.raises(AssertionError, match=says):
        check_votes(record, log)


def test_the_checks_of_the_outcome_can_fail():
    plan = Plan(30, seed=4)
    log = [
        {"version": 1, "who": f"{voter[-1]}a", "when": "t", **vote, "kind": kind}
        for fate in plan.fates.values()
        for (_, _, voter), vote in fate.votes.items()
        for kind in [
            {"rate": "rated", "draw": "drawn", "screen": "screened", "check": "checked"}.get(
                vote["kind"], "adjudicated"
            )
        ]
    ]
    check_outcome(plan, log)
    with pytest.raises(AssertionError, match="two votes"):
        check_outcome(plan, [*log, log[0]])
    with pytest.raises(AssertionError, match="expected"):
        check_outcome(plan, log[1:])
    changed = json.loads(json.dumps(log))
    changed[0]["ratings"]["compliance"] = 1
    with pytest.raises(AssertionError, match="expected"):
        check_outcome(plan, changed)

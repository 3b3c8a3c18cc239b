"""Blindness over HTTP: two reviews that differ only in what others say in open steps look the same to everybody."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from urllib.parse import quote

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import opened_site
from vdebench.core.box import Box
from vdebench.review.commands import Mark, StartPilot
from vdebench.review.ratings import Ratings
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen

OTHERS = ("judge", "cyn3", "ann1")
"""Who looks; bob2 is the one who says something else."""


@pytest.fixture(scope="module")
def two(attacked_workspace, tmp_path_factory):
    """The same review twice."""
    tmp_path = tmp_path_factory.mktemp("two")
    with ExitStack() as stack:
        sites = []
        for name in ("one", "other"):
            folder = tmp_path / name
            shutil.copytree(attacked_workspace, folder, ignore=shutil.ignore_patterns("*.sqlite*"))
            sites.append(stack.enter_context(opened_site(folder, tmp_path / f"{name}.sqlite")))
        yield sites


def everything(site, who):
    """All that somebody can be told, by all that can be asked for; without what is random in any case."""
    browser = site.browser(who)
    paths = ["/api/me", "/api/progress", "/api/conflicts", "/api/admin/overview", "/api/admin/events.jsonl"]
    paths += [f"/api/samples?which={which}" for which in ("todo", "mine", "all")]
    paths += [
        f"/api/samples?which=all&step={step}" for step in ("score", "boxes", "screen", "ocr", "conflict", "rejected")
    ]
    paths += [f"/api/sample?id={quote(id, safe='')}" for id in site.ids]
    paths += [
        f"/api/image?id={quote(id, safe='')}&which={which}" for id in site.ids for which in ("after", "reference")
    ]
    paths += ["/api/admin/agreement", "/api/admin/rounds", "/api/admin/ratings.csv", "/"]
    answers = [browser.get(path) for path in paths]
    asked = [
        browser.post("/api/hold", {"id": site.at["score"]}),
        browser.post("/api/release", {"id": site.at["score"]}),
        browser.command("screen", sample=site.at["screen"], round=2, group="3", yes=True),
        browser.command("draw", sample=site.at["score"], round=1, group="3", boxes=[[1, 1, 9, 9]]),
        browser.command("mark", sample=site.at["score"], mark="m-of-bob", side="up", boxes=[], note=""),
    ]
    return [(answer.status_code, _without_moments(answer), answer.headers.get("etag")) for answer in (*answers, *asked)]


def _without_moments(answer):
    if answer.headers.get("content-type") != "application/json":
        return answer.content

    def plain(value):
        if isinstance(value, dict):
            left_out = ("csrf", "when", "until", "last", "lease")
            return {name: plain(each) for name, each in value.items() if name not in left_out}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return json.dumps(plain(answer.json()))


def test_what_others_say_in_an_open_step_cannot_be_seen(two):
    one, other = two
    for site, (ratings, box, yes, note) in (
        (one, (Ratings(3, 3, 3), Box(5, 5, 25, 15), True, "")),
        (other, (Ratings(1, 2, 1), Box(6, 7, 38, 19), False, "never")),
    ):
        site.do(Rate(site.at["score"], 1, "2", ratings), "bob2")
        site.do(Draw(site.at["boxes"], 1, "2", (box,)), "bob2")
        site.do(Screen(site.at["screen"], 1, "2", yes, note), "bob2")
        site.do(Mark(site.at["score"], "m-of-bob", "after", (box,), note), "bob2")
    assert one.dump()["events"] != other.dump()["events"]
    for who in OTHERS:
        for before, after in zip(everything(one, who), everything(other, who), strict=True):
            assert before == after, who
    assert everything(one, "bob2") != everything(other, "bob2")  # who sees his own votes
    for site in two:  # the last vote of the step: now it is over, and may be seen
        site.do(Rate(site.at["score"], 1, "3", Ratings(3, 3, 3)), "cyn3")
    assert everything(one, "ann1") != everything(other, "ann1")


def test_what_others_say_in_the_pilot_cannot_be_seen(two):
    fresh = two[0].ids[6:8]
    for site in two:
        site.do(StartPilot(tuple(fresh)), "root")
    known = {who: differing(*two, who) for who in OTHERS}  # what the test before has left, if it was run
    for site, ratings in zip(two, (Ratings(3, 3, 3), Ratings(1, 1, 2)), strict=True):
        site.do(RatePilot(fresh[0], 1, ratings), "bob2")
    assert {who: differing(*two, who) for who in OTHERS} == known
    assert len(differing(*two, "bob2")) > len(known["ann1"])


def differing(one, other, who):
    """Which answers differ between two reviews."""
    both = enumerate(zip(everything(one, who), everything(other, who), strict=True))
    return [number for number, (before, after) in both if before != after]

"""Votes that are not one's own: for others, on what is not there, out of turn. All refused, and nothing changes."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import fresh_key, told

NINE = {"compliance": 3, "authenticity": 3, "satisfaction": 3}
BOX = [[5, 5, 25, 15]]


def rate(site, **other):
    return {"kind": "rate", "sample": site.at["score"], "round": 1, "group": "2", "ratings": NINE, **other}


def sent(site, who, command):
    return site.browser(who).post("/api/commands", {"key": fresh_key(), "command": command})


@pytest.mark.parametrize(
    ("who", "other", "status", "error"),
    [
        ("bob2", {"group": "1"}, 409, "wrong_group"),
        ("bob2", {"group": "3"}, 409, "wrong_group"),
        ("bob2", {"group": "4"}, 409, "wrong_group"),
        ("bob2", {"group": ""}, 409, "bad_text"),
        ("bob2", {"group": ["2"]}, 409, "bad_text"),
        ("ann1", {"group": "1"}, 409, "already_voted"),
        ("amy1", {"group": "1"}, 409, "already_voted"),
        ("judge", {"group": ""}, 409, ""),
        ("judge", {"group": "2"}, 409, "wrong_role"),
        ("root", {"group": "2"}, 409, "wrong_role"),
        ("bob2", {"who": "cyn3"}, 400, "malformed"),
        ("bob2", {"name": "cyn3"}, 400, "malformed"),
        ("bob2", {"sample": "nobody-9"}, 404, "unknown_sample"),
        ("bob2", {"sample": ""}, 409, "bad_text"),
        ("bob2", {"sample": 7}, 409, "bad_text"),
        ("bob2", {"sample": None}, 409, "bad_text"),
        ("bob2", {"round": 2}, 409, "wrong_round"),
        ("bob2", {"round": 0}, 409, "wrong_round"),
        ("bob2", {"round": -1}, 409, "wrong_round"),
        ("bob2", {"round": 2**53}, 409, "wrong_round"),
        ("bob2", {"round": 1.0}, 400, "malformed"),
        ("bob2", {"round": "1"}, 400, "malformed"),
        ("bob2", {"round": True}, 400, "malformed"),
        ("bob2", {"round": None}, 400, "malformed"),
        ("bob2", {"ratings": {**NINE, "satisfaction": 4}}, 409, "bad_rating"),
        ("bob2", {"ratings": {**NINE, "satisfaction": True}}, 409, "bad_rating"),
        ("bob2", {"ratings": {**NINE, "more": 3}}, 400, "malformed"),
        ("bob2", {"ratings": 9}, 400, "malformed"),
        ("bob2", {"ratings": [3, 3, 3]}, 400, "malformed"),
        ("bob2", {"kind": "rate_pilot"}, 400, "malformed"),
        ("bob2", {"kind": "Rate"}, 400, "malformed"),
        ("bob2", {"kind": ["rate"]}, 400, "malformed"),
        ("bob2", {"kind": "__class__"}, 400, "malformed"),
    ],
)  # fmt: skip
def test_a_score_that_is_not_ones_own(unchanged, who, other, status, error):
    told(sent(unchanged, who, rate(unchanged, **other)), status, error)


@pytest.mark.parametrize("step", ["boxes", "screen", "ocr", "conflict", "passed"])
def test_a_sample_of_another_step(unchanged, step):
    error = "closed" if step == "passed" else "wrong_step"
    told(sent(unchanged, "bob2", rate(unchanged, sample=unchanged.at[step], round=2)), 409)
    told(
        sent(unchanged, "amy1", {"kind": "rate_pilot", "sample": unchanged.at[step], "round": 1, "ratings": NINE}), 409
    )
    for kind, more in (("screen", {"yes": True}), ("draw", {"boxes": BOX})):
        if kind != {"boxes": "draw"}.get(step, step):
            command = {"kind": kind, "sample": unchanged.at[step], "round": 1, "group": "2", **more}
            assert told(sent(unchanged, "bob2", command), 409)["error"] in (error, "already_voted")


def test_what_only_others_may(unchanged):
    site, sample = unchanged, unchanged.at["conflict"]
    ruling = {"kind": "adjudicate", "sample": sample, "round": 1, "verdict": "reject", "boxes": [], "note": ""}
    told(sent(site, "ann1", ruling), 409, "wrong_role")
    for who in ("ann1", "judge"):
        told(sent(site, who, {"kind": "withdraw", "sample": sample, "reason": "mine"}), 409, "wrong_role")
        told(sent(site, who, {"kind": "leave", "name": "root"}), 409, "wrong_role")
        told(sent(site, who, {"kind": "start_pilot", "samples": [site.at["score"]]}), 409, "wrong_role")
        told(sent(site, who, {"kind": "end_pilot"}), 409, "wrong_role")
    told(sent(site, "root", {"kind": "leave", "name": "root"}), 409, "wrong_role")  # the only admin
    for who in ("ann1", "root"):
        told(sent(site, who, {"kind": "join", "name": "mallory", "role": "admin"}), 403, "forbidden")
        told(sent(site, who, {"kind": "open"}), 403, "forbidden")
        added = {"sample": "mine", "edit": "0", "width": 9, "height": 9}
        told(sent(site, who, {"kind": "add", "samples": [added]}), 403, "forbidden")


@pytest.mark.parametrize(
    ("boxes", "error"),
    [
        ([], "no_box"),
        ([[0, 0, 10**6, 10]], "box_outside"),
        ([[-1, 0, 10, 10]], "box_outside"),
        ([[5, 5, 5, 9]], "box_empty"),
        ([[9, 9, 5, 5]], "box_empty"),
        ([[0.5, 0, 10, 10]], "box_not_pixels"),
        ([["0", 0, 10, 10]], "box_not_pixels"),
        ([[True, 0, 10, 10]], "box_not_pixels"),
        ([[1, 2, 3]], "box_not_pixels"),
        ([[None] * 4], "box_not_pixels"),
        ([{"x": 1}], "box_not_pixels"),
        ([[1, 2, 30, 40]] * 2, "box_twice"),
        ([[0, 0, 10, 1 + number] for number in range(101)], "too_many_boxes"),
        ("all", "malformed"),
        ({"0": 1}, "malformed"),
    ],
)
def test_boxes_that_are_none(unchanged, boxes, error):
    command = {"kind": "draw", "sample": unchanged.at["boxes"], "round": 1, "group": "2", "boxes": boxes}
    assert told(sent(unchanged, "bob2", command), 400 if error == "malformed" else 409)["error"] == error


@pytest.mark.parametrize(
    "key", ["", "short", "x" * 65, "with space-0000000", "a" * 15 + "\n", "../../../../../../x", "\0" * 16, "é" * 16, 16, None, ["a" * 16]]
)  # fmt: skip
def test_keys_that_are_none(unchanged, key):
    body = {"key": key, "command": rate(unchanged)}
    told(unchanged.browser("bob2").post("/api/commands", body), 400, "malformed")


def test_another_command_under_a_key_that_was_used(site):
    anna, key = site.browser("ann1"), fresh_key()
    mark = {"sample": site.at["boxes"], "mark": key, "side": "after", "boxes": BOX, "note": ""}
    assert anna.command("mark", key, **mark).status_code == 200
    with site.unchanged():
        assert anna.command("mark", key, **mark).json() == anna.command("mark", key, **mark).json()
        told(anna.command("mark", key, **{**mark, "note": "other"}), 409, "key_reused")
        told(site.browser("bob2").command("mark", key, **mark), 409, "known_mark")  # another's key is no key of mine
        told(site.browser("bob2").command("unmark", sample=mark["sample"], mark=key), 409, "unknown_mark")


def test_what_somebody_else_holds(site):
    anna, amy, sample = site.browser("ann1"), site.browser("amy1"), site.at["boxes"]
    assert anna.post("/api/hold", {"id": sample}).status_code == 200
    with site.unchanged():
        told(amy.post("/api/hold", {"id": sample}), 409, "leased")
        told(
            sent(site, "amy1", {"kind": "draw", "sample": sample, "round": 1, "group": "1", "boxes": BOX}),
            409,
            "leased",
        )
        assert amy.post("/api/release", {"id": sample}).status_code == 204  # it is not hers to let go
    assert anna.post("/api/release", {"id": sample}).status_code == 204

"""What admins see and do."""

from __future__ import annotations

import csv
import json

import pytest

from tests.review.server.serving import NINE, PEOPLE, through_boxes
from vdebench.errors import TooLargeError
from vdebench.review.events import event_from_json
from vdebench.review.state import replay

PNG = {"Content-Type": "image/png"}


def test_overview(site):
    through_boxes(site)
    root = site.signed_in("root")
    told = root.get("/api/admin/overview").json()
    assert told["funnel"] == site.store.funnel().to_json()
    assert told["through"] == {"score": 1, "boxes": 1, "screen": 0, "ocr": 0}
    assert told["rounds"] == {"1": 4}
    members = {each["name"]: each for each in told["members"]}
    assert members.keys() == PEOPLE.keys()
    assert members["anna1"] == {
        "name": "anna1",
        "role": "annotator",
        "group": "1",
        "active": True,
        "votes": {"score": 1, "boxes": 1},
        "last": "2026-11-16T09:00:00.000Z",
    }
    assert members["ben1"]["votes"] == {}
    assert {each["used_by"] for each in told["invitations"]} == set(PEOPLE)
    assert told["invitations"][0].keys() == {"id", "role", "group", "name", "by", "until", "used_by"}
    root.must("leave", name="ben1")
    again = root.get("/api/admin/overview").json()
    assert [each["active"] for each in again["members"] if each["name"] == "ben1"] == [False]


def test_agreement(site):
    root = site.signed_in("root")
    assert root.get("/api/admin/agreement?of=pilot").json() == {"of": "pilot", "scales": {}}
    root.must("start_pilot", samples=["s0", "s1", "s2"])
    for name in ("anna1", "ben1", "cora2", "eve3"):
        for sample in ("s0", "s1", "s2"):
            ratings = {**NINE, "compliance": 1 + int(sample[1])}
            site.signed_in(name).must("rate_pilot", sample=sample, round=1, ratings=ratings)
    assert root.get("/api/admin/agreement?of=pilot").json()["scales"] == {}  # not before it has ended
    root.must("end_pilot")
    found = root.get("/api/admin/agreement?of=pilot").json()["scales"]
    assert len(found) == 3
    agreed = found["instruction compliance"]
    assert (agreed["alpha"], agreed["percent"], agreed["units"]) == (1.0, 1.0, 3)
    assert agreed["fleiss"] == pytest.approx(1.0)
    assert [each["window"] for each in agreed["day"]] == ["2026-11-16"]
    assert found["subjective satisfaction"]["alpha"] is None
    assert root.get("/api/admin/agreement?of=none").status_code == 400


def test_agreement_is_computed_once_for_each_state(site, monkeypatch):
    from vdebench.review.server import admin

    computed = []
    real = admin._agreement
    monkeypatch.setattr(admin, "_agreement", lambda state, of: computed.append(of) or real(state, of))
    root = site.signed_in("root")
    for _ in range(3):
        root.get("/api/admin/agreement?of=pool")
    assert computed == ["pool"]
    through_boxes(site)
    assert root.get("/api/admin/agreement?of=pool").json()["scales"]
    assert computed == ["pool", "pool"]


def test_downloads(site):
    through_boxes(site)
    root = site.signed_in("root")
    answer = root.get("/api/admin/events.jsonl")
    assert answer.headers["content-disposition"] == 'attachment; filename="events.jsonl"'
    state = replay(event_from_json(json.loads(line)) for line in answer.text.splitlines())
    assert state == site.store.state()
    table = root.get("/api/admin/ratings.csv?of=pool")
    rows = list(csv.DictReader(table.text.splitlines()))
    assert table.headers["content-type"].startswith("text/csv")
    assert (len(rows), rows[0]["rater"], rows[0]["value"]) == (9, "group 1", "3")


def test_an_edit_made_elsewhere(site):
    root = site.signed_in("root")
    assert root.post("/api/admin/upload?id=new", content=b"an image", headers=PNG).json() == {
        "accepted": True,
        "sample": "new",
    }
    assert site.store.view("root", "new").step == "score"
    again = root.post("/api/admin/upload?id=new", content=b"an image", headers=PNG)
    assert (again.status_code, again.json()["error"]) == (409, "known_sample")


def test_uploads_that_are_none(site, monkeypatch):
    root = site.signed_in("root")
    before = site.events()
    for id in ("none", "../new", "new%00", "%ff"):
        assert root.post(f"/api/admin/upload?id={id}", content=b"an image", headers=PNG).status_code == 404
    for kind in ("image/gif", "application/json", "image/svg+xml", ""):
        answer = root.post("/api/admin/upload?id=new", content=b"{}", headers={"Content-Type": kind})
        assert answer.status_code == 415
    broken = root.post("/api/admin/upload?id=new", content=b"broken", headers=PNG)
    assert (broken.status_code, broken.json()["error"]) == (400, "bad_image")

    def huge(*_):
        raise TooLargeError("30,000 pixels wide")

    monkeypatch.setattr(site.pool, "upload", huge)
    large = root.post("/api/admin/upload?id=new", content=b"an image", headers=PNG)
    assert (large.status_code, large.json()["error"]) == (413, "too_large")
    assert site.events() == before


def test_uploads_are_counted_while_they_come(make_site):
    site = make_site(largest_upload=400_000)
    root = site.signed_in("root")

    def pieces(number):
        for _ in range(number):
            yield b"x" * 100_000

    assert root.post("/api/admin/upload?id=new", content=pieces(5), headers=PNG).status_code == 413
    assert root.post("/api/admin/upload?id=new", content=pieces(4), headers=PNG).status_code == 200


def test_the_only_admin_stays(site):
    answer = site.signed_in("root").tell("leave", name="root")
    assert (answer.status_code, answer.json()["error"]) == (409, "wrong_role")


def test_the_replay_is_kept_and_brought_up_to_date(site, monkeypatch):
    replayed = site.context.replayed
    assert replayed.state()[1] == site.store.state()
    asked = []
    real = replayed._after
    monkeypatch.setattr(replayed, "_after", lambda connection, number: asked.append(number) or real(connection, number))
    count = replayed.state()[0]
    assert asked == []
    through_boxes(site)
    assert replayed.state() == (site.events(), site.store.state())
    assert asked == [count]
    replayed._kept = (count - 1, *replayed._kept[1:])  # as where a lower number was seen later than a higher one
    assert replayed.state() == (site.events(), site.store.state())

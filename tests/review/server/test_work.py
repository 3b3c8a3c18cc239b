"""What people do all day: taking, looking, voting; blind until all is over."""

from __future__ import annotations

from tests.review.server.serving import NINE, through_boxes

BOX = [10, 10, 310, 50]
FOR_THREE = ("anna1", "cora2", "eve3")


def test_me(site):
    me = site.signed_in("anna1").get("/api/me").json()
    assert me["options"] == {
        "groups": ["1", "2", "3"],
        "needed_total": 9,
        "agreement": 0.95,
        "rounds": 3,
        "rescore": False,
        "lease_minutes": 30,
    }
    assert me["pilot"] == {"open": False, "round": 0, "samples": 0}
    assert me["steps"]["score"] == {"waiting": 4, "mine": 0}
    assert me["steps"].keys() == {"pilot", "score", "boxes", "screen", "ocr", "conflict"}


def test_take_and_vote(site):
    anna, ben = site.signed_in("anna1"), site.signed_in("ben1")
    taken = anna.post("/api/take", json={}).json()
    assert (taken["sample"], taken["step"], taken["voter"], taken["asked"]) == ("s0", "score", "group:1", True)
    assert taken["lease"] == {"until": "2026-11-16T09:30:00.000Z"}
    assert taken["about"] == {"instruction": "change s0"}
    assert taken["images"]["reference"] is None
    assert anna.post("/api/take", json={}).json()["sample"] == "s0"
    assert ben.post("/api/take", json={}).json()["sample"] == "s1"
    assert ben.get("/api/sample?id=s0").json()["lease"] is None
    leased = ben.tell("rate", sample="s0", round=1, group="1", ratings=NINE)
    assert (leased.status_code, leased.json()["error"]) == (409, "leased")
    voted = anna.must("rate", sample="s0", round=1, group="1", ratings=NINE)
    assert voted["accepted"]
    assert (voted["sample"]["asked"], voted["sample"]["voter"], voted["sample"]["lease"]) == (False, None, None)
    assert [vote["who"] for vote in voted["sample"]["votes"]] == ["anna1"]
    twice = ben.tell("rate", sample="s0", round=1, group="1", ratings=NINE)
    assert (twice.status_code, twice.json()["error"]) == (409, "already_voted")
    assert anna.get("/api/me").json()["steps"]["score"] == {"waiting": 3, "mine": 1}


def test_steps_that_are_asked_for(site):
    anna = site.signed_in("anna1")
    assert anna.post("/api/take", json={"steps": ["boxes", "ocr"]}).status_code == 204
    assert anna.post("/api/take", json={"steps": ["score"]}).status_code == 200
    assert anna.post("/api/take", json={"steps": []}).status_code == 204
    for steps in ("score", ["none"], [1], [["score"]], {"score": 1}):
        assert anna.post("/api/take", json={"steps": steps}).status_code == 400
    assert site.signed_in("judy").post("/api/take", json={}).status_code == 204


def test_sent_twice_counts_once(site):
    anna = site.signed_in("anna1")
    vote = {"sample": "s0", "round": 1, "group": "1", "ratings": NINE}
    first, second = (anna.tell("rate", key="the-key-of-this-vote", **vote) for _ in range(2))
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert first.status_code == 200
    other = anna.tell("rate", key="the-key-of-this-vote", **{**vote, "ratings": {**NINE, "compliance": 1}})
    assert (other.status_code, other.json()["error"]) == (409, "key_reused")
    assert len(site.store.state().items["s0"].votes("score", 1)) == 1


def test_hold_and_release(site):
    anna, ben = site.signed_in("anna1"), site.signed_in("ben1")
    held = anna.post("/api/hold", json={"id": "s2"})
    assert held.json() == {"until": "2026-11-16T09:30:00.000Z"}
    kept = ben.post("/api/hold", json={"id": "s2"})
    assert (kept.status_code, kept.json()["error"]) == (409, "leased")
    site.clock.go(60)
    assert anna.post("/api/hold", json={"id": "s2"}).json() == {"until": "2026-11-16T09:31:00.000Z"}
    assert anna.get("/api/sample?id=s2").json()["lease"] == {"until": "2026-11-16T09:31:00.000Z"}
    assert ben.post("/api/release", json={"id": "s2"}).status_code == 204  # not theirs to let go
    assert ben.post("/api/hold", json={"id": "s2"}).status_code == 409
    assert anna.post("/api/release", json={"id": "s2"}).status_code == 204
    assert ben.post("/api/hold", json={"id": "s2"}).status_code == 200
    assert anna.post("/api/hold", json={"id": "none"}).status_code == 404


def test_nobody_sees_what_others_said(site):
    anna, cora = site.signed_in("anna1"), site.signed_in("cora2")
    anna.must("rate", sample="s0", round=1, group="1", ratings={**NINE, "compliance": 1})
    anna.must("mark", sample="s0", mark="m1", side="after", boxes=[BOX], note="a smear")
    for name in ("cora2", "ben1", "judy", "root"):
        seen = site.signed_in(name).get("/api/sample?id=s0").json()
        assert (seen["votes"], seen["marks"]) == ([], []), name
    assert len(anna.get("/api/sample?id=s0").json()["marks"]) == 1
    voted = cora.must("rate", sample="s0", round=1, group="2", ratings=NINE)
    assert [vote["who"] for vote in voted["sample"]["votes"]] == ["cora2"]
    ended = site.signed_in("eve3").must("rate", sample="s0", round=1, group="3", ratings=NINE)
    assert ended["sample"]["step"] == "rejected"
    assert len(ended["sample"]["votes"]) == 3


def test_lists(site):
    anna = site.signed_in("anna1")
    for sample in ("s2", "s0"):
        anna.must("rate", sample=sample, round=1, group="1", ratings=NINE)

    def listed(browser=anna, **query):
        found = browser.get("/api/samples", params=query).json()
        return dict(zip(found["ids"], found["steps"], strict=True))

    assert list(listed(which="todo").items()) == [("s1", "score"), ("s3", "score")]
    assert list(listed(which="mine")) == ["s0", "s2"]
    assert list(listed(which="mine", step="boxes")) == []
    assert list(listed(which="all")) == ["s0", "s1", "s2", "s3"]
    assert listed(which="all", step="passed") == {}
    assert list(listed(browser=site.signed_in("root"), which="unvoted")) == ["s1", "s3"]  # what a pilot can have
    assert anna.get("/api/samples", params={"which": "unvoted"}).status_code == 403
    assert listed(browser=site.signed_in("judy"), which="todo") == {}
    for query in ({"which": "theirs"}, {"which": "all", "step": "none"}):
        assert anna.get("/api/samples", params=query).status_code == 400
    site.signed_in("root").must("start_pilot", samples=["s1"])
    assert listed(which="all") == {"s0": "score", "s1": "pilot", "s2": "score", "s3": "score"}
    assert listed(which="todo") == {"s1": "pilot"}


def test_progress(site):
    through_boxes(site)
    site.signed_in("anna1").must("rate", sample="s1", round=1, group="1", ratings=NINE)
    told = site.signed_in("ben1").get("/api/progress").json()
    assert told["groups"]["1"] == {
        "score": {"done": 2, "waiting": 2},
        "boxes": {"done": 1, "waiting": 0},
        "screen": {"done": 0, "waiting": 1},
    }
    assert told["groups"]["2"]["score"] == {"done": 1, "waiting": 3}
    assert (told["ocr"], told["conflict"], told["pilot"]) == ({"done": 0, "waiting": 0},) * 3
    assert told["total"] == 4
    assert told["funnel"] == site.store.funnel().to_json()


def test_progress_of_a_pilot(site):
    root = site.signed_in("root")
    root.must("start_pilot", samples=["s0", "s1"])
    anna = site.signed_in("anna1")
    anna.must("rate_pilot", sample="s0", round=1, ratings=NINE)
    assert anna.get("/api/progress").json()["pilot"] == {"done": 1, "waiting": 7}
    assert anna.get("/api/me").json()["steps"]["pilot"] == {"waiting": 1, "mine": 1}
    assert anna.get("/api/me").json()["pilot"] == {"open": True, "round": 1, "samples": 2}
    root.must("end_pilot")
    root.must("start_pilot", samples=["s2"])
    assert anna.get("/api/progress").json()["pilot"] == {"done": 0, "waiting": 4}


def test_to_the_end(site):
    through_boxes(site)
    anna, root = site.signed_in("anna1"), site.signed_in("root")
    seen = anna.get("/api/sample?id=s0").json()
    assert (seen["step"], seen["boxes"], seen["ready"], seen["readings"]) == ("screen", [BOX], True, None)
    for name in FOR_THREE:
        site.signed_in(name).must("screen", sample="s0", round=1, group=name[-1], yes=True)
    seen = anna.get("/api/sample?id=s0").json()
    assert (seen["step"], seen["ready"], seen["readings"], seen["voter"]) == ("ocr", False, None, "person")
    site.pool.read["s0"] = ["read"]
    seen = anna.get("/api/sample?id=s0").json()
    assert (seen["ready"], seen["readings"]) == (True, ["read"])
    assert root.get("/api/sample?id=s0").json()["readings"] == ["read"]
    unclear = anna.tell("check", sample="s0", round=1, verdict="corrected", texts=["unclear"])
    assert (unclear.status_code, unclear.json()["words"]) == (409, "it stands on the page twice")
    anna.must("check", sample="s0", round=1, verdict="corrected", texts=["clear"])
    assert anna.get("/api/sample?id=s0").json()["step"] == "passed"


def test_readings_are_not_shown_before_the_check(site):
    through_boxes(site)
    site.pool.read["s0"] = ["read"]
    assert site.signed_in("anna1").get("/api/sample?id=s0").json()["readings"] is None
    assert site.signed_in("judy").get("/api/sample?id=s0").json()["readings"] == ["read"]


def test_a_conflict(site):
    for name in FOR_THREE:
        site.signed_in(name).must("rate", sample="s0", round=1, group=name[-1], ratings=NINE)
    for round in (1, 2, 3):
        for name in FOR_THREE:
            box = [0, 0, 30, 30 + 10 * int(name[-1])]
            site.signed_in(name).must("draw", sample="s0", round=round, group=name[-1], boxes=[box])
    judy = site.signed_in("judy")
    assert judy.get("/api/conflicts").json() == {"ids": ["s0"]}
    assert judy.post("/api/take", json={}).json()["sample"] == "s0"
    assert len(judy.get("/api/sample?id=s0").json()["votes"]) == 12
    back = site.signed_in("root").get("/api/admin/rounds").json()
    assert [(each["id"], each["round"], len(each["agreements"]), each["step"]) for each in back] == [
        ("s0", 3, 3, "conflict")
    ]
    judy.must("adjudicate", sample="s0", round=3, verdict="boxes", boxes=[BOX])
    assert judy.get("/api/conflicts").json() == {"ids": []}


def test_a_vote_counts_whatever_has_become_of_the_workspace(site, monkeypatch):
    def gone(sample):
        raise KeyError(sample)

    monkeypatch.setattr(site.pool, "about", gone)
    anna = site.signed_in("anna1")
    assert not anna.post("/api/take", json={}).json()["ready"]
    voted = anna.must("rate", sample="s0", round=1, group="1", ratings=NINE)["sample"]
    assert (voted["sample"], voted["about"], voted["ready"]) == ("s0", {}, False)
    assert anna.post("/api/take", json={}).json()["sample"] == "s1"


def test_words_of_people_come_back_as_they_were(site):
    anna = site.signed_in("anna1")
    note = "<script>alert(1)</script>'; DROP TABLE events; -- \u202e 基金"
    anna.must("mark", sample="s0", mark="m1", side="before", boxes=[BOX], note=note)
    answer = anna.get("/api/sample?id=s0")
    assert answer.json()["marks"][0]["note"] == note
    assert answer.headers["content-type"] == "application/json"

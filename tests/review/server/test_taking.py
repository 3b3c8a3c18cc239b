"""What is still being read: nobody is kept at it while something else waits, and nobody approves it unseen."""

from __future__ import annotations

import pytest

from tests.review.server.serving import NINE, through_boxes

pytest.importorskip("sqlalchemy")

FOR_THREE = ("anna1", "cora2", "eve3")


def to_the_check(site, sample):
    through_boxes(site, sample)
    for name in FOR_THREE:
        site.signed_in(name).must("screen", sample=sample, round=1, group=name[-1], yes=True)


def take(browser, **body):
    return browser.post("/api/take", json=body).json()


def test_what_is_not_ready_is_passed_over(site):
    to_the_check(site, "s0")
    site.clock.go(60)
    anna, ben = site.signed_in("anna1"), site.signed_in("ben1")
    for sample in ("s1", "s2"):
        got = take(anna)
        assert (got["sample"], got["step"], got["ready"]) == (sample, "score", True)
        anna.must("rate", sample=sample, round=1, group="1", ratings=NINE)
    assert anna.post("/api/hold", json={"id": "s0"}).status_code == 200  # opened by hand: it does not come back
    assert take(anna)["sample"] == "s3"
    assert ben.post("/api/hold", json={"id": "s0"}).status_code == 200  # … and is kept from nobody
    ben.post("/api/release", json={"id": "s0"})
    anna.must("rate", sample="s3", round=1, group="1", ratings=NINE)
    got = take(anna)
    assert (got["sample"], got["step"], got["ready"]) == ("s0", "ocr", False)  # nothing else waits
    assert got["lease"] is not None
    site.pool.read["s0"] = ["read"]
    site.clock.go(60)
    assert take(anna)["ready"]


def test_that_it_is_not_ready_is_found_out_once(site, monkeypatch):
    to_the_check(site, "s0")
    anna, ben, asked = site.signed_in("anna1"), site.signed_in("ben1"), []
    monkeypatch.setattr(site.pool, "readings", lambda sample, boxes: asked.append(sample))
    assert (take(anna)["sample"], take(ben)["sample"]) == ("s1", "s2")
    assert asked == ["s0"]
    site.pool.readings = lambda sample, boxes: ["read"]
    site.clock.go(3)
    anna.post("/api/release", json={"id": "s1"})
    assert take(anna, steps=["ocr"])["sample"] == "s0"  # it is looked for again soon


def test_many_that_are_not_ready_keep_nobody_from_other_work(site, monkeypatch):
    from vdebench.review.server import next_sample as taking

    monkeypatch.setattr(taking, "MOST_TRIED", 1)
    for sample in ("s0", "s1"):
        to_the_check(site, sample)
    site.clock.go(60)
    anna = site.signed_in("anna1")
    assert take(anna)["sample"] == "s2"
    assert take(anna, steps=["ocr"])["sample"] == "s0"


@pytest.mark.parametrize("verdict", [{"verdict": "correct"}, {"verdict": "corrected", "texts": ["clear"]}])
def test_nobody_approves_what_was_not_read(site, verdict):
    to_the_check(site, "s0")
    anna = site.signed_in("anna1")
    vote = {"sample": "s0", "round": 1, "key": "the-key-of-this-check", **verdict}
    unread = anna.tell("check", **vote)
    assert (unread.status_code, unread.json()["words"]) == (409, "its regions have not been read yet")
    site.pool.read["s0"] = ["read"]
    first = anna.tell("check", **vote)
    assert first.status_code == 200
    site.pool.read.clear()  # whatever has become of them: a vote that came before is answered as before
    assert anna.tell("check", **vote).status_code == 200


def test_what_cannot_be_read_can_be_called_wrong(site):
    to_the_check(site, "s0")
    voted = site.signed_in("anna1").must("check", sample="s0", round=1, verdict="wrong")
    assert voted["sample"]["step"] == "rejected"


def test_annotators_are_not_told_whose_edit_it_is(site, monkeypatch):
    monkeypatch.setattr(site.pool, "about", lambda sample: {"instruction": "change it", "editor": "model 7"})
    anna = site.signed_in("anna1")
    assert take(anna)["about"] == {"instruction": "change it"}
    assert "model 7" not in anna.get("/api/sample?id=s0").text
    assert "model 7" not in anna.tell("rate", sample="s0", round=1, group="1", ratings=NINE).text
    for name in ("judy", "root"):
        assert site.signed_in(name).get("/api/sample?id=s0").json()["about"]["editor"] == "model 7"

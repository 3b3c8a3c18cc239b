"""What is sent where text or JSON is expected: paths, SQL, HTML, odd characters, bodies that are too large or no JSON."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import ODD, fresh_key, raw, told

PATHS = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%252e%252e%252f%252e%252e%252fetc%252fpasswd",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "..\\..\\..\\windows\\win.ini",
    "C:\\windows\\win.ini",
    "index.html\0.png",
    "....//....//etc/passwd",
    "a" * 5000,
    "..",
    ".",
    "",
    "~root/.ssh/id_rsa",
    "%c0%ae%c0%ae/etc/passwd",
]
SQL = ["' OR '1'='1", "'; DROP TABLE events; --", '" OR ""="', "1); DELETE FROM accounts; --", "%' UNION SELECT password FROM accounts --", "\\'; SELECT pg_sleep(5) --"]  # fmt: skip
TEXTS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "a\u200b\u200db\ufeff",
    "é\u0301" * 100,
    "=HYPERLINK(\"http://evil.example\")",
    "\r\nSet-Cookie: a=b",
    "\u2028\u2029</script>",
    "'; DROP TABLE events; --",
    "😀" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_paths(unchanged, path):
    anna, root = unchanged.browser("ann1"), unchanged.browser("root")
    assert anna.get("/api/sample", id=path).status_code in (400, 404)
    assert root.post("/api/admin/invitations", method="DELETE", params={"id": path}).status_code in (400, 404)
    upload = root.post("/api/admin/upload", params={"id": path}, content=b"x", headers={"Content-Type": "image/png"})
    assert upload.status_code in (400, 404)
    for which in ("before", "after", "reference"):
        assert anna.get("/api/image", id=path, which=which).status_code in (400, 404)
    told(anna.get("/api/image", id=unchanged.ids[0], which=path), 400, "malformed")
    if path:
        told(anna.get("/api/samples", which=path), 400)
        told(anna.get("/api/samples", which="all", step=path), 400)
        told(root.get("/api/admin/agreement", of=path), 400)
        told(root.get("/api/admin/ratings.csv", of=path), 400)
    for body in ({"id": path},):
        assert anna.post("/api/hold", body).status_code in (404, 409)
        assert anna.post("/api/release", body).status_code == 204
    assert anna.get("/api/image", id=unchanged.ids[0], which="before", v=path).status_code == 200  # no path at all


def test_paths_of_files(unchanged):
    paths = [*PATHS, *(quote(path, safe="") for path in PATHS), *ODD]
    for address in (f"{before}{path}" for path in paths for before in ("/page/", "/", "/api/", "/page/../")):
        head, body = raw(unchanged.url, f"GET {address} HTTP/1.1\r\nHost: {{host}}\r\n")
        status = head.split(b"\r\n")[0]
        assert b"root:" not in body
        assert b" 200 " not in status or address.strip("./") in ("", "page"), address
        assert b" 500 " not in status, address


def test_ids_that_look_like_more(unchanged):
    """They are in the pool, and names like any other: shown as JSON text or not at all."""
    anna = unchanged.browser("ann1")
    ids = anna.get("/api/samples", which="all").json()["ids"]
    assert set(ODD) <= set(ids)
    for id in ODD:
        answer = anna.get("/api/sample", id=id)
        assert answer.status_code in (200, 404)
        assert answer.headers["content-type"] == "application/json"
        assert anna.get("/api/image", id=id, which="after").status_code in (404, 409)


@pytest.mark.parametrize("text", SQL)
def test_sql(unchanged, text):
    anna, root, began = unchanged.browser("ann1"), unchanged.browser("root"), time.monotonic()
    every = len(anna.get("/api/samples", which="all").json()["ids"])
    assert anna.get("/api/sample", id=text).status_code == (200 if text in unchanged.ids else 404) or text in ODD
    told(anna.get("/api/samples", which="all", step=text), 400)
    told(anna.post("/api/take", {"steps": [text]}), 400)
    told(unchanged.stranger.client.post("/api/login", json={"name": text, "password": text + "0" * 10}), 401)
    told(unchanged.stranger.client.post("/api/invitation", json={"token": text}), 404)
    assert root.post("/api/admin/invitations", method="DELETE", params={"id": text}).status_code == 404
    told(root.post("/api/admin/invitations", {"role": text, "group": text, "days": 1}), 400)
    rate = {"kind": "rate", "sample": "x" + text, "round": 1, "group": "1", "ratings": dict.fromkeys(("compliance", "authenticity", "satisfaction"), 3)}  # fmt: skip
    told(anna.command(**rate), 404, "unknown_sample")
    told(anna.command(**{**rate, "sample": unchanged.at["boxes"], "group": text}), 409, "wrong_group")
    assert len(anna.get("/api/samples", which="all").json()["ids"]) == every
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_kept_as_they_are_and_do_nothing(site, text):
    anna, sample, key = site.browser("ann1"), site.at["boxes"], fresh_key()
    before = len(list(site.store.events()))
    answer = anna.command("mark", sample=sample, mark=key, side="before", boxes=[[1, 1, 5, 5]], note=text)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    seen = anna.get("/api/sample", id=sample).json()
    assert [mark["note"] for mark in seen["marks"] if mark["mark"] == key] == [text]
    assert len(list(site.store.events())) == before + 1
    events = site.browser("root").get("/api/admin/events.jsonl")
    assert "attachment" in events.headers["content-disposition"]
    assert events.headers["content-type"] == "application/x-ndjson"
    assert json.loads(events.text.strip().split("\n")[-1])["note"] == text
    assert anna.command("unmark", sample=sample, mark=key).status_code == 200
    assert site.store.check() == []


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 20_001, 7, None, ["x"], {"a": 1}])
def test_texts_that_cannot_be_kept(unchanged, text):
    mark = {"sample": unchanged.at["boxes"], "mark": fresh_key(), "side": "before", "boxes": [[1, 1, 5, 5]]}
    for other in ({"note": text}, {"mark": text}):
        body = json.dumps({"key": fresh_key(), "command": {"kind": "mark", **mark, **other}})
        answer = unchanged.browser("ann1").post(
            "/api/commands", content=body, headers={"Content-Type": "application/json"}
        )
        told(answer, 409, "bad_text")


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "a\nb", " a", "x" * 201, ""])
def test_ids_of_marks_that_cannot_be(unchanged, name):
    mark = {"sample": unchanged.at["boxes"], "mark": name, "side": "before", "boxes": [[1, 1, 5, 5]], "note": ""}
    told(unchanged.browser("ann1").command("mark", **mark), 409, "bad_text")

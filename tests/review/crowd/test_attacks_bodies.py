"""Bodies that are too large, too slow or no JSON, other methods and addresses; and the headers of all answers."""

from __future__ import annotations

import contextlib
import json
import time
from urllib.parse import quote

import httpx2
import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import raw, told

DEEP = "[" * 100_000 + "]" * 100_000
JSONS = [
    (b"", 400),
    (b"{", 400),
    (b"[]", 400),
    (b'"x"', 400),
    (b"null", 400),
    (b"{} {}", 400),
    (b"\xff\xfe{}", 400),
    ('{"key": "é'.encode("latin-1") + b'"}', 400),
    (DEEP.encode(), 400),
    (b'{"a":' * 5000 + b"1" + b"}" * 5000, 400),
    (b'{"key": NaN}', 400),
    (b'{"key": Infinity}', 400),
    (b'{"key": 1e999}', 400),
    (b'{"key": ' + b"9" * 50_000 + b"}", 400),
    (b'{"key": -' + b"9" * 19 + b"}", 400),
    (b'{"key": "aaaaaaaaaaaaaaaa", "key": "bbbbbbbbbbbbbbbb", "command": {}}', 400),
    (b'{"key": "aaaaaaaaaaaaaaaa", "command": {}, "who": "root"}', 400),
    (b'{"key": "aaaaaaaaaaaaaaaa", "command": null}', 400),
    (b'{"key": "aaaaaaaaaaaaaaaa"}', 400),
    (b'{"__proto__": {"role": "admin"}}', 400),
    (b"x" * (256 * 1024 + 1), 413),
]


@pytest.mark.parametrize("number", range(len(JSONS)))
def test_bodies_that_are_no_commands(unchanged, number):
    content, status = JSONS[number]
    headers = {"Content-Type": "application/json"}
    for path in ("/api/commands", "/api/login", "/api/join", "/api/hold"):
        told(unchanged.browser("ann1").post(path, content=content, headers=headers), status)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/xml", "text/json", "multipart/form-data", "application/json+x"]
)
def test_other_kinds_of_bodies(unchanged, kind):
    body = json.dumps({"id": unchanged.at["boxes"]}).encode()
    told(unchanged.browser("ann1").post("/api/hold", content=body, headers={"Content-Type": kind}), 415, "wrong_type")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "GET"])
def test_other_methods(unchanged, method):
    answer = unchanged.browser("ann1").post("/api/commands", method=method)
    assert answer.status_code in (400, 405)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/redoc",
        "/openapi.json",
        "/api",
        "/api/",
        "/api/me/",
        "/page/",
        "/page",
        "/.git/config",
        "/review.sqlite",
    ],
)
def test_nothing_else_is_there(unchanged, path):
    told(unchanged.browser("root").get(path), 404, "not_found")


def test_bodies_that_lie_about_their_length(unchanged):
    """Chunks without end, a length that is too large, and a body that never comes: cut off in time."""
    anna, large = unchanged.browser("ann1"), b"x" * (300 * 1024)

    def chunks():
        for _ in range(400):
            yield b" " * 65_536
            told_already.append(1)

    told_already = []
    headers = {"Content-Type": "application/json"}
    with contextlib.suppress(httpx2.WriteError, httpx2.ReadError):  # it may close while we are still sending
        told(anna.post("/api/commands", content=chunks(), headers=headers), 413, "too_large")
    assert len(told_already) < 400
    told(anna.post("/api/commands", content=large, headers=headers), 413, "too_large")
    cookie = f"Cookie: vde_session={anna.token}\r\nX-CSRF-Token: {anna.csrf}\r\nContent-Type: application/json\r\n"
    request = f"POST /api/commands HTTP/1.1\r\nHost: {{host}}\r\n{cookie}"
    head, _ = raw(unchanged.url, f"{request}Content-Length: 99999999999999999999\r\n")
    assert b" 413 " in head or b" 400 " in head
    for length in ("-1", "1e3", "0x10", "1, 2", "٣"):
        head, _ = raw(unchanged.url, f"{request}Content-Length: {length}\r\n")
        assert b" 400 " in head.split(b"\r\n")[0]
    began = time.monotonic()
    head, _ = raw(unchanged.url, f"{request}Content-Length: 50\r\n", b'{"key"')  # and no more
    assert b" 408 " in head
    assert time.monotonic() - began < 5


def test_headers_of_all_answers(unchanged):
    anna, root = unchanged.browser("ann1"), unchanged.browser("root")
    picture = f"/api/image?id={quote(unchanged.ids[0])}&which=before"
    for answer in (
        anna.get("/"),
        anna.get("/api/me"),
        anna.get(picture),
        anna.get("/nowhere"),
        anna.post("/api/commands", {}),
        root.get("/api/admin/events.jsonl"),
        unchanged.stranger.client.get("/api/me"),
        unchanged.stranger.client.get("/", headers={"Host": "evil.example"}),
        unchanged.stranger.client.request("PUT", "/api/me"),
    ):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers
        assert headers["cache-control"] in ("no-store", "no-cache") or answer.url.path == "/api/image"
    assert "private" in anna.get(picture).headers["cache-control"]

"""Headers on every answer, whatever it is; errors, also of the database; the page's files; nothing that is a path."""

from __future__ import annotations

import re
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.review.server.serving import HOME, PASSWORD, Browser, through_boxes
from vdebench.review.server import app as application
from vdebench.review.server import work
from vdebench.review.server.page_files import NAMES, PAGE, PageFile, page_files
from vdebench.review.tables import sqlalchemy

SAFE = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_safe(answer) -> bool:
    assert {name: answer.headers.get(name) for name in SAFE} == SAFE, answer.url
    assert "server" not in answer.headers
    return True


def test_headers_on_every_answer(site, monkeypatch):
    through_boxes(site)
    browser = site.signed_in("root")
    sample = browser.get("/api/sample?id=s0").json()
    monkeypatch.setattr(site.store, "study", lambda: 1 / 0)
    answers = {
        "/api/progress": 200,
        "/api/nothing": 404,
        "/../../etc/passwd": 404,
        "/docs": 404,
        "/openapi.json": 404,
        "/page/none.js": 404,
        "/api/sample?id=none": 404,
        "/api/take": 405,
        "/api/me": 500,
        "/api/sample": 400,
        sample["images"]["before"]: 200,
        sample["images"]["reference"]: 200,
    }
    for path, status in answers.items():
        answer = browser.get(path)
        assert answer.status_code == status, path
        assert is_safe(answer)
        if path.startswith("/api") and "image" not in path:
            assert answer.headers["cache-control"] == "no-store"
        if status >= 400:
            assert answer.json().keys() == {"error", "words"}
    assert is_safe(browser.get("/api/me", headers={"Host": "evil.example"}))
    assert is_safe(browser.post("/api/take", content=b"x" * 300_000))
    assert is_safe(browser.delete("/api/take"))
    assert is_safe(browser.request("TRACE", "/api/take"))
    assert is_safe(browser.options("/api/take"))


def test_an_error_of_ours_is_told_to_the_log_alone(site, monkeypatch, caplog):
    browser = site.signed_in("anna1")
    monkeypatch.setattr(site.store, "study", lambda: {}["a secret"])
    answer = browser.get("/api/me?x=1")
    assert (answer.status_code, answer.json()["error"]) == (500, "broken")
    assert "secret" not in answer.text
    assert "KeyError" in caplog.text
    assert "GET /api/me failed" in caplog.text
    token = browser.cookies["vde_session"]
    assert token not in caplog.text
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [("SELECT * FROM nowhere WHERE token = ?", 503, "nowhere"), ("SELECT 1 WHERE ? = ?", 500, "ProgrammingError")],
)
def test_errors_of_the_database_name_no_values(site, monkeypatch, caplog, asked, status, told):
    browser, value = site.signed_in("anna1"), f"the-{len('token')}-token"

    def broken(*_):
        with site.store.database.reading() as connection:
            connection.exec_driver_sql(asked, (value,))

    monkeypatch.setattr(work.listing, "own_counts", broken)
    assert browser.get("/api/me").status_code == status
    assert told in caplog.text
    assert value not in caplog.text


def asked_of(site, name):
    """A request that has to write something of accounts, sessions or invitations."""
    root, ben = site.signed_in("root"), site.signed_in("ben1")
    new = site.accounts.invite("annotator", "1", now=site.clock.now())
    known = site.accounts.invite(name="anna1", now=site.clock.now())
    (unused, *_) = (each.id for each in site.accounts.invitations() if each.used_by is None)
    joined = {"name": "zoe", "password": PASSWORD}
    asked = {
        "login": lambda: site.browser().post("/api/login", json={"name": "anna1", "password": PASSWORD}),
        "join": lambda: site.browser().post("/api/join", json={"token": new, **joined}),
        "join again": lambda: site.browser().post("/api/join", json={"token": known, **joined}),
        "password": lambda: ben.post("/api/password", json={"old": PASSWORD, "new": "another long one"}),
        "logout": lambda: ben.post("/api/logout"),
        "invite": lambda: root.post("/api/admin/invitations", json={"role": "annotator", "group": "1"}),
        "take back": lambda: root.delete(f"/api/admin/invitations?id={unused}"),
        "release": lambda: ben.post("/api/release", json={"id": "s0"}),
        "prolong": lambda: (site.clock.go(3600), ben.get("/api/me"))[1],
    }
    return asked[name]


ASKED = ("login", "join", "join again", "password", "logout", "invite", "take back", "release", "prolong")


@pytest.mark.parametrize("name", ASKED)
def test_a_database_that_cannot_be_written(site, monkeypatch, caplog, name):
    ask, database = asked_of(site, name), site.store.database
    writing = database.writing

    @contextmanager
    def readonly():
        with writing() as connection:
            connection.exec_driver_sql("PRAGMA query_only = 1")
            try:
                yield connection
            finally:
                connection.exec_driver_sql("PRAGMA query_only = 0")

    monkeypatch.setattr(database, "writing", readonly)
    answer = ask()
    assert (answer.status_code, answer.json()["error"], answer.headers["Retry-After"]) == (503, "busy", "1")
    assert "cannot be written: attempt to write a readonly database" in caplog.text
    monkeypatch.undo()
    assert ask().is_success  # nothing was half done


@pytest.mark.parametrize("path", ["/api/me", "/api/samples", "/api/admin/overview"])
def test_a_database_that_cannot_be_read(site, monkeypatch, caplog, path):
    root, exc = site.signed_in("root"), sqlalchemy().exc

    @contextmanager
    def away():
        raise exc.OperationalError("", {}, "the server closed the connection")
        yield

    monkeypatch.setattr(site.store.database, "reading", away)
    answer = root.get(path)
    assert (answer.status_code, answer.json()["error"], answer.headers["Retry-After"]) == (503, "busy", "1")
    assert "is not reachable: the server closed the connection" in caplog.text
    monkeypatch.undo()
    assert root.get(path).is_success


@pytest.mark.parametrize("name", ASKED)
def test_what_is_over_in_a_moment_is_tried_again(site, monkeypatch, name):
    ask, database, tries = asked_of(site, name), site.store.database, []
    writing, exc = database.writing, sqlalchemy().exc

    @contextmanager
    def deadlocked():
        with writing() as connection:
            yield connection
            tries.append(1)
            if len(tries) == 1:
                raise exc.OperationalError("", {}, SimpleNamespace(sqlstate="40P01"))

    monkeypatch.setattr(database, "writing", deadlocked)
    assert ask().is_success
    assert len(tries) >= 2


def test_images(site):
    through_boxes(site)
    browser = site.signed_in("cora2")
    images = browser.get("/api/sample?id=s0").json()["images"]
    for which, url in images.items():
        answer = browser.get(url)
        assert answer.content == site.pool.file.read_bytes()
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
        again = browser.get(url, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert is_safe(again)
        other = browser.get(re.sub("v=.*", "v=old", url))
        assert other.headers["cache-control"] == "private, no-cache"
        assert site.pool.asked[-1][:2] == ("s0", which)
    assert len(set(images.values())) == 3
    assert browser.get("/api/sample?id=s1").json()["images"]["reference"] is None
    assert browser.get("/api/image?id=s1&which=reference").status_code == 404
    gone = browser.get("/api/image?id=s3&which=after")
    assert (gone.status_code, gone.json()["error"]) == (409, "no_image")


def test_no_path_that_was_sent_reaches_the_files(site):
    browser = site.signed_in("anna1")
    unknown = browser.get("/api/image?id=nobody&which=before")
    assert unknown.status_code == 404
    for id in ("../../review.sqlite", "/etc/passwd", "s0/../s0", "s0%00", "..%2f..%2fetc%2fpasswd", "s0\\..", "%ff"):
        for path in ("/api/image", "/api/sample"):
            answer = browser.get(f"{path}?id={id}&which=before")
            assert (answer.status_code, answer.content) == (404, unknown.content), id
    for which in ("../before", "page", "", "before\0"):
        assert browser.get("/api/image", params={"id": "s0", "which": which}).status_code == 400
    assert site.pool.asked == []
    for name in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "/etc/passwd", "%2fetc%2fpasswd", "index.html%00", "."):
        assert browser.get(f"/page/{name}").status_code == 404, name


def test_the_page(site, monkeypatch, tmp_path):
    files = page_files()
    assert all(files[file.name].content == file.read_bytes() for file in PAGE.iterdir() if file.name in files)
    (tmp_path / "page").mkdir()
    for name in ("index.html", "app.js", "app.css", "icon.svg", "notes.py", ".hidden"):
        (tmp_path / "page" / name).write_text(name)
    found = page_files(tmp_path / "page")
    assert sorted(found) == sorted(["app.css", "app.js", "icon.svg", "index.html", *NAMES])
    monkeypatch.setattr(application, "page_files", lambda: found)
    site.app = application.create_app(site.store, site.pool, site.settings, site.accounts)
    browser = Browser(site)
    start = browser.get("/")
    assert (start.text, start.headers["content-type"]) == ("index.html", "text/html; charset=utf-8")
    assert browser.get("/page/app.js").headers["content-type"] == "text/javascript; charset=utf-8"
    assert is_safe(start)
    assert start.headers["cache-control"] == "no-cache"
    again = browser.get("/page/index.html", headers={"If-None-Match": start.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert browser.get("/page/notes.py").status_code == 404
    assert isinstance(found["app.js"], PageFile)
    assert str(start.url) == f"{HOME}/"

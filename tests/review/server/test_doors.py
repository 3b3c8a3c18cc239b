"""Signing in and out, joining, how often one may try, how long it lasts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.review.server.serving import HOME, PASSWORD, START
from vdebench.review.passwords import Passwords
from vdebench.review.sessions import IDLE, LONGEST


def login(browser, name, password=PASSWORD):
    return browser.post_json("/api/login", {"name": name, "password": password})


def test_signing_in(site):
    browser = site.browser()
    answer = login(browser, "anna1")
    assert (answer.status_code, answer.json()) == (200, {"name": "anna1"})
    cookie = answer.headers["set-cookie"]
    parts = {part.strip().partition("=")[0] for part in cookie.split(";")}
    assert parts == {"vde_session", "HttpOnly", "SameSite", "Path", "Max-Age"}
    assert "SameSite=Strict" in cookie
    token = browser.cookies["vde_session"]
    me = browser.get("/api/me").json()
    assert (me["name"], me["role"], me["group"]) == ("anna1", "annotator", "1")
    assert token not in browser.get("/api/me").text
    with site.store.database.reading() as connection:  # the database has no token that could be used
        assert token not in str(connection.exec_driver_sql("SELECT * FROM sessions").all())
        (kept,) = connection.exec_driver_sql("SELECT password FROM accounts WHERE name = 'anna1'").one()
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept


def test_a_cookie_for_https_alone(make_site):
    for settings in ({"https": True}, {"url": "https://review.example"}):
        site = make_site(**settings)
        host = site.settings.origins[0].partition("://")[2]
        answer = site.browser().post("/api/login", json={"name": "anna1", "password": PASSWORD}, headers={"Host": host})
        assert "Secure" in answer.headers["set-cookie"]


def test_whose_name_is_not_known_takes_as_long(site, monkeypatch):
    verified = []
    original = Passwords.is_right

    def counted(self, kept, password):
        verified.append(kept)
        return original(self, kept, password)

    monkeypatch.setattr(Passwords, "is_right", counted)
    argon2 = pytest.importorskip("argon2")
    hashes = []
    real = argon2.PasswordHasher.verify
    monkeypatch.setattr(
        argon2.PasswordHasher, "verify", lambda self, kept, said: hashes.append(kept) or real(self, kept, said)
    )
    answers = [login(site.browser(), name, "wrong password!") for name in ("anna1", "nobody", "\ud800", "a\0b")]
    assert {(answer.status_code, answer.content) for answer in answers} == {(401, answers[0].content)}
    assert len(hashes) == len(verified) == 4
    assert verified[1:] == [None] * 3
    assert {kept.rpartition("$")[0].rpartition("$")[0] for kept in hashes} == {"$argon2id$v=19$m=8,t=1,p=1"}


def test_wrong_passwords(site):
    for password in ("", "wrong password!", PASSWORD + " ", PASSWORD.upper(), "x" * 1000, "\ud800" * 12):
        answer = login(site.browser(), "anna1", password)
        assert (answer.status_code, answer.json()["error"]) == (401, "wrong_password"), password
        site.clock.go(10)
    assert login(site.browser(), "ANNA1").json() == {"name": "anna1"}  # names that differ by case are the same


def test_tries_by_name(site):
    for number in range(10):
        assert login(site.browser(), "anna1", "wrong password!").status_code == 401, number
    refused = login(site.browser(), "Anna1")
    assert (refused.status_code, refused.json()["error"], refused.headers["retry-after"]) == (429, "too_many", "60")
    assert login(site.browser(), "ben1").status_code == 200
    site.clock.go(61)
    assert login(site.browser(), "anna1").status_code == 200


def test_tries_by_address(site):
    for number in range(30):
        assert login(site.browser(), f"nobody{number}").status_code == 401
    assert login(site.browser(), "anna1").status_code == 429
    for path, body in (("/api/invitation", {"token": "x"}), ("/api/join", {"token": "x", "password": PASSWORD})):
        assert site.browser().post(path, json=body).status_code == 429
    site.clock.go(60)
    assert login(site.browser(), "anna1").status_code == 200


def test_addresses_that_a_proxy_tells_are_believed_only_when_told(make_site):
    for forwarded in (False, True):
        site = make_site(forwarded=forwarded, tries_by_address=2)
        for number in range(4):
            headers = {"X-Forwarded-For": f"9.9.9.9, 10.0.0.{number}"}
            body = {"name": "nobody", "password": PASSWORD}
            status = site.browser().post("/api/login", json=body, headers=headers).status_code
            assert status == (401 if forwarded or number < 2 else 429)


def test_requests_of_a_session(make_site):
    site = make_site(requests_per_second=2, burst=5)
    browser, other = site.signed_in("anna1"), site.signed_in("ben1")
    statuses = [browser.get("/api/me").status_code for _ in range(6)]
    assert statuses == [200] * 4 + [429] * 2  # the first was asked when signing in
    refused = browser.get("/api/me")
    assert (refused.json()["error"], refused.headers["retry-after"]) == ("too_many", "1")
    assert other.get("/api/me").status_code == 200
    site.clock.go(1)
    assert [browser.get("/api/me").status_code for _ in range(3)] == [200, 200, 429]


def test_addresses_without_a_session_are_limited_too(make_site):
    site = make_site(requests_per_second=1, burst=2)
    browser = site.browser()
    browser.cookies.set("vde_session", "x" * 43)
    statuses = [browser.get("/api/me").status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2


def test_a_session_ends_when_it_is_not_used(site):
    browser = site.signed_in("anna1")
    for _ in range(3):  # used, it lasts
        site.clock.go(IDLE.total_seconds() - 60)
        assert browser.get("/api/me").status_code == 200
    site.clock.go(IDLE.total_seconds() + 1)
    assert browser.get("/api/me").status_code == 401


def test_a_session_ends_after_a_week_in_any_case(site):
    browser = site.signed_in("anna1")
    hours = int(LONGEST / timedelta(hours=1))
    for hour in range(5, hours + 5, 5):
        site.clock.go(5 * 3600)
        assert browser.get("/api/me").status_code == (200 if hour < hours else 401), hour


def test_signing_out(site):
    browser, elsewhere = site.signed_in("anna1"), site.signed_in("anna1")
    token = browser.cookies["vde_session"]
    gone = browser.post("/api/logout")
    assert gone.status_code == 204
    assert "Max-Age=0" in gone.headers["set-cookie"]
    browser.cookies.set("vde_session", token)
    assert browser.get("/api/me").status_code == 401
    assert elsewhere.get("/api/me").status_code == 200


def test_made_up_cookies(site):
    for token in ("", "x", "x" * 43, "x" * 5000, "' OR 1=1 --", "é" * 43):
        headers = [("Cookie", f"vde_session={token}".encode())]
        assert site.browser().get("/api/me", headers=headers).status_code == 401


def test_somebody_who_leaves(site):
    anna, root = site.signed_in("anna1"), site.signed_in("root")
    assert anna.get("/api/me").status_code == 200
    root.must("leave", name="anna1")
    assert anna.get("/api/me").status_code == 401
    assert login(site.browser(), "anna1").json()["error"] == "wrong_password"
    with site.store.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM sessions WHERE name = 'anna1'").scalar() == 0
    link = root.post("/api/admin/invitations", json={"name": "anna1"}).json()["link"]
    answer = site.browser().post("/api/join", json={"token": link.partition("=")[2], "password": "another password"})
    assert answer.json() == {"name": "anna1"}
    assert anna.get("/api/me").status_code == 401
    assert login(site.browser(), "anna1").status_code == 401
    assert login(site.browser(), "anna1", "another password").status_code == 200


def test_no_older_link_brings_back_whoever_has_left(site):
    root, password = site.signed_in("root"), "another pass word"

    def link(**invitation):
        return root.post("/api/admin/invitations", json=invitation).json()["link"].partition("=")[2]

    def join(token, name=""):
        return site.browser().post("/api/join", json={"token": token, "name": name, "password": password}).status_code

    old, others, free = link(name="ben1"), link(name="anna1"), link(role="annotator", group="1")
    root.must("leave", name="ben1")
    assert join(old) == 404
    assert not site.store.study().member("ben1").active
    assert (join(others), join(free, "kim")) == (200, 200)
    assert join(link(name="ben1")) == 200  # an admin has them back
    assert site.store.study().member("ben1").active


def test_somebody_who_leaves_by_another_process(site):
    from vdebench.review.commands import Leave

    anna = site.signed_in("anna1")
    site.store.submit(Leave("anna1"), who="root", now=START)
    assert anna.post("/api/take", json={}).status_code == 204  # remembered for a moment; the rules know
    site.clock.go(6)
    assert anna.get("/api/me").status_code == 401


def test_a_new_password(site):
    anna, elsewhere = site.signed_in("anna1"), site.signed_in("anna1")
    wrong = anna.post("/api/password", json={"old": "wrong password!", "new": "another password"})
    assert (wrong.status_code, wrong.json()["error"]) == (403, "wrong_password")
    short = anna.post("/api/password", json={"old": PASSWORD, "new": "short"})
    assert (short.status_code, short.json()["error"]) == (400, "bad_password")
    assert elsewhere.get("/api/me").status_code == 200
    token = anna.cookies["vde_session"]
    assert anna.post("/api/password", json={"old": PASSWORD, "new": "another password"}).status_code == 200
    assert anna.cookies["vde_session"] != token
    assert anna.get("/api/me").status_code == 200
    assert elsewhere.get("/api/me").status_code == 401
    assert login(site.browser(), "anna1").status_code == 401
    assert login(site.browser(), "anna1", "another password").status_code == 200


def test_joining(site):
    root = site.signed_in("root")
    answer = root.post("/api/admin/invitations", json={"role": "annotator", "group": "2", "days": 2})
    start, _, token = answer.json()["link"].partition("#join=")
    assert start == f"{HOME}/"
    browser = site.browser()
    told = browser.post("/api/invitation", json={"token": token})
    assert told.json() == {"role": "annotator", "group": "2", "name": "", "until": "2026-11-18T09:00:00.000Z"}
    wrong = {
        "bad_name": ("", " x", "=1+1", "@x", "-x", "x" * 61, "a\nb", "x\u202e", "\ud800"),
        "name_taken": ("anna1", "ANNA1", "\uff41nna1", "root", "Protocol"),
    }
    for error, names in wrong.items():
        for name in names:
            site.clock.go(5)
            answer = browser.post_json("/api/join", {"token": token, "name": name, "password": PASSWORD})
            assert answer.json()["error"] == error, name
    for password in ("123456789", "x" * 201, "\ud800" * 10):
        answer = browser.post_json("/api/join", {"token": token, "name": "Zoe\u0308", "password": password})
        assert answer.json()["error"] == "bad_password"
    answer = browser.post_json("/api/join", {"token": token, "name": "Zoe\u0308", "password": PASSWORD})
    assert answer.json() == {"name": "Zo\u00eb"}
    me = browser.get("/api/me").json()
    assert (me["name"], me["role"], me["group"]) == ("Zo\u00eb", "annotator", "2")
    again = site.browser().post("/api/join", json={"token": token, "name": "second", "password": PASSWORD})
    assert (again.status_code, again.json()["error"]) == (404, "unknown_invitation")
    assert site.browser().post("/api/invitation", json={"token": token}).content == again.content


def test_invitations_that_are_over(site):
    root = site.signed_in("root")

    def invited(**told):
        return root.post("/api/admin/invitations", json=told).json()["link"].partition("=")[2]

    old, taken_back, kept = (invited(role="adjudicator") for _ in range(3))
    listed = root.get("/api/admin/overview").json()["invitations"]
    unused = [each["id"] for each in listed if each["used_by"] is None]
    assert len(unused) == 3
    assert not any(token in str(listed) for token in (old, taken_back, kept))
    statuses = []
    for token in (taken_back, "x", ""):
        with site.store.database.reading() as connection:
            ids = dict(connection.exec_driver_sql("SELECT token, id FROM invitations").all())
        from vdebench.review.sessions import hashed

        if token == taken_back:
            assert root.delete(f"/api/admin/invitations?id={ids[hashed(token)]}").status_code == 204
            assert root.delete(f"/api/admin/invitations?id={ids[hashed(token)]}").status_code == 404
        statuses.append(site.browser().post("/api/invitation", json={"token": token}).status_code)
    assert statuses == [404] * 3
    assert root.delete("/api/admin/invitations?id=%00").status_code == 404
    site.clock.go(7 * 24 * 3600 - 1)
    assert site.browser().post("/api/invitation", json={"token": kept}).status_code == 200
    site.clock.go(1)
    assert site.browser().post("/api/invitation", json={"token": old}).status_code == 404


def test_invitations_that_are_none(site):
    root = site.signed_in("root")
    for told in (
        {"role": "king"},
        {"role": "annotator"},
        {"role": "annotator", "group": "9"},
        {"role": "admin", "group": "1"},
        {"role": "annotator", "group": 1},
        {"role": ["admin"]},
        {"role": "admin", "days": 0},
        {"role": "admin", "days": 1e9},
        {"role": "admin", "days": True},
        {"role": "admin", "days": "7"},
        {"name": "nobody"},
        {"role": "admin", "more": 1},
    ):
        answer = root.post("/api/admin/invitations", json=told)
        assert (answer.status_code, answer.json()["error"]) == (400, "malformed"), told

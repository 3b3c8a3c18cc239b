"""Who may ask for what: every route for everybody, CSRF, other sites' pages, other hosts."""

from __future__ import annotations

import pytest

from tests.review.server.serving import HOME, NINE, PASSWORD
from vdebench.review.server.routes import ROUTES

MEMBERS, JUDGES, ADMINS = {"anna1", "judy", "root"}, {"judy", "root"}, {"root"}
WHO = {
    ("GET", "/api/me"): MEMBERS,
    ("GET", "/api/progress"): MEMBERS,
    ("POST", "/api/take"): MEMBERS,
    ("GET", "/api/samples"): MEMBERS,
    ("GET", "/api/sample"): MEMBERS,
    ("GET", "/api/image"): MEMBERS,
    ("POST", "/api/hold"): MEMBERS,
    ("POST", "/api/release"): MEMBERS,
    ("POST", "/api/commands"): MEMBERS,
    ("POST", "/api/password"): MEMBERS,
    ("POST", "/api/logout"): MEMBERS,
    ("GET", "/api/conflicts"): JUDGES,
    ("GET", "/api/admin/overview"): ADMINS,
    ("GET", "/api/admin/agreement"): ADMINS,
    ("GET", "/api/admin/rounds"): ADMINS,
    ("POST", "/api/admin/invitations"): ADMINS,
    ("DELETE", "/api/admin/invitations"): ADMINS,
    ("POST", "/api/admin/upload"): ADMINS,
    ("GET", "/api/admin/events.jsonl"): ADMINS,
    ("GET", "/api/admin/ratings.csv"): ADMINS,
}
FOR_ALL = {("POST", "/api/login"), ("POST", "/api/invitation"), ("POST", "/api/join")}
CHANGING = sorted(route for route in WHO if route[0] != "GET")


def test_the_table_has_every_route():
    assert {(route.method, route.path) for route in ROUTES} == WHO.keys() | FOR_ALL


@pytest.mark.parametrize("name", ["", "anna1", "judy", "root"])
def test_every_route_for_everybody(site, name):
    browser = site.signed_in(name) if name else site.browser()
    before = site.events()
    for (method, path), who in sorted(WHO.items(), key=lambda each: each[0] == ("POST", "/api/logout")):
        answer = browser.request(method, path)
        if not name:
            assert (answer.status_code, answer.json()["error"]) == (401, "not_signed_in"), path
        elif name in who:
            assert answer.status_code not in (401, 403), (path, answer.text)
        else:
            assert (answer.status_code, answer.json()["error"]) == (403, "forbidden"), path
    for method, path in FOR_ALL:
        assert browser.request(method, path).json()["error"] == "malformed"
    assert site.events() == before


def test_nothing_is_changed_without_the_word_of_the_session(site):
    browser = site.signed_in("root")
    other = site.signed_in("anna1").headers["X-CSRF-Token"]
    right = browser.headers.pop("X-CSRF-Token")
    for wrong in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": other}, {"X-CSRF-Token": right[:-1] + "é"}):
        headers = [(key, value.encode()) for key, value in wrong.items()]
        for method, path in CHANGING:
            answer = browser.request(method, path, headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (403, "wrong_csrf"), (path, wrong)
            site.clock.go(1)


def test_the_word_ends_with_its_session(site):
    browser = site.signed_in("anna1")
    old = browser.headers["X-CSRF-Token"]
    cookie = browser.cookies["vde_session"]
    assert browser.post("/api/logout").status_code == 204
    browser.cookies.set("vde_session", cookie)  # as if somebody had kept it
    answer = browser.post("/api/take", json={})
    assert (answer.status_code, answer.json()["error"]) == (401, "not_signed_in")
    browser.cookies.clear()
    browser.sign_in("anna1")
    assert browser.headers["X-CSRF-Token"] != old
    answer = browser.post("/api/take", json={}, headers={"X-CSRF-Token": old})
    assert (answer.status_code, answer.json()["error"]) == (403, "wrong_csrf")
    assert browser.post("/api/take", json={}).status_code == 200


def test_signing_in_again_ends_the_session_that_one_came_with(site):
    browser = site.signed_in("anna1")
    old, word = browser.cookies["vde_session"], browser.headers["X-CSRF-Token"]
    browser.sign_in("anna1")
    assert browser.cookies["vde_session"] != old
    other = site.browser()
    other.cookies.set("vde_session", old)
    assert other.post("/api/take", json={}, headers={"X-CSRF-Token": word}).status_code == 401


OURS = ({}, {"Origin": HOME}, {"Origin": "http://localhost:8765", "Sec-Fetch-Site": "same-origin"})
OTHERS = (
    {"Origin": "null"},
    {"Origin": "https://127.0.0.1:8765"},
    {"Origin": "http://127.0.0.1:8766"},
    {"Origin": "http://127.0.0.1:8765.evil.example"},
    {"Origin": "http://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)


def test_pages_of_other_sites(site):
    signed_in = site.signed_in("anna1")
    for headers in (*OURS, *OTHERS):
        answer = site.browser().post("/api/login", json={"name": "anna1", "password": PASSWORD}, headers=headers)
        status = 200 if headers in OURS else 403
        assert answer.status_code == status, headers
        assert signed_in.post("/api/take", json={}, headers=headers).status_code == status
        if status == 403:
            assert answer.json()["error"] == "wrong_origin"
            assert "set-cookie" not in answer.headers


def test_signing_in_takes_json_alone(site):
    form = {"content-type": "application/x-www-form-urlencoded"}
    for kind in (form, {"content-type": "text/plain"}, {}):
        for path in ("/api/login", "/api/join", "/api/invitation"):
            content = b'{"name": "anna1", "password": "correct horse battery"}'
            assert site.browser().post(path, content=content, headers=kind).status_code == 415


def test_the_host_that_a_request_names(site):
    ours = ("127.0.0.1:8765", "LOCALHOST:8765", "[::1]:8765")
    others = ("127.0.0.1", "127.0.0.1:80", "evil.example:8765", "127.0.0.1:8765@evil.example", "")
    for host in (*ours, *others):
        answer = site.browser().get("/api/me", headers={"Host": host})
        assert answer.status_code == (401 if host in ours else 400), host
        assert answer.json()["error"] == ("not_signed_in" if host in ours else "wrong_host")


def test_votes_of_another_group_and_forged_ids(site):
    browser = site.signed_in("anna1")
    before = site.events()
    for group, reason in (("2", "wrong_group"), ("", "bad_text"), ("9", "wrong_group")):
        answer = browser.tell("rate", sample="s0", round=1, group=group, ratings=NINE)
        assert (answer.status_code, answer.json()["error"]) == (409, reason)
    judge = site.signed_in("judy").tell("rate", sample="s0", round=1, group="1", ratings=NINE)
    assert (judge.status_code, judge.json()["error"]) == (409, "wrong_role")
    for sample in ("s9", "../s0", "s0' OR '1'='1", "s0\x00"):
        answer = browser.tell("rate", sample=sample, round=1, group="1", ratings=NINE)
        assert answer.status_code in (404, 409), answer.text
    assert site.events() == before


@pytest.mark.parametrize("kind", ["open", "join", "add"])
def test_what_is_not_done_over_http(site, kind):
    fields = {"open": {}, "join": {"name": "x", "role": "admin"}, "add": {"samples": []}}[kind]
    answer = site.signed_in("root").tell(kind, **fields)
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")

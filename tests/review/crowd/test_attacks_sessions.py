"""Sessions, CSRF, sign-in, invitations, hosts and origins: what is forged, replayed or tried too often is refused."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import PASSWORD, fresh_key, told

GETS = ("/api/me", "/api/progress", "/api/samples?which=all", "/api/sample?id={id}", "/api/image?id={id}&which=before")
ADMINS = ("/api/admin/overview", "/api/admin/agreement", "/api/admin/rounds", "/api/admin/events.jsonl", "/api/admin/ratings.csv")  # fmt: skip
POSTS = ("/api/take", "/api/hold", "/api/release", "/api/commands", "/api/logout", "/api/password")


def mark(site, browser, **headers):
    """Something that everybody may do, with other headers."""
    command = {
        "kind": "mark",
        "sample": site.at["boxes"],
        "mark": fresh_key(),
        "side": "after",
        "boxes": [[1, 1, 9, 9]],
    }
    return browser.post("/api/commands", {"key": fresh_key(), "command": command}, headers=headers)


@pytest.mark.parametrize("cookie", ["", "x", "a" * 43, "a" * 44, "\x7f" * 43, "' OR 1=1 --", "../" * 15, "A" * 9000])
def test_a_made_up_session(unchanged, cookie):
    headers = {"Cookie": f"vde_session={cookie}", "X-CSRF-Token": "x"}
    for path in (*GETS, *ADMINS, "/api/conflicts"):
        told(unchanged.stranger.client.get(path.format(id=unchanged.ids[0]), headers=headers), 401, "not_signed_in")
    for path in (*POSTS, "/api/admin/invitations", "/api/admin/upload"):
        told(unchanged.stranger.client.post(path, json={}, headers=headers), 401, "not_signed_in")


def test_the_hash_of_a_session_is_no_session(unchanged):
    from vdebench.review.accounts import hashed

    token = hashed(unchanged.browser("root").token)
    for value in (token, token[:43]):
        told(unchanged.stranger.client.get("/api/me", headers={"Cookie": f"vde_session={value}"}), 401)


def test_the_token_against_forged_requests(site):
    anna, bob = site.browser("ann1"), site.browser("bob2")
    ended = site.another("ann1")
    old = ended.csrf
    ended.sign_in()  # a new session: the token before is worth nothing
    assert ended.csrf != old
    with site.unchanged():
        assert mark(site, ended, **{"X-CSRF-Token": old}).status_code == 403
        assert ended.post("/api/logout").status_code == 204
        wrong = [
            "",
            "x",
            bob.csrf,
            old,
            ended.csrf,
            anna.csrf[:-1],
            anna.csrf + "0",
            anna.csrf.upper(),
            anna.token,
            "é" * 64,
        ]
        for value in wrong:
            told(mark(site, anna, **{"X-CSRF-Token": value.encode()}), 403, "wrong_csrf")
        for path in POSTS:
            told(anna.client.post(path, json={}), 403, "wrong_csrf")  # without one
        told(anna.client.post("/api/commands", data={"csrf": anna.csrf}), 403, "wrong_csrf")
        told(anna.client.post(f"/api/commands?x_csrf_token={anna.csrf}", json={}), 403, "wrong_csrf")
        root = site.browser("root")
        told(root.client.delete("/api/admin/invitations", params={"id": "x"}), 403, "wrong_csrf")
        told(
            root.client.post("/api/admin/upload", content=b"x", headers={"Content-Type": "image/png"}),
            403,
            "wrong_csrf",
        )
    assert mark(site, anna).status_code == 200  # with the right one, it is done


def test_an_ended_session(site):
    browser = site.another("ann1")
    token, csrf = browser.token, browser.csrf
    assert browser.get("/api/me").status_code == 200
    answer = browser.post("/api/logout")
    assert answer.status_code == 204
    assert "Max-Age=0" in answer.headers["set-cookie"]
    with site.unchanged():
        for path in GETS:
            headers = {"Cookie": f"vde_session={token}"}
            told(site.stranger.client.get(path.format(id=site.ids[0]), headers=headers), 401, "not_signed_in")
        headers = {"Cookie": f"vde_session={token}", "X-CSRF-Token": csrf}
        told(mark(site, site.stranger, **headers), 401, "not_signed_in")


def test_session_fixation(site):
    """A session that an attacker has put into a browser is not the one that its user signs in to."""
    planted, victim = "v" * 43, site.another()
    victim.client.cookies.set("vde_session", planted)
    victim.name = "ann1"
    answer = victim.client.post("/api/login", json={"name": "ann1", "password": PASSWORD})
    given = answer.headers["set-cookie"]
    assert planted not in given
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in given.split(";")}
    told(site.stranger.client.get("/api/me", headers={"Cookie": f"vde_session={planted}"}), 401)
    attacker, victim = site.another("bob2"), site.another()  # nor is the attacker's own
    stolen = attacker.token
    victim.client.cookies.set("vde_session", stolen)
    new = victim.client.post("/api/login", json={"name": "ann1", "password": PASSWORD}).headers["set-cookie"]
    assert stolen not in new
    own = site.stranger.client.get("/api/me", headers={"Cookie": new.partition(";")[0]})
    assert own.json()["name"] == "ann1"
    told(site.stranger.client.get("/api/me", headers={"Cookie": f"vde_session={stolen}"}), 401, "not_signed_in")


@pytest.mark.parametrize("path", ADMINS)
@pytest.mark.parametrize("who", ["ann1", "judge"])
def test_only_for_admins(unchanged, who, path):
    told(unchanged.browser(who).get(path), 403, "forbidden")


def test_other_doors_for_admins_alone(unchanged):
    for who in ("ann1", "judge"):
        browser = unchanged.browser(who)
        told(browser.post("/api/admin/invitations", {"role": "admin", "group": "", "days": 1}), 403, "forbidden")
        told(browser.post("/api/admin/invitations?id=x", method="DELETE"), 403, "forbidden")
        told(
            browser.post("/api/admin/upload?id=x", content=b"x", headers={"Content-Type": "image/png"}),
            403,
            "forbidden",
        )
    told(unchanged.browser("ann1").get("/api/conflicts"), 403, "forbidden")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "127.0.0.1:{port}.evil.example", "evil@127.0.0.1:{port}", "", "x" * 5000]
)  # fmt: skip
def test_a_forged_host(unchanged, host):
    port = unchanged.url.rpartition(":")[2]
    for path in ("/", "/api/me", "/page/x"):
        told(unchanged.browser("ann1").client.get(path, headers={"Host": host.format(port=port)}), 400, "wrong_host")
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "1.2.3.4", "Forwarded": "host=evil.example"}
    assert unchanged.browser("ann1").client.get("/api/me", headers=headers).status_code == 200
    made = unchanged.stranger.client.get("/", headers=headers)
    assert "evil.example" not in made.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "{url}.evil.example"},
        {"Origin": "{url}/"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "{url}", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_forged_origin(unchanged, headers):
    forged = {name: value.format(url=unchanged.url) for name, value in headers.items()}
    told(mark(unchanged, unchanged.browser("ann1"), **forged), 403, "wrong_origin")
    body = {"name": "ann1", "password": PASSWORD}
    answer = unchanged.stranger.client.post("/api/login", json=body, headers=forged)
    told(answer, 403, "wrong_origin")
    assert "set-cookie" not in answer.headers

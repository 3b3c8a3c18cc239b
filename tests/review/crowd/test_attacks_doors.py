"""Signing in and joining: what is tried too often, or with an invitation that is none, is refused; no name is betrayed."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from tests.review.crowd.site import PASSWORD, opened_site, told


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_a_form_of_another_site_cannot_sign_anybody_in(unchanged, kind):
    content = b'{"name": "ann1", "password": "a password of everybody"}'
    answer = unchanged.stranger.client.post("/api/login", content=content, headers={"Content-Type": kind})
    told(answer, 415, "wrong_type")
    assert "set-cookie" not in answer.headers


def test_names_are_not_betrayed(unchanged, monkeypatch):
    """A name that is there and one that is not: the same answer, after one look at one hash of the same cost."""
    answers, looked_at = [], []
    passwords = unchanged.accounts.passwords
    right = passwords.is_right
    monkeypatch.setattr(
        passwords, "is_right", lambda kept, told: looked_at.append(kept or passwords.nobodys) or right(kept, told)
    )
    for name in ("ann1", "nobody", "ANN1 ", "", "ann1\0", "a" * 300, "' OR ''='", "\ud800"):
        body = f'{{"name": {json.dumps(name)}, "password": "not the password"}}'
        answers.append(unchanged.stranger.client.post("/api/login", content=body, headers={"Content-Type": "application/json"}))  # fmt: skip
        told(answers[-1], 401, "wrong_password")
    assert len({answer.content for answer in answers}) == 1
    assert len(looked_at) == len(answers)
    assert (
        len({kept.rpartition("$")[0].rpartition("$")[0] for kept in looked_at}) == 1
    )  # the same numbers of rounds and memory
    assert len({tuple(sorted(set(answer.headers) - {"date"})) for answer in answers}) == 1


@pytest.mark.parametrize("password", ["\ud800" * 12, "\0" * 12, "x" * 100_000, "", "p\u202e" * 9])
def test_odd_passwords_are_wrong_passwords(unchanged, password):
    body = f'{{"name": "ann1", "password": {json.dumps(password)}}}'
    told(unchanged.stranger.client.post("/api/login", content=body, headers={"Content-Type": "application/json"}), 401)


def test_brute_force_is_limited(attacked_workspace, site):
    with opened_site(
        attacked_workspace, attacked_workspace / "review.sqlite", tries_by_name=10, tries_by_address=30
    ) as other:
        stranger = other.stranger.client
        wrong = {"name": "cyn3", "password": "not the password"}
        statuses = [stranger.post("/api/login", json=wrong).status_code for _ in range(11)]
        assert statuses == [401] * 10 + [429]
        right = stranger.post("/api/login", json={"name": "cyn3", "password": PASSWORD})
        told(right, 429, "too_many")
        assert 1 <= int(right.headers["retry-after"]) <= 60
        for name in ("CYN3", "ｃyn3"):  # the same name in another dress
            assert stranger.post("/api/login", json={**wrong, "name": name}).status_code == 429
        made_up = [
            stranger.post("/api/login", json={**wrong, "name": f"n{number}"}).status_code for number in range(20)
        ]
        assert made_up[-1] == 429  # many names, one address
        told(stranger.post("/api/invitation", json={"token": "x" * 43}), 429, "too_many")
        told(stranger.post("/api/join", json={"token": "x" * 43, "name": "x", "password": PASSWORD}), 429, "too_many")


def test_too_many_requests_of_a_session(attacked_workspace, site):
    with opened_site(attacked_workspace, attacked_workspace / "review.sqlite", requests_per_second=1, burst=5) as other:
        bob = other.browser("bob2")
        answers = [bob.get("/api/progress") for _ in range(8)]
        assert [answer.status_code for answer in answers[:3]] == [200] * 3
        told(answers[-1], 429, "too_many")
        assert int(answers[-1].headers["retry-after"]) >= 1


def test_invitations(site):
    root, now = site.browser("root"), datetime.now(UTC)
    join = {"name": "dora2", "password": PASSWORD}

    def invited(**other):
        made = root.post("/api/admin/invitations", {"role": "annotator", "group": "2", "days": 1, **other})
        return made.json()["link"].partition("#join=")[2] if made.status_code == 200 else made

    def joins(token, **other):
        return site.stranger.client.post("/api/join", json={"token": token, **join, **other})

    deleted, expired = invited(), site.accounts.invite("annotator", "2", days=1, now=now - timedelta(days=2))
    ids = {each["id"] for each in root.get("/api/admin/overview").json()["invitations"] if each["used_by"] is None}
    used = invited()
    new = {
        each["id"] for each in root.get("/api/admin/overview").json()["invitations"] if each["used_by"] is None
    } - ids
    for id in ids:
        assert root.post("/api/admin/invitations", method="DELETE", params={"id": id}).status_code in (204, 404)
    assert len(new) == 1
    with site.unchanged():
        for token in (deleted, expired, "x" * 43, "", "' OR 1=1 --", used[:-1], used.swapcase(), "\0", *new):
            told(joins(token), 404, "unknown_invitation")
            told(site.stranger.client.post("/api/invitation", json={"token": token}), 404, "unknown_invitation")
        for name in ("ann1", "ANN1", "ａnn1", "root", "protocol"):
            assert told(joins(used, name=name), 409)["error"] in ("name_taken", "known_member")
        for name in ("", " ", "a\0b", "a\u202eb", "a\u200bb", "x" * 61, "a\nb", "\ud800"):
            body = json.dumps({"token": used, "name": name, "password": PASSWORD})
            answer = site.stranger.client.post("/api/join", content=body, headers={"Content-Type": "application/json"})
            told(answer, 400, "bad_name")
        for password in ("short", "x" * 201, "\0" * 12):
            told(joins(used, password=password), 400, "bad_password")
        told(joins(used, role="admin"), 400, "malformed")
        told(joins(used, group="1"), 400, "malformed")
        for wrong in ({"role": "boss"}, {"role": "admin", "group": "1"}, {"group": "9"}, {"days": 0}, {"days": -1}, {"days": 10**9}, {"days": "7"}, {"name": "nobody"}, {"role": ["admin"]}, {"group": {"$ne": 1}}):  # fmt: skip
            told(invited(**wrong), 400, "malformed")
    answers = []
    racing = [
        threading.Thread(target=lambda n=n: answers.append(joins(used, name=f"dora{n}").status_code)) for n in range(4)
    ]
    for thread in racing:
        thread.start()
    for thread in racing:
        thread.join()
    assert sorted(answers) == [200, 404, 404, 404]
    site.stranger.client.cookies.clear()  # one of them was signed in
    with site.unchanged():
        told(joins(used, name="dora9"), 404, "unknown_invitation")


@pytest.mark.parametrize("name", ["x'; DROP TABLE accounts; --", "1); DELETE FROM sessions; --", 'bob2" OR ""="', "bob2' OR '1'='1", "0', 'admin'); --", "x\\'; SELECT pg_sleep(5) --"])  # fmt: skip
def test_sql_in_the_name_of_somebody_who_joins(site, name):
    """A name like any other: they get in by it, as what they were invited as, and nobody else is touched."""
    token, new = site.accounts.invite("annotator", "2"), site.another()
    before = site.dump()
    for path, more in (("/api/join", {"token": token}), ("/api/login", {})):
        answer = new.client.post(path, json={"name": name, "password": PASSWORD, **more})
        assert (answer.status_code, answer.json()) == (200, {"name": name})
        me = new.get("/api/me").json()
        assert (me["name"], me["role"], me["group"]) == (name, "annotator", "2")
    told(site.stranger.client.post("/api/login", json={"name": name, "password": "not the password"}), 401)
    after = site.dump()
    for table, more in {"accounts": 1, "events": 1, "items": 0}.items():
        assert set(before[table]) <= set(after[table])
        assert len(after[table]) == len(before[table]) + more
    assert before["files"] == after["files"]
    assert name in [each["name"] for each in site.browser("root").get("/api/admin/overview").json()["members"]]
    assert site.store.check() == []

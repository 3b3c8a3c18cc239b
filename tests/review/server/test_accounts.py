"""Accounts without HTTP: an invitation is used once, whoever is faster; hashes; names."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from tests.review import postgres
from tests.review.server.serving import PASSWORD, QUICK, START, Site, template
from vdebench.errors import InputError
from vdebench.review.accounts import AccountDenial, Accounts, fold
from vdebench.review.commands import Join, Leave, Open
from vdebench.review.passwords import Passwords, wrong_password
from vdebench.review.sessions import SignedIn
from vdebench.review.store import Store


def race(stores, work):
    """What came of doing something everywhere at once."""
    ready, found = threading.Barrier(len(stores)), []

    def run(number, store):
        accounts = Accounts(store, QUICK)
        ready.wait()
        found.append(work(number, accounts))

    threads = [threading.Thread(target=run, args=each) for each in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def race_for_invitations(place):
    """Eight want to join by one invitation, then by one each with names that are too much alike."""
    with Store(place) as store:
        accounts = Accounts(store, QUICK)
        others = [Store(place) for _ in range(3)]
        stores = [store, *others] * 2
        for round in range(3):
            token = accounts.invite("annotator", "1", now=START)
            found = race(stores, lambda n, each, t=token, r=round: each.accept(t, f"new{r}{n}", PASSWORD, START))
            assert sum(isinstance(each, SignedIn) for each in found) == 1
            assert {each.error for each in found if isinstance(each, AccountDenial)} == {"unknown_invitation"}
            names = [member.name for member in store.study().members if member.name.startswith(f"new{round}")]
            assert [accounts.has_password(name) for name in names] == [True]
        tokens = [accounts.invite("annotator", "2", now=START) for _ in stores]
        names = ("zoe", "Zoe", "ZOE", "\uff3aoe") * 2
        found = race(stores, lambda n, each: each.accept(tokens[n], names[n], PASSWORD, START))
        assert sum(isinstance(each, SignedIn) for each in found) == 1
        assert {each.error for each in found if isinstance(each, AccountDenial)} <= {"name_taken", "known_member"}
        unused = [each for each in accounts.invitations() if each.group == "2" and each.used_by is None]
        assert len(unused) == len(stores) - 1  # whoever lost can choose another name
        token = accounts.invite(name="root", now=START)
        found = race(stores, lambda n, each: each.accept(token, "", f"password of number {n}", START))
        (winner,) = (each for each in found if isinstance(each, SignedIn))
        assert accounts.session(winner.token, START).name == "root"
        right = [n for n in range(len(stores)) if accounts.sign_in("root", f"password of number {n}", START)]
        assert len(right) == 1
        assert store.check() == []
        for other in others:
            other.close()


def test_an_invitation_is_used_once(tmp_path):
    with Store(tmp_path / "review.sqlite") as store:
        store.submit(Open(), who="root", now=START)
    race_for_invitations(tmp_path / "review.sqlite")


@pytest.mark.slow
def test_the_server_on_postgresql(tmp_path):
    pytest.importorskip("psycopg")
    if postgres.binaries() is None:
        pytest.skip("no PostgreSQL here")
    with postgres.running() as url:
        with Store(url) as store:
            store.submit(Open(), who="root", now=START)
        race_for_invitations(url)
        site = Site(url, tmp_path)
        root = site.browser()
        token = site.accounts.invite(name="root", now=START)
        assert root.post_json("/api/join", {"token": token, "password": PASSWORD}).status_code == 200
        root.show_token()
        assert root.get("/api/admin/overview").json()["funnel"]["total"] == 0
        for path in ("/api/me", "/api/progress", "/api/samples?which=mine", "/api/samples", "/api/conflicts"):
            assert root.get(path).status_code == 200, path
        for id in ("a\0b", "\ud800", "s0"):
            assert root.post_json("/api/hold", {"id": id}).status_code == 404
            assert root.get("/api/sample", params={"id": id.encode("utf-8", "replace")}).status_code == 404
        assert root.post_json("/api/login", {"name": "a\0b", "password": PASSWORD}).status_code == 401
        assert root.delete("/api/admin/invitations?id=%00").status_code == 404
        site.store.close()


def test_hashes():
    kept = Passwords().hash(PASSWORD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert Passwords().is_right(kept, PASSWORD)
    assert not Passwords().is_right(kept, PASSWORD + "x")
    assert not Passwords().is_right("no hash", PASSWORD)
    assert Passwords().is_old(QUICK.hash(PASSWORD))
    assert QUICK.hash(PASSWORD) != QUICK.hash(PASSWORD)
    assert QUICK.is_right(QUICK.hash("ＰＡＳＳ" + "e\u0301" * 8), "PASS" + "é" * 8)  # as another keyboard types it
    assert not QUICK.is_right(None, PASSWORD)


def test_an_old_hash_is_made_anew(site):
    stronger = Accounts(site.store, Passwords(2, 16))
    assert stronger.sign_in("anna1", PASSWORD, START)
    with site.store.database.reading() as connection:
        (kept,) = connection.exec_driver_sql("SELECT password FROM accounts WHERE name = 'anna1'").one()
    assert "m=16,t=2" in kept
    assert stronger.sign_in("anna1", PASSWORD, START)


@pytest.mark.parametrize("password", ["", "x" * 9, "x" * 201, "x" * 12 + "\0", "\ud800" * 12, 1234567890, None])
def test_what_is_no_password(password):
    assert wrong_password(password)


def test_names_that_are_too_much_alike():
    assert fold("Straße") == fold("STRASSE")
    assert fold("ﬁnn") == fold("Finn")
    assert fold("Zoe\u0308") == fold("zoë")
    assert fold("anna") != fold("anne")


def test_sessions_are_forgotten_when_they_are_over(site):
    old = site.accounts.sign_in("anna1", PASSWORD, START)
    later = START + timedelta(days=8)
    assert site.accounts.session(old.token, later) is None
    site.accounts.sign_in("ben1", PASSWORD, later)
    with site.store.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT name FROM sessions").all() == [("ben1",)]


def test_whoever_left_invites_nobody(site):
    site.store.submit(Join("kim", "admin"), who="root", now=START)
    tokens = [
        site.accounts.invite("admin", by="kim", now=START),
        site.accounts.invite(name="root", by="kim", now=START),
    ]
    site.store.submit(Leave("kim"), who="root", now=START)
    for token in tokens:
        assert site.accounts.invitation(token, START) is None
        assert isinstance(site.accounts.accept(token, "new", PASSWORD, START), AccountDenial)
    with pytest.raises(InputError, match="'kim' is not an admin"):
        site.accounts.invite("admin", by="kim", now=START)


def test_who_joins_gets_no_name_of_one_who_left(site):
    site.store.submit(Leave("ben1"), who="root", now=START)
    token = site.accounts.invite("annotator", "1", now=START)
    assert site.accounts.accept(token, "ben1", PASSWORD, START).error == "name_taken"


def test_a_review_that_is_not_opened(tmp_path):
    with Store(tmp_path / "r.sqlite") as store, pytest.raises(InputError, match="not open yet"):
        Accounts(store, QUICK).invite("admin")


def test_the_template_is_whole(tmp_path):
    with Store(template(tmp_path)) as store:
        assert store.check() == []

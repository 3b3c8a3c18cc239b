"""The same store on a real PostgreSQL, which is started for it."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("psycopg")

from tests.review import postgres
from tests.review.people import GROUPS, NINE, at
from tests.review.stores import filled, must, vote, walk
from tests.review.test_store import leases
from vdebench.review.assignment import next_for
from vdebench.review.commands import EndPilot, StartPilot
from vdebench.review.funnel import funnel
from vdebench.review.options import Options
from vdebench.review.refusals import Refusal
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server():
    if postgres.binaries() is None:
        pytest.skip("no PostgreSQL here: install it (on Debian `apt-get install postgresql`) to test the store on it")
    with postgres.running() as url:
        yield url


@pytest.fixture
def url(server):
    """The database, empty."""
    yield server
    sa = sqlalchemy()
    engine = sa.create_engine(server.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()


def test_a_walk_and_its_replay(url):
    with filled(url, 8, Options(rounds=2)) as store:
        assert walk(store, 160, seed=1) > 60
        state = store.state()
        assert store.check() == []
        assert store.funnel() == funnel(state)
        with Store(url) as again:
            assert again.state() == state
            again.rebuild()
            assert again.check() == []


def test_it_gives_the_events_that_sqlite_gives(url, tmp_path):
    with filled(url, 8) as one, filled(tmp_path / "r.sqlite", 8) as other:
        walk(one, 120, seed=3)
        walk(other, 120, seed=3)
        assert list(one.events()) == list(other.events())
        for who in ("1a", "2c", "judge"):
            expected = next_for(one.state(), who, at(9999), leases(one))
            found = one.take(who, at(9999))
            assert (found and found.sample) == (expected and expected.id)


def test_the_database_itself_refuses_a_second_vote_and_any_change(url):
    sa, events = sqlalchemy(), tables().events
    with filled(url) as store:
        must(store, Rate("s0", 1, "1", NINE), "1a")
        columns = [column for column in events.c if column.name != "seq"]
        with store._database.writing() as connection:
            row = dict(connection.execute(sa.select(*columns).where(events.c.step == "score")).mappings().one())
            with pytest.raises(sa.exc.IntegrityError, match="one_vote_per_round"):
                connection.execute(sa.insert(events).values({**row, "version": 9}))
        for change in ("UPDATE events SET who = 'mallory'", "DELETE FROM events", "TRUNCATE events"):
            with store._database.writing() as connection, pytest.raises(sa.exc.DBAPIError, match="never changed"):
                connection.exec_driver_sql(change)
        assert store.submit(Rate("s0\0", 1, "1", NINE), who="1a", now=at(0)).reason == "bad_text"


def test_many_at_once(url):
    """Fifteen people in threads, the same samples and keys sent twice, a pilot that ends meanwhile."""
    from random import Random

    wrong: list = []
    with filled(url, 20) as store:
        must(store, StartPilot(("s0",)), "root")

        def person(name: str) -> None:
            random = Random(name)
            try:
                store.submit(RatePilot("s0", 1, NINE), who=name, now=at(0), key="pilot")
                begun = threading.Event()
                while store.study().pilot_open:
                    begun.wait(0.01)
                for number in range(25):
                    item = store.take(name, at(number))
                    if item is None:
                        continue
                    command = vote(item, name[0], random)
                    first = store.submit(command, who=name, now=at(number), key=f"{number}")
                    again = store.submit(command, who=name, now=at(number), key=f"{number}")
                    if isinstance(first, Refusal):
                        assert first.reason.value in (
                            "pilot_open",
                            "already_voted",
                            "wrong_step",
                            "leased",
                            "wrong_round",
                        ), first
                    else:
                        assert again.repeated, again
                        assert again.events == first.events
            except Exception as error:
                wrong.append(error)

        names = [f"{group}{letter}" for group in GROUPS for letter in "abcde"]
        threads = [threading.Thread(target=person, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        must(store, EndPilot(), "root")
        for thread in threads:
            thread.join()
        assert wrong == []
        state = store.state()
        cast = [(vote.sample, vote.step, vote.what.round, vote.voter) for vote in store.events() if vote.step]
        assert len(cast) == len(set(cast)) > 100
        assert store.check() == []
        assert store.funnel() == funnel(state)
        assert store.funnel().adds_up


def test_two_that_open_it_at_once(url):
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(Store(url))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for store in found:
        store.close()


def test_migrations_make_the_tables_that_the_code_thinks_of(url):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with Store(url) as store, store._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables().metadata) == []

"""The store on SQLite: one vote per group and round whatever happens at once, and tables that say what the events say."""

from __future__ import annotations

import multiprocessing
import sqlite3
import sys
import threading
from contextlib import contextmanager
from random import Random

import pytest

from tests.review.people import BOX, GROUPS, MEMBERS, NINE, Review, at
from vdebench.errors import InputError, MissingPartError
from vdebench.review.assignment import Lease, next_for
from vdebench.review.commands import Add, EndPilot, Join, Leave, StartPilot, Withdraw
from vdebench.review.events import stamp
from vdebench.review.funnel import funnel
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.state import replay
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")

from tests.review.stores import filled, must, vote, walk
from vdebench.review import database
from vdebench.review.store import Store


@pytest.fixture
def store(tmp_path):
    with filled(tmp_path / "review.sqlite") as made:
        yield made


def test_a_walk_and_its_replay(tmp_path):
    with filled(tmp_path / "r.sqlite", 8, Options(rounds=2)) as store:
        assert walk(store, 160, seed=1) > 60
        state = store.state()
        assert {"passed", "rejected"} <= {item.step for item in state.items.values()}
        assert store.check() == []
        assert store.funnel() == funnel(state)
        assert store.funnel().adds_up
        assert replay(list(store.events())) == state
        with Store(tmp_path / "r.sqlite") as again:  # another process would see the same
            assert again.state() == state
            again.rebuild()
            assert again.check() == []
            assert again.funnel() == funnel(state)


def test_a_projection_that_lies_is_found_and_made_anew(store, tmp_path):
    must(store, Rate("s0", 1, "1", NINE), "1a")
    with sqlite3.connect(tmp_path / "review.sqlite") as raw:
        raw.execute("UPDATE items SET step = 'passed' WHERE sample = 's0'")
        raw.execute("DELETE FROM queue WHERE sample = 's1' AND voter = 'group:2'")
    raw.close()
    assert [line.split(":")[0] for line in store.check()] == ["items", "queue"]
    store.rebuild()
    assert store.check() == []


def test_the_database_itself_refuses_a_second_vote_and_any_change(store, tmp_path):
    must(store, Rate("s0", 1, "1", NINE), "1a")
    raw = sqlite3.connect(tmp_path / "review.sqlite")
    row = "stream, version, kind, who, moment, step, round, voter, body"
    again = f"INSERT INTO events ({row}) SELECT stream, version + 1, kind, '1b', moment, step, round, voter, body FROM events WHERE step = 'score'"
    with pytest.raises(sqlite3.IntegrityError, match=r"events\.stream, events\.step, events\.round, events\.voter"):
        raw.execute(again)
    with pytest.raises(sqlite3.IntegrityError, match="version"):
        raw.execute(f"INSERT INTO events ({row}) VALUES ('s0', 2, 'marked', '1b', '', '', 0, NULL, '{{}}')")
    for change in ("UPDATE events SET who = 'mallory'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            raw.execute(change)
    raw.close()


def test_sqlite_is_set_up_to_lose_nothing(store):
    with store._database.writing() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL


def test_the_same_vote_sent_twice_counts_once(store):
    vote = Rate("s0", 1, "1", NINE)
    first = must(store, vote, "1a", key="k1")
    second = must(store, vote, "1a", key="k1")
    assert (first.repeated, second.repeated, second.events) == (False, True, first.events)
    assert store.submit(vote, who="1a", now=at(1)).reason == "already_voted"
    assert store.submit(Rate("s1", 1, "1", NINE), who="1a", now=at(1), key="k1").reason == "key_reused"
    must(store, Rate("s0", 1, "2", NINE), "2a", key="k1")  # another's key is another key
    assert len(store.state().items["s0"].votes("score", 1)) == 2
    for number, key in enumerate(("a\0", "x" * 300, "\ud800")):
        assert store.submit(vote, who="1b", now=at(number), key=key).reason == "bad_text"


def test_a_refused_command_can_be_sent_again_with_its_key(store):
    assert store.submit(Draw("s0", 1, "1", (BOX,)), who="1a", now=at(0), key="k").reason == "wrong_step"
    for group in GROUPS:
        must(store, Rate("s0", 1, group, NINE), f"{group}a")
    assert not must(store, Draw("s0", 1, "1", (BOX,)), "1a", key="k").repeated


def test_refusals_change_nothing(store):
    before = list(store.events())
    for command, who in (
        (Rate("s0", 1, "2", NINE), "1a"),
        (Rate("s0' OR 1=1 --", 1, "1", NINE), "1a"),
        (Rate("s0\0", 1, "1", NINE), "1a"),
        (Rate("s0", 1, "1", Ratings(9, 9, 9)), "1a"),
        (Rate("s0", 1, "1", NINE), "1a\0"),
        (Rate(7, 1, "1", NINE), "1a"),
        (Add(()), "1a"),
    ):
        assert isinstance(store.submit(command, who=who, now=at(0), key="k"), Refusal)
    assert isinstance(store.view("1a", "\0"), Refusal)
    assert isinstance(store.hold("1a", "\ud800", at(0)), Refusal)
    store.release("1a", "\0")
    assert store.take("mallory", at(0)) is None
    assert list(store.events()) == before
    assert store.check() == []


def test_what_one_holds_is_kept_from_others_of_the_group(store):
    assert store.take("1a", at(0)).sample == "s0"
    assert store.take("1a", at(1)).sample == "s0"  # what they hold
    assert store.take("1b", at(1)).sample == "s1"
    assert store.take("1c", at(1)).sample == "s2"
    assert store.take("1d", at(1)) is None
    assert store.take("2a", at(1)).sample == "s0"
    assert store.submit(Rate("s1", 1, "1", NINE), who="1e", now=at(2)).reason == "leased"
    assert store.hold("1e", "s1", at(2)).reason == "leased"
    store.release("1b", "s1")
    assert isinstance(store.hold("1e", "s1", at(2)), Lease)
    assert store.take("1d", at(31 * 60)).sample == "s0"  # the lease of 1a is over …
    assert store.submit(Rate("s0", 1, "1", NINE), who="1a", now=at(31 * 60)).reason == "leased"  # … and given on
    assert store.hold("judge", "s0", at(0)).reason == "closed"


def test_a_clock_that_was_wrong_keeps_nobody_out_for_days(store):
    tomorrow = 24 * 3600
    assert store.take("1a", at(tomorrow)).sample == "s0"
    assert store.take("1b", at(1)).sample == "s0"
    must(store, Rate("s0", 1, "1", NINE), "1b", 2)
    store.hold("1a", "s1", at(tomorrow))
    assert isinstance(store.hold("1c", "s1", at(3)), Lease)
    store.hold("1a", "s2", at(tomorrow))
    must(store, Rate("s2", 1, "1", NINE), "1d", 4)
    assert store.take("2a", at(60)).sample == "s0"
    assert store.hold("2b", "s0", at(0)).reason == "leased"  # a server whose clock is a little behind


def test_next_for_takes_no_word_of_a_clock_that_was_wrong(store):
    for until, expected in ((at(60), "s1"), (at(31 * 60), "s1"), (at(24 * 3600), "s0")):
        held = {("s0", "group:1"): Lease("s0", "group:1", "1a", stamp(until))}
        assert next_for(store.state(), "1b", at(0), held).id == expected


def test_whoever_leaves_holds_nothing(store):
    assert store.take("1a", at(0)).sample == "s0"
    assert store.take("1b", at(0)).sample == "s1"
    must(store, Leave("1a"), "root", 1)
    assert store.take("1c", at(2)).sample == "s0"
    assert store.submit(Rate("s1", 1, "1", NINE), who="1d", now=at(3)).reason == "leased"  # others' holds stand
    assert store.check() == []


def test_take_without_some(store):
    assert store.take("1a", at(0)).sample == "s0"
    assert store.take("1a", at(1), without=["s0"]).sample == "s1"
    assert store.take("1b", at(2)).sample == "s0"  # it was let go of
    assert store.take("1a", at(3), ["score"], ["s0", "s1", "s2"]) is None


@pytest.mark.parametrize(
    ("pragma", "words"),
    [("query_only = 1", "readonly"), ("max_page_count = 1", "full"), ("", "no such table")],
)
def test_a_database_that_cannot_be_written_is_told_and_logged_at_once(store, caplog, monkeypatch, pragma, words):
    tries, writing = [], store.database.writing

    @contextmanager
    def broken():
        tries.append(1)
        with writing() as connection:
            connection.exec_driver_sql(f"PRAGMA {pragma}" if pragma else "DROP TABLE queue")
            try:
                yield connection
            finally:
                for whole in ("query_only = 0", "max_page_count = 1000000"):
                    connection.exec_driver_sql(f"PRAGMA {whole}")

    monkeypatch.setattr(store.database, "writing", broken)
    long = Withdraw("s0", "x" * 19_000)  # needs pages of its own
    refused = store.submit(long, who="root", now=at(0))
    assert (refused.reason, len(tries)) == ("busy", 1)
    assert "cannot be written" in refused.words
    assert words in caplog.text
    assert "xxx" not in caplog.text
    monkeypatch.undo()
    must(store, long, "root")


def test_a_database_that_is_busy_is_tried_again(store, caplog, monkeypatch, tmp_path):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    with Store(tmp_path / "review.sqlite") as hasty, sqlite3.connect(tmp_path / "review.sqlite") as raw:
        raw.execute("BEGIN IMMEDIATE")
        refused = hasty.submit(Rate("s0", 1, "1", NINE), who="1a", now=at(0))
        assert "is busy" in refused.words
        assert "given up after 5 tries: database is locked" in caplog.text
    raw.close()


def leases(store):
    """What the queue says of leases, as the engine takes them."""
    from vdebench.review.tables import sqlalchemy, tables

    queue = tables().queue
    with store._database.reading() as connection:
        rows = connection.execute(sqlalchemy().select(queue).where(queue.c.holder.is_not(None))).all()
    return {(row.sample, row.voter): Lease(row.sample, row.voter, row.holder, row.until) for row in rows}


def test_take_gives_what_next_for_gives(tmp_path):
    random = Random(5)
    with filled(tmp_path / "r.sqlite", 4) as store:
        for number in range(60):
            (who, _, group), now = random.choice(MEMBERS), at(400 * number)
            steps = random.choice([None, None, None, ["score"], ["boxes", "screen"]])
            expected = next_for(store.state(), who, now, leases(store), steps)
            found = store.take(who, now, steps)
            assert (found and found.sample) == (expected and expected.id)
            if found and random.random() < 0.7:
                must(store, vote(found, group, random), who, 400 * number)


def test_pilot_and_people_in_the_queue(store):
    must(store, StartPilot(("s0", "s1")), "root")
    assert store.funnel().places["pilot"] == 2
    assert store.take("1a", at(0)).sample == "s0"
    must(store, RatePilot("s0", 1, Ratings(1, 2, 3)), "1a", 1)
    assert store.take("1a", at(2)).sample == "s1"
    assert store.take("1b", at(2)).sample == "s0"  # everybody for themselves
    must(store, Join("1z", "annotator", "1"), "root")
    assert store.take("1z", at(2)).sample == "s0"
    must(store, Leave("1b"), "root")
    assert store.take("1b", at(3)) is None
    assert store.check() == []
    must(store, EndPilot(), "root")
    must(store, Withdraw("s0", "broken"), "root", 4)
    assert store.check() == []
    assert store.take("1a", at(5)).sample == "s1"
    assert store.funnel() == funnel(store.state())


def test_it_is_the_engine(tmp_path):
    """The same commands in memory and in the store leave the same events."""
    review = Review(2)
    with filled(tmp_path / "r.sqlite", 2) as store:
        for group in GROUPS:
            review.must(Rate("s0", 1, group, NINE), f"{group}a")
            must(store, Rate("s0", 1, group, NINE), f"{group}a")
        assert [event.what for event in store.events()] == [event.what for event in review.log]
        assert store.view("1a", "s0").step == "boxes"
        assert len(store.study().members) == 17


def race(store, seconds, sample, group, results, barrier):
    barrier.wait()
    for who in (f"{group}{letter}" for letter in "ab"):
        results.append(store.submit(Rate(sample, 1, group, NINE), who=who, now=at(seconds)))


def test_threads_that_vote_at_once(store):
    results: list = []
    barrier = threading.Barrier(6)
    threads = [
        threading.Thread(target=race, args=(store, 0, "s0", group, results, barrier))
        for group in GROUPS
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = [each for each in results if not isinstance(each, Refusal)]
    assert len(accepted) == 3
    assert {each.reason.value for each in results if isinstance(each, Refusal)} == {"already_voted"}
    assert store.state().items["s0"].step == "boxes"  # the last of three groups has closed the step, and only it
    assert store.check() == []


def in_a_process(place, who, count, start, answers):
    with Store(place) as store:
        start.wait()
        for number in range(count):
            answer = store.submit(Rate(f"s{number}", 1, "1", NINE), who=who, now=at(number))
            answers.put((number, who, answer.reason.value if isinstance(answer, Refusal) else "accepted"))


def test_processes_that_vote_at_once(tmp_path):
    """Two members of one group, the same thirty samples: each has one vote, the other is told why not."""
    place, count = tmp_path / "r.sqlite", 30
    filled(place, count).close()
    context = multiprocessing.get_context("spawn")
    start, answers = context.Event(), context.Queue()
    workers = [context.Process(target=in_a_process, args=(place, who, count, start, answers)) for who in ("1a", "1b")]
    for worker in workers:
        worker.start()
    start.set()
    told = [answers.get(timeout=60) for _ in range(2 * count)]
    for worker in workers:
        worker.join()
    for number in range(count):
        assert sorted(answer for at, _, answer in told if at == number) == ["accepted", "already_voted"]
    with Store(place) as store:
        winners = {(number, who) for number, who, answer in told if answer == "accepted"}
        items = store.state().items
        assert {(number, items[f"s{number}"].votes("score", 1)[0].who) for number in range(count)} == winners
        assert store.check() == []


def test_migrations_make_the_tables_that_the_code_thinks_of(store):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    from vdebench.review.tables import tables

    with store._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables().metadata) == []
        assert context.get_current_revision() == "0001"


def test_a_database_of_tomorrow(store, tmp_path):
    with sqlite3.connect(tmp_path / "review.sqlite") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    with pytest.raises(InputError, match="newer vdebench"):
        Store(tmp_path / "review.sqlite")


def test_a_driver_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingPartError, match=r'pip install "vdebench\[review,postgresql\]"') as caught:
        Store("postgresql://vde:secret@localhost/x")
    assert "secret" not in str(caught.value)


def test_places_that_are_none(tmp_path):
    (tmp_path / "text.sqlite").write_text("this is no database, however long one looks at it" * 20)
    for place, words in (
        (tmp_path / "text.sqlite", "cannot be opened as a database"),
        (tmp_path / "nowhere" / "r.sqlite", "no such folder"),
        ("mysql://root:secret@localhost/x", "unsupported database"),
        ("sqlite://", "unsupported database"),
        ("postgresql://vde:secret@localhost:1/x", "cannot be opened"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            Store(place)
        assert "secret" not in str(caught.value)

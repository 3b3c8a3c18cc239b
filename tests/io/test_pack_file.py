"""The file of small values: threads and processes, killed writers, damaged and write-protected files, its limit."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import sqlite3
import tempfile
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from tests.rights import without_rights
from vdebench.io import pack_file
from vdebench.io.pack_file import PackFile

LIMIT = 10**9


def key_of(number: int) -> bytes:
    return sha256(f"key {number}".encode()).digest()


def values(*numbers: int) -> dict[bytes, bytes]:
    """Values that follow from their keys, of 32 to 320 bytes."""
    return {key_of(number): sha256(f"value {number}".encode()).digest() * (1 + number % 10) for number in numbers}


@pytest.fixture
def pack(tmp_path):
    return PackFile(tmp_path / "lines")


def database(pack: PackFile) -> Path:
    (file,) = pack.folder.glob("values-*.sqlite")
    return file


def test_stored_values_are_found_by_their_keys(pack):
    expected = values(*range(1200))  # more than one query
    pack.put(expected, LIMIT)
    assert pack.find([*expected, key_of(-1)]) == expected
    assert pack.find([]) == {}
    assert pack.count() == 1200


def test_without_a_file_there_are_no_values_and_reading_creates_none(pack):
    assert pack.find([key_of(0)]) == {}
    assert pack.count() == 0
    assert not pack.folder.exists()


def test_put_replaces_a_value(pack):
    key = key_of(0)
    pack.put({key: b"first"}, LIMIT)
    pack.put({key: b""}, LIMIT)
    assert pack.find([key]) == {key: b""}


def test_a_pack_can_be_sent_to_a_process(pack):
    pack.put(values(0), LIMIT)
    assert pickle.loads(pickle.dumps(pack)).find([key_of(0)]) == values(0)


def use(folder: Path, start: int) -> None:
    """Store and find values that other processes and threads store too."""
    pack = PackFile(folder)
    for index in range(50):
        numbers = range((start + index * 7) % 300, (start + index * 7) % 300 + 20)
        pack.put(values(*numbers), LIMIT)
        found = pack.find([key_of(number) for number in range(320)])
        expected = values(*range(320))
        assert all(expected[key] == value for key, value in found.items())
        assert found.keys() >= values(*numbers).keys()


def test_threads_and_processes_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=use, args=(tmp_path, start)) for start in (0, 100)]
    for process in others:
        process.start()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda start: use(tmp_path, start), (0, 50, 150, 250)))
    for process in others:
        process.join()
    assert [process.exitcode for process in others] == [0, 0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_uses_the_pack_of_its_parent(pack):
    pack.put(values(0), LIMIT)
    process = multiprocessing.get_context("fork").Process(target=pack.put, args=(values(1), LIMIT))
    process.start()
    pack.put(values(2), LIMIT)
    process.join()
    assert process.exitcode == 0
    assert pack.find([*values(0, 1, 2)]) == values(0, 1, 2)


def write_forever(folder: Path, start: int) -> None:
    pack = PackFile(folder)
    while True:
        pack.put(values(*range(start, start + 50)), LIMIT)
        start += 50


def test_killed_writers_leave_only_right_values(tmp_path, caplog):
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    pack = PackFile(tmp_path)
    last = 0
    for kill in range(10):
        writer = context.Process(target=write_forever, args=(tmp_path, last))
        writer.start()
        while pack.count() < last + 50:
            time.sleep(0.002)
        time.sleep(0.003 * kill)  # at another moment of a transaction
        writer.kill()
        writer.join()
        last = pack.count()
        assert last % 50 == 0  # whole transactions only
        assert pack.find([*values(*range(last))]) == values(*range(last))
    assert not caplog.records
    with closing(sqlite3.connect(database(pack))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("damage", ["no database", "cut", "overwritten", "other table"])
def test_a_damaged_file_is_logged_and_replaced(pack, caplog, damage):
    expected = values(*range(2000))
    pack.put(expected, LIMIT)
    file = database(pack)
    content = file.read_bytes()
    if damage == "other table":
        file.unlink()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE pack (name)")
    else:
        half = len(content) // 2
        wrong = {"no database": b"x" * 5000, "cut": content[:half], "overwritten": content[:4096] + b"\7" * half}
        file.write_bytes(wrong[damage])
    for _ in range(3):
        found = pack.find([*expected])
        assert all(expected[key] == value for key, value in found.items())
        pack.put(expected, LIMIT)
    assert pack.find([*expected]) == expected
    assert [record.getMessage() for record in caplog.records if "is damaged" in record.getMessage()]
    assert len(list(pack.folder.glob("values-*"))) == 1


def test_no_changed_byte_gives_a_wrong_value(pack, caplog):
    caplog.set_level(logging.ERROR)
    expected = values(*range(60))
    pack.put(expected, LIMIT)
    content = database(pack).read_bytes()
    text_of_the_schema = range(3700, 4096)
    for at in (*range(0, len(content), 61), *text_of_the_schema):
        for old in pack.folder.glob("values-*"):
            old.unlink()
        changed = bytearray(content)
        changed[at] ^= 0x55
        (pack.folder / "values-1.sqlite").write_bytes(changed)
        found = pack.find([*expected])
        assert all(expected[key] == value for key, value in found.items()), at
    pack.put(expected, LIMIT)
    assert pack.find([*expected]) == expected


def test_a_wrong_value_is_not_returned_and_can_be_stored_again(pack):
    pack.put(values(0, 1), LIMIT)
    with closing(sqlite3.connect(database(pack))) as connection, connection:
        connection.execute("UPDATE pack SET value = x'00' WHERE key = ?", (key_of(0),))
    assert pack.find([*values(0, 1)]) == values(1)
    pack.put(values(0), LIMIT)
    assert pack.find([*values(0, 1)]) == values(0, 1)


def test_a_pack_that_cannot_be_written_is_logged_once(tmp_path, caplog):
    (tmp_path / "file").touch()
    pack = PackFile(tmp_path / "file" / "lines")
    for number in range(3):
        pack.put(values(number), LIMIT)
        assert pack.find([*values(number)]) == {}
    (record,) = caplog.records
    assert "cannot be written" in record.getMessage()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the rights of POSIX")
def test_a_write_protected_pack_is_read(caplog, monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        pack = PackFile(Path(folder) / "lines")
        pack.put(values(0), LIMIT)
        for path, mode in [(Path(folder), 0o755), (pack.folder, 0o555), (database(pack), 0o444)]:
            path.chmod(mode)
        monkeypatch.setattr(pack_file, "_today", lambda: 1)  # the use cannot be recorded
        with without_rights():
            assert pack.find([*values(0, 1)]) == values(0)
            assert not caplog.records
            pack.put(values(1), LIMIT)
            assert "cannot be used" in caplog.text
            assert pack.find([*values(0, 1)]) == values(0)
        pack.folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the rights of POSIX")
def test_a_damaged_pack_that_cannot_be_replaced_is_logged_once(caplog):
    with tempfile.TemporaryDirectory() as folder:
        pack = PackFile(Path(folder) / "lines")
        pack.put(values(0), LIMIT)
        database(pack).write_bytes(b"x" * 5000)
        for path, mode in [(Path(folder), 0o755), (pack.folder, 0o555), (database(pack), 0o444)]:
            path.chmod(mode)
        with without_rights():
            for _ in range(3):
                assert pack.find([*values(0)]) == {}
        pack.folder.chmod(0o755)
    (record,) = caplog.records
    assert "is damaged (file is not a database) and cannot be replaced" in record.getMessage()


def test_a_mistake_of_the_caller_does_not_delete_the_file(pack):
    pack.put(values(0), LIMIT)
    with pytest.raises(sqlite3.ProgrammingError):
        pack._use(lambda connection: connection.execute("SELECT ?", (object(),)))
    with pytest.raises(TypeError):
        pack.put({key_of(1): object()}, LIMIT)
    assert pack.find([*values(0)]) == values(0)


def test_the_least_recently_used_values_are_removed_at_the_limit(tmp_path, monkeypatch):
    pack = PackFile(tmp_path)
    for day in range(60):
        monkeypatch.setattr(pack_file, "_today", lambda day=day: day)
        pack.put(values(*range(50 * day, 50 * day + 50)), 400_000)  # the limit is about 1,400 values
        assert len(pack.find([*values(*range(50))])) == 50  # those of the first day are used every day
        assert pack.size() <= 450_000
    found = pack.find([*values(*range(3000))]).keys()
    assert found >= values(*range(2000, 3000)).keys()
    assert found.isdisjoint(values(*range(50, 1500)))


def test_shrink_makes_the_file_smaller(pack):
    pack.put(values(*range(5000)), LIMIT)
    before = pack.size()
    pack.shrink(before // 3)
    assert pack.size() <= before // 3
    assert 1000 < pack.count() < 2000  # about a third
    assert pack.find([*values(4999)]) == values(4999)
    pack.shrink(0)
    assert pack.count() == 0


def test_memory_does_not_grow_with_the_number_of_values(pack):
    def store(start: int) -> None:
        for batch in range(start, start + 20):
            part = values(*range(100 * batch, 100 * batch + 100))
            pack.put(part, LIMIT)
            assert pack.find([*part]) == part

    store(0)
    tracemalloc.start()
    store(20)
    before, _ = tracemalloc.get_traced_memory()
    store(40)
    store(60)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000  # 4,000 values have 700 kB

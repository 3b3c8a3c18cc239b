"""The size limit of the cache: order of removal, automatic removal, values in use, generated suites."""

from __future__ import annotations

import os
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vdebench.errors import InputError, RunFolderError
from vdebench.io import cache_limit
from vdebench.io.cache import Cache, as_object, digest_of
from vdebench.io.cache_files import DAY, Tier, cache_usage, folder_size, stored_items
from vdebench.io.cache_limit import parse_size, prune
from vdebench.io.files import locked
from vdebench.io.value_pack import ValuePack

TEXT = "x" * 20_000
"""Values of 20 kB, five blocks of a disk: 20,480 bytes."""


def set_use(file: Path, days: float) -> None:
    """Make a file look as if it was last used some days ago."""
    then = time.time() - days * DAY
    os.utime(file, (then, then))


def cache_of(root: Path, kind="readings", name="ocr") -> Cache:
    return Cache(kind, {"name": name}, as_object, root)


def store(root: Path, numbers, *, kind="readings", name="ocr", lasting=False, days=0.0) -> None:
    """Store values that were last used some days ago."""
    cache = cache_of(root, kind, name)
    for number in numbers:
        key = digest_of(f"{number}")
        cache.put(key, {"number": number, "text": TEXT}, lasting=lasting)
        for file in cache.folder.glob(f"??/{key}*"):
            set_use(file, days)


def stored(root: Path, numbers, kind="readings", name="ocr") -> list[int]:
    cache = cache_of(root, kind, name)
    return [number for number in numbers if cache.find(digest_of(f"{number}")) is not None]


def size_of(root: Path) -> int:
    return sum(row.size for row in cache_usage(root))


def make_suite(root: Path, name: str, days: float) -> Path:
    folder = root / "typeset" / name
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "page.png").write_bytes(os.urandom(100_000))
    (folder / "suite.toml").write_text("")
    set_use(folder / "suite.toml", days)
    return folder


@pytest.mark.parametrize("text", ["", "GB", "20 XB", "-1GB", "1e9", "20 GB please", "２０"])
def test_a_size_that_is_none(text):
    with pytest.raises(InputError, match="expected a number of bytes such as 20GB"):
        parse_size(text)


def test_an_invalid_limit_is_an_error_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE_SIZE", "much")
    with pytest.raises(InputError, match="VDE_CACHE_SIZE is 'much'"):
        cache_of(tmp_path)


def test_below_the_limit_nothing_is_removed(tmp_path):
    store(tmp_path, range(10), days=100)
    assert prune(tmp_path, 10**6) == (0, size_of(tmp_path), 0)
    assert stored(tmp_path, range(10)) == [*range(10)]


def test_the_least_recently_used_values_are_removed_first(tmp_path):
    for number in range(20):
        store(tmp_path, [number], days=40 - number, name="old" if number < 10 else "new")
    assert prune(tmp_path, size_of(tmp_path) * 3 // 5).recent == 0
    assert stored(tmp_path, range(10), name="old") == [8, 9]
    assert stored(tmp_path, range(10, 20), name="new") == [*range(10, 20)]


def test_a_used_value_is_kept(tmp_path):
    store(tmp_path, range(10), days=3)
    assert stored(tmp_path, [4]) == [4]
    prune(tmp_path, size_of(tmp_path) // 5)
    assert 4 in stored(tmp_path, range(10))


def test_ground_truth_is_removed_last(tmp_path):
    store(tmp_path, range(5), lasting=True, days=300)
    store(tmp_path, range(5, 10), days=1)
    store(tmp_path, range(10, 15), kind="measures", days=200)
    store(tmp_path, range(15, 20), kind="grades", days=250)
    lines = ValuePack.of_maker({"name": "lines"}, tmp_path)
    values = {digest_of(f"{number}"): os.urandom(200) for number in range(500)}
    lines.put_many(values)
    for limit, outputs, metrics, share in [
        (size_of(tmp_path), 5, 5, 1),
        (size_of(tmp_path) - 40_000, 3, 5, 1),
        (size_of(tmp_path) - 110_000, 0, 4, 1),
        (size_of(tmp_path) - 240_000, 0, 0, 0.9),
        (240_000, 0, 0, 0.2),
    ]:
        prune(tmp_path, limit)
        assert size_of(tmp_path) <= limit
        assert len(stored(tmp_path, range(5, 10))) == outputs
        assert len(stored(tmp_path, range(10, 15), "measures")) == metrics
        assert len(lines.find_many([*values])) <= share * 500
        assert len(stored(tmp_path, range(5))) == len(stored(tmp_path, range(15, 20), "grades")) == 5
    prune(tmp_path, 100_000)  # now of these the least recently used, which the test has used today
    assert size_of(tmp_path) <= 100_000


def test_ground_truth_of_an_old_reader_is_kept_longer_than_new_output(tmp_path):
    store(tmp_path, range(10), name="old", lasting=True, days=400)
    store(tmp_path, range(10), name="new")
    prune(tmp_path, size_of(tmp_path) // 2)
    assert stored(tmp_path, range(10), name="old") == [*range(10)]
    assert stored(tmp_path, range(10), name="new") == []


def test_values_are_removed_automatically_while_they_are_written(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("VDE_CACHE_SIZE", "5MB")
    walks = []
    monkeypatch.setattr(cache_limit, "stored_items", lambda root: walks.append(1) or stored_items(root))
    store(tmp_path, range(1000, 1050), lasting=True, days=10)
    with ThreadPoolExecutor(4) as threads:
        for start in range(0, 600, 200):
            list(threads.map(lambda number: store(tmp_path, [number]), range(start, start + 200)))
            assert size_of(tmp_path) < 8_000_000  # of 13 MB; threads write on while one of them removes values
    assert len(walks) < 150  # not for every value
    assert "is limited to 5.0 MB" in caplog.text
    assert "set VDE_CACHE_SIZE to a larger size" in caplog.text
    assert stored(tmp_path, range(1000, 1050)) == [*range(1000, 1050)]


def test_what_a_process_needs_and_another_removed_is_computed_again(tmp_path):
    store(tmp_path, [1])
    cache = cache_of(tmp_path)
    prune(tmp_path, 0)
    assert cache.find(digest_of("1")) is None
    assert cache.get(digest_of("1"), lambda: {"number": 2}) == {"number": 2}


def test_a_suite_that_was_used_this_month_is_kept(tmp_path):
    used, unused = make_suite(tmp_path, "used", 29), make_suite(tmp_path, "unused", 31)
    half_deleted = make_suite(tmp_path, ".removed-earlier", 31)
    assert cache_usage(tmp_path)[-1][:3] == ("typeset", {"name": "generated suites"}, 2)
    assert cache_usage(tmp_path)[-1].size == folder_size(used) + folder_size(unused) > 200_000
    prune(tmp_path, 10**9)
    assert unused.exists()
    prune(tmp_path, 0)
    assert used.exists()
    assert not unused.exists()
    assert not half_deleted.exists()


def test_files_of_killed_processes_are_deleted_after_a_day(tmp_path):
    store(tmp_path, [1])
    (value,) = cache_of(tmp_path).folder.glob("??/*.json")
    old, new = (value.with_name(f".{value.name}.{part}") for part in ("old", "new"))
    for file in (old, new):
        file.write_text("{")
    set_use(old, 2)
    prune(tmp_path, 10**9)
    assert not old.exists()
    assert new.exists()
    assert value.exists()


def test_only_one_process_removes_values(tmp_path):
    store(tmp_path, [1])
    with locked(tmp_path, name=".prune-lock"):
        with pytest.raises(RunFolderError):
            prune(tmp_path, 0, wait=False)
        cache_limit.note_written(tmp_path, 10**12)  # nor does it wait
    assert stored(tmp_path, [1]) == [1]


def test_tiers_of_stored_values(tmp_path):
    store(tmp_path, [1])
    store(tmp_path, [2], lasting=True)
    store(tmp_path, [3], kind="measures")
    store(tmp_path, [4], kind="grades")
    tiers = [item.tier for item in stored_items(tmp_path)]
    assert sorted(tiers) == [Tier.OUTPUTS, Tier.METRICS, Tier.GROUND_TRUTH, Tier.GROUND_TRUTH]


def test_memory_does_not_grow_with_the_number_of_values(tmp_path, monkeypatch):
    folder, count = cache_of(tmp_path).folder, 5000
    for number in range(count):
        file = folder / f"{number % 256:02x}" / f"{digest_of(f'{number}')}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    deleted, sizes = [], []
    delete = cache_limit._delete

    def measured_delete(path: Path) -> bool:
        deleted.append(1)
        if len(deleted) == count:
            traces = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/vdebench/io/*")])
            sizes.append(sum(statistic.size for statistic in traces.statistics("filename")))
        return delete(path)

    monkeypatch.setattr(cache_limit, "_delete", measured_delete)
    tracemalloc.start()
    prune(tmp_path, 0)
    tracemalloc.stop()
    assert sizes[0] < 100_000  # the names of 5,000 files have 700 kB

"""The pack of small values: keys, makers, and its part of the cache."""

from __future__ import annotations

import json
import pickle

from vdebench.io.cache import digest_of
from vdebench.io.cache_files import cache_usage
from vdebench.io.value_pack import ValuePack

IDENTITY = {"name": "recognizer", "version": "1"}
VALUES = {digest_of(f"{number}"): b"%d" % number for number in range(100)}


def test_stored_values_are_found_by_their_keys(tmp_path):
    pack = ValuePack.of_maker(IDENTITY, tmp_path)
    pack.put_many(VALUES)
    pack.put_many({})
    assert pack.find_many([*VALUES, digest_of("unknown")]) == VALUES
    assert pack.find_many([]) == {}
    assert pickle.loads(pickle.dumps(pack)).find_many([*VALUES]) == VALUES
    assert json.loads((pack.folder / "maker.json").read_text()) == IDENTITY


def test_other_kinds_and_makers_have_values_of_their_own(tmp_path):
    ValuePack("lines", IDENTITY, tmp_path).put_many(VALUES)
    assert ValuePack("lines", {**IDENTITY, "version": "2"}, tmp_path).find_many([*VALUES]) == {}
    assert ValuePack("pixels", IDENTITY, tmp_path).find_many([*VALUES]) == {}


def test_usage_counts_the_values_of_packs(tmp_path):
    ValuePack("lines", IDENTITY, tmp_path).put_many(VALUES)
    (usage,) = cache_usage(tmp_path)
    assert (usage.kind, usage.maker, usage.values) == ("lines", IDENTITY, 100)
    assert 4096 < usage.size < 100_000


def test_the_limit_of_a_pack(tmp_path):
    pack = ValuePack("lines", IDENTITY, tmp_path, limit=100_000)
    for start in range(0, 5000, 100):
        pack.put_many({digest_of(f"{number}"): bytes(200) for number in range(start, start + 100)})
        assert cache_usage(tmp_path)[0].size < 150_000
    assert pack.find_many([digest_of("4999")])


def test_a_cache_that_cannot_be_written_is_logged(tmp_path, caplog):
    (tmp_path / "file").touch()
    pack = ValuePack.of_maker(IDENTITY, tmp_path / "file")
    pack.put_many(VALUES)
    assert pack.find_many([*VALUES]) == {}
    assert "cannot be written" in caplog.text

"""`vde cache`: sizes, removal and deletion."""

from __future__ import annotations

import json

import pytest

from tests.commands import vde
from vdebench.io.cache import Cache, as_object, digest_of
from vdebench.io.value_pack import ValuePack


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of three values of an editor's images, one of a suite's page, and two lines."""
    monkeypatch.setenv("VDE_CACHE", str(tmp_path))
    cache = Cache("readings", {"name": "reader", "version": "7"}, as_object)
    for number in range(4):
        cache.put(digest_of(f"{number}"), {"text": "x" * 100_000}, lasting=number == 0)
    ValuePack.of_maker({"name": "recognizer"}).put_many({digest_of("a"): b"a", digest_of("b"): b"b"})
    (tmp_path / "typeset" / "suite").mkdir(parents=True)
    (tmp_path / "typeset" / "suite" / "suite.toml").touch()
    return tmp_path


@pytest.mark.parametrize("verb", ["show", "prune", "clear"])
def test_help_has_examples(verb):
    assert f"vde cache {verb}" in vde("cache", verb, "--help").stdout


def test_show_lists_makers_and_the_limit(folder, monkeypatch):
    monkeypatch.setenv("VDE_CACHE_SIZE", "2GB")
    first, *rows = vde("cache", "show").stdout.splitlines()
    assert first.startswith(f"{folder}: 0.4 MB, limit 2.0 GB (VDE_CACHE_SIZE)") or "kB, limit 2.0 GB" in first
    assert [row.split(",")[0].strip() for row in rows] == ["4 readings", "2 lines", "1 typeset"]
    assert rows[0].endswith(": reader 7")
    listed = json.loads(vde("cache", "show", "--json").stdout)
    assert [(row["kind"], row["values"]) for row in listed] == [("readings", 4), ("lines", 2), ("typeset", 1)]
    assert listed[0]["maker"] == {"name": "reader", "version": "7"}
    assert listed[0]["bytes"] >= 400_000


def test_prune_keeps_ground_truth(folder):
    assert "removed 0 values" in vde("cache", "prune").stdout
    assert "removed 3 values" in vde("cache", "prune", "--to", "200kB").stdout
    (value,) = folder.glob("readings/*/??/*.json")
    assert value.name == f"{digest_of('0')}.lasting.json"


def test_an_invalid_size_is_told(folder, monkeypatch):
    assert "--to is 'small', expected a number of bytes" in vde("cache", "prune", "--to", "small", code=2).stderr
    monkeypatch.setenv("VDE_CACHE_SIZE", "huge")
    assert "VDE_CACHE_SIZE is 'huge'" in vde("cache", "show", code=2).stderr


def test_clear_deletes_all_values(folder):
    vde("cache", "clear", "--yes")
    assert vde("cache", "show").stdout.splitlines()[1:] == []
    assert not list(folder.glob("*/*"))

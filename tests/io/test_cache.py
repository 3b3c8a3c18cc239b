"""The cache: what is stored under which key, and stored values that are not valid."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.errors import VdeError
from vdebench.io.cache import Cache, as_numbers, as_object, digest_of, digest_of_file, digest_of_image
from vdebench.io.cache_files import cache_usage

KEY = digest_of("input")


@pytest.fixture
def cache(tmp_path):
    return Cache("measures", {"name": "lpips", "version": "1"}, as_numbers, tmp_path)


def test_a_value_is_made_once(cache):
    made = []

    def make():
        made.append(1)
        return {"value": 0.5}

    assert [cache.get(KEY, make) for _ in range(3)] == [{"value": 0.5}] * 3
    assert len(made) == 1
    assert cache.find(digest_of("other")) is None
    assert cache.find_json(KEY) == {"value": 0.5}


def test_other_kinds_and_makers_have_values_of_their_own(cache, tmp_path):
    cache.put(KEY, {"value": 0.5})
    for kind, version in [("measures", "2"), ("readings", "1")]:
        assert Cache(kind, {"name": "lpips", "version": version}, as_object, tmp_path).find(KEY) is None
    (usage,) = cache_usage(tmp_path)
    assert (usage.kind, usage.maker["version"], usage.values) == ("measures", "1", 1)


@pytest.mark.parametrize("content", ['{"value": "high"}', '{"value": NaN}', "[1]", "7", '{"val', "", "null"])
def test_a_value_that_is_not_valid_is_made_again(cache, content):
    cache.put(KEY, {"value": 0.5})
    (file,) = cache.folder.glob("??/*.json")
    file.write_text(content)
    assert cache.find(KEY) is cache.find_json(KEY) is None
    assert cache.get(KEY, lambda: {"value": 0.25}) == {"value": 0.25}
    assert cache.find(KEY) == {"value": 0.25}


def test_put_replaces_only_what_is_not_valid(cache):
    cache.put(KEY, {"value": 0.5})
    cache.put(KEY, {"value": 0.25})
    assert cache.find(KEY) == {"value": 0.5}
    (file,) = cache.folder.glob("??/*.json")
    file.write_text("[]")
    cache.put(KEY, {"value": 0.25})
    assert cache.find(KEY) == {"value": 0.25}


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    cache = Cache("grades", {"name": "x"}, as_object, tmp_path / "file")
    with pytest.raises(VdeError, match=r"file/grades.*; set VDE_CACHE to a folder that can be written"):
        cache.put(KEY, {})


def test_digests_differ_by_content(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"input")
    assert digest_of_file(file) == digest_of("input") != digest_of("in", "put")
    flat, tall = np.zeros((1, 4, 3), np.uint8), np.zeros((4, 1, 3), np.uint8)
    assert digest_of_image(flat) != digest_of_image(tall)
    assert len(digest_of_image(flat)) == 64

"""Cached OCR output: computed once; a new identity is a new key; incomplete files are ignored."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import numpy as np
import pytest

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import Cache, as_object, cache_usage
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.reader import Reader


class Counting(Reader):
    """Reads the mean of a page, and writes down every time it does."""

    def __init__(self, log: Path, options: str = "") -> None:
        self.log = log
        self.options = options

    @property
    def identity(self):
        return {"name": "counting", "version": "1", "options": self.options}

    def read(self, image: Image) -> PageText:
        with self.log.open("a") as log:
            log.write("x")
        time.sleep(0.02)
        return PageText((Block(Box(0, 0, 1, 1), f"{image.mean():.3f}"),), Size(image.shape[1], image.shape[0]))


def pages(folder: Path, count: int) -> list[Path]:
    files = []
    for index in range(count):
        file = folder / f"{index}.png"
        file.write_bytes(encode_png(np.full((8, 8, 3), index, np.uint8)))
        files.append(file)
    return files


def read_all(folder: Path, files: list[Path]) -> None:
    cached = CachedReader(Counting(folder / "log"), folder / "cache")
    for file in files:
        cached.read(file)


def reads(folder: Path) -> int:
    return len((folder / "log").read_text())


def test_a_page_is_read_once_and_found_by_its_content(tmp_path):
    (file,) = pages(tmp_path, 1)
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    first = cached.read(file)
    file.rename(tmp_path / "renamed.png")
    again = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache").read(tmp_path / "renamed.png")
    assert first.to_json() == again.to_json()
    assert reads(tmp_path) == 1


def test_other_options_are_another_key(tmp_path):
    (file,) = pages(tmp_path, 1)
    for options in ("a", "b", "a"):
        CachedReader(Counting(tmp_path / "log", options), tmp_path / "cache").read(file)
    assert reads(tmp_path) == 2
    assert [one.values for one in cache_usage(tmp_path / "cache")] == [1, 1]


def test_two_processes_read_the_same_fifty_pages_once(tmp_path):
    files = pages(tmp_path, 50)
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=read_all, args=(tmp_path, files)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert reads(tmp_path) == 50
    count = cache_usage(tmp_path / "cache")[0].values
    assert count == 50
    assert not [file for file in (tmp_path / "cache").rglob(".*") if file.name not in (".locks", ".lock")]


def test_killed_while_reading_leaves_nothing_that_is_believed(tmp_path):
    files = pages(tmp_path, 50)
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=read_all, args=(tmp_path, files))
    process.start()
    while not (tmp_path / "log").exists() or reads(tmp_path) < 10:
        time.sleep(0.01)
    process.kill()
    process.join()
    read_all(tmp_path, files)
    assert 50 <= reads(tmp_path) <= 51


@pytest.mark.parametrize("damaged", ['{"parsing_res', "[]", "{}", '{"parsing_res_list": 7}', "\0"])
def test_a_damaged_reading_is_read_again(tmp_path, damaged):
    (file,) = pages(tmp_path, 1)
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    expected = cached.read(file).to_json()
    (kept,) = (tmp_path / "cache").glob("readings/*/??/*.json")
    kept.write_text(damaged)
    assert not cached.is_settled(ImageCrop.of(file))
    assert cached.read(file).to_json() == expected
    assert reads(tmp_path) == 2


def test_a_file_that_is_no_image_is_named_and_not_cache_usage(tmp_path):
    (tmp_path / "page.png").write_text("hello")
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    with pytest.raises(InputError, match=r"page\.png: is no image"):
        cached.read(tmp_path / "page.png")
    assert cache_usage(tmp_path / "cache") == [] or not list((tmp_path / "cache").rglob("*.json"))


def hurry(folder: Path, start: int) -> None:
    """Ask for many keys at once, in an order of its own; nothing takes time, so that processes meet."""
    cache = Cache("readings", {"name": "hurried"}, as_object, folder)
    for index in range(400):
        key = f"{(index * 7 + start) % 400:064x}"[::-1]
        assert cache.get(key, lambda key=key: {"key": key}) == {"key": key}


def test_processes_that_meet_at_every_key_do_not_disturb_each_other(tmp_path):
    context = multiprocessing.get_context("spawn")
    several = [context.Process(target=hurry, args=(tmp_path, 7 * start)) for start in range(4)]
    for process in several:
        process.start()
    for process in several:
        process.join()
    assert [process.exitcode for process in several] == [0] * 4
    assert cache_usage(tmp_path)[0].values == 400


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(VdeError, match="set VDE_CACHE to a folder that can be written"):
        Cache("readings", {"name": "x"}, as_object, tmp_path / "file").get("a" * 64, dict)

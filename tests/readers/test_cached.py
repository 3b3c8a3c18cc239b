"""Cached OCR output: computed once; a new identity is a new key; incomplete files are ignored."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL.PngImagePlugin import PngInfo

from tests.rights import without_rights
from vdebench.core.box import Box, Size
from vdebench.core.images import Image, PixelBox
from vdebench.core.page_text import Block, PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import Cache, as_object
from vdebench.io.cache_files import cache_usage
from vdebench.io.images import open_image
from vdebench.readers import cached as cached_module
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
    assert [(one.kind, one.values) for one in cache_usage(tmp_path / "cache")] == [("readings", 1)] * 2 + [
        ("pixels", 1)
    ]


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
    assert not [file for file in (tmp_path / "cache").rglob(".*") if file.name not in (".locks", ".lock", ".written")]


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


def picture(pixels: np.ndarray) -> Pictures.Image:
    return Pictures.fromarray(pixels)


def page_of_noise() -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (40, 60, 3), np.uint8)


def test_the_same_pixels_in_other_files_are_read_once(tmp_path):
    page = page_of_noise()
    picture(page).save(tmp_path / "best.png", compress_level=9)
    picture(page).save(tmp_path / "fast.png", compress_level=0)
    about = PngInfo()
    about.add_text("Author", "somebody")
    picture(page).save(tmp_path / "with_text.png", pnginfo=about)
    picture(page).save(tmp_path / "page.bmp")
    picture(page).save(tmp_path / "page.tiff")
    opaque = np.concatenate([page, np.full((40, 60, 1), 255, np.uint8)], axis=2)
    picture(opaque).save(tmp_path / "opaque.png")
    files = sorted(tmp_path.iterdir())
    assert len({file.read_bytes() for file in files}) == len(files) == 6
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    assert len({str(cached.read(file).to_json()) for file in files}) == 1
    assert reads(tmp_path) == 1
    picture(page[:, ::-1]).save(tmp_path / "mirrored.png")
    cached.read(tmp_path / "mirrored.png")
    assert reads(tmp_path) == 2


def test_crops_with_the_same_pixels_are_read_once(tmp_path):
    page = page_of_noise()
    moved = np.full((80, 80, 3), 255, np.uint8)
    moved[30:50, 15:45] = page[10:30, 20:50]
    picture(page).save(tmp_path / "page.png")
    picture(moved).save(tmp_path / "moved.png")
    picture(page[10:30, 20:50]).save(tmp_path / "alone.png")
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    pictures = [
        ImageCrop.of(tmp_path / "page.png", PixelBox(20, 10, 50, 30)),
        ImageCrop.of(tmp_path / "moved.png", PixelBox(15, 30, 45, 50)),
        ImageCrop.of(tmp_path / "alone.png"),
    ]
    assert len({picture.key for picture in pictures}) == 3
    assert len({str(cached.read(each).to_json()) for each in pictures}) == 1
    assert reads(tmp_path) == 1
    cached.read(pictures[0]._replace(crop=PixelBox(20, 10, 50, 31)))
    assert reads(tmp_path) == 2


def test_a_known_file_is_not_decoded_again(tmp_path, monkeypatch):
    (file,) = pages(tmp_path, 1)
    crop = ImageCrop.of(file, PixelBox(0, 0, 4, 4))
    for image in (ImageCrop.of(file), crop):
        CachedReader(Counting(tmp_path / "log"), tmp_path / "cache").read(image)
    monkeypatch.setattr(ImageCrop, "open", lambda self: pytest.fail("decoded"))
    again = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    for image in (ImageCrop.of(file), crop):
        assert again.is_settled(image)
        again.read(image)
    assert reads(tmp_path) == 2


def test_a_page_and_its_crops_are_decoded_once(tmp_path, monkeypatch):
    (file,) = pages(tmp_path, 1)
    opened = []
    monkeypatch.setattr(cached_module, "open_image", lambda file: opened.append(file) or open_image(file))
    cached_module._decoded.cache_clear()
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    for crop in (None, PixelBox(0, 0, 4, 4), PixelBox(0, 0, 4, 5)):
        cached.read(ImageCrop.of(file, crop))
    assert len(opened) == 1
    image = ImageCrop.of(file).open()
    image[:] = 77  # the caller's own array
    assert ImageCrop.of(file).open().max() == 0


def test_a_file_that_is_replaced_is_read_again(tmp_path):
    (file,) = pages(tmp_path, 1)
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    first, before = cached.read(file), ImageCrop.of(file)
    file.write_bytes(encode_png(np.full((9, 8, 3), 200, np.uint8)))
    assert cached.read(file).to_json() != first.to_json()
    assert reads(tmp_path) == 2
    assert cached.read(before).to_json() == first.to_json()  # from the cache


def test_a_file_that_is_replaced_before_it_is_read_is_an_error(tmp_path):
    (file,) = pages(tmp_path, 1)
    before = ImageCrop.of(file)
    file.write_bytes(encode_png(np.full((9, 8, 3), 200, np.uint8)))
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    with pytest.raises(InputError, match=r"0\.png: was changed during the run; run the command again"):
        cached.read(before)
    assert cached.read(file).size == Size(8, 9)


def test_output_that_another_machine_read_is_found_by_its_key(tmp_path):
    (file,) = pages(tmp_path, 1)
    there = CachedReader(Counting(tmp_path / "log"), tmp_path / "there")
    image = ImageCrop.of(file, lasting=True)
    sent = there.read_to_send(image)
    here = CachedReader(Counting(tmp_path / "log"), tmp_path / "here")
    assert not here.is_settled(image)
    here.add(image.key, sent)
    assert here.is_settled(image)
    assert here.find(image.key).page_text == sent.page_text == there.read(image).to_json()
    assert here.read(image).to_json() == sent.page_text
    assert reads(tmp_path) == 1
    assert len(list(here.cache.folder.glob("??/*.lasting.json"))) == 1


def test_output_of_a_suites_page_becomes_lasting_when_it_is_read_as_one(tmp_path):
    (file,) = pages(tmp_path, 1)
    cached = CachedReader(Counting(tmp_path / "log"), tmp_path / "cache")
    cached.read(file)
    assert not list(cached.cache.folder.glob("??/*.lasting.json"))
    cached.read_page(file)
    cached.read(file)  # and remains so
    (kept,) = cached.cache.folder.glob("??/*.json")
    assert kept.name.endswith(".lasting.json")
    assert reads(tmp_path) == 1


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


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the rights of POSIX")
def test_a_write_protected_cache_is_read():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known, unknown = pages(folder, 2)
        read_all(folder, [known])
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with without_rights():
            cached = CachedReader(Counting(folder / "log"), folder / "cache")
            assert cached.is_settled(ImageCrop.of(known))
            assert cached.read_page(known).blocks[0].content == "0.000"
            with pytest.raises(VdeError, match="set VDE_CACHE to a folder that can be written"):
                cached.read(unknown)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)

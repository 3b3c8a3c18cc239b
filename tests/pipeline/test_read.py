"""The OCR stage: parallel, each image once, few requests to an unreachable server."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.readers.servers import Answer, serving
from vdebench.errors import InputError, ReaderError
from vdebench.pipeline.read import MAX_INITIAL_FAILURES, read_pictures
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.runs.provenance import session

PAGE = {"parsing_res_list": [{"block_bbox": [0, 0, 9, 9], "block_label": "text", "block_content": "hello"}]}


def answer(width: int = 20, height: int = 30) -> Answer:
    pruned = {"width": width, "height": height, **PAGE}
    return Answer({"errorCode": 0, "errorMsg": "", "result": {"layoutParsingResults": [{"prunedResult": pruned}]}})


def pictures(folder: Path, count: int) -> list[ImageCrop]:
    found = []
    for index in range(count):
        file = folder / f"{index}.png"
        Image.new("RGB", (20, 30), (index, 0, 0)).save(file)
        found.append(ImageCrop.of(file))
    return found


def test_every_picture_is_asked_for_once_by_several_processes(tmp_path):
    wanted = pictures(tmp_path, 6)
    told = []
    with serving(answer()) as server:
        for _ in range(2):
            reader = CachedReader.named("paddleocr-vl-server", {"url": server.url}, tmp_path / "cache")
            read_pictures(reader, [*wanted, *wanted], 2, lambda done, total: told.append((done, total)))
        assert len(server.requests) == 6
    assert told == [(done, 6) for done in range(1, 7)]
    assert [reader.read(picture).blocks[0].content for picture in wanted] == ["hello"] * 6  # the server is gone


def test_files_with_known_pixels_count_as_cached(tmp_path):
    wanted = pictures(tmp_path, 3)
    for index in range(3):
        Image.open(tmp_path / f"{index}.png").save(tmp_path / f"{index}.bmp")
    others = [ImageCrop.of(tmp_path / f"{index}.bmp", lasting=True) for index in range(3)]
    with serving(answer()) as server, session(None) as record:
        reader = CachedReader.named("paddleocr-vl-server", {"url": server.url}, tmp_path / "cache")
        read_pictures(reader, wanted, 1)
        read_pictures(reader, others, 1)
        assert len(server.requests) == 3
    assert (record.work["pictures_read"], record.work["pictures_from_cache"]) == (3, 3)
    assert len(list(reader.cache.folder.glob("??/*.lasting.json"))) == 3


def test_what_failed_is_told_without_asking_again(tmp_path):
    wanted = pictures(tmp_path, 3)
    (tmp_path / "2.png").write_bytes(b"no image")
    with serving(answer()) as server:
        reader = CachedReader.named("paddleocr-vl-server", {"url": server.url}, tmp_path / "cache")
        read_pictures(reader, wanted, 1)
        assert len(server.requests) == 2
    with pytest.raises(InputError, match=r"2\.png: is no image we know"):
        reader.read(wanted[2])


def test_a_server_that_refuses_every_page_is_given_up(tmp_path):
    wanted = pictures(tmp_path, 40)
    with serving(Answer({"errorMsg": "who are you?"}, status=401)) as server:
        reader = CachedReader.named("paddleocr-vl-server", {"url": server.url}, tmp_path / "cache")
        with pytest.raises(ReaderError, match=f"the first {MAX_INITIAL_FAILURES} pages all failed"):
            read_pictures(reader, wanted, 2)
        assert len(server.requests) < MAX_INITIAL_FAILURES + 6

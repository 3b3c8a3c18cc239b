"""Caching of detected lines."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.editors.factory import get_editor
from vdebench.readers.line_cache import LineCache
from vdebench.readers.lines.line import Line
from vdebench.readers.rapid import RapidReader

PAGE = np.full((40, 60, 3), 255, np.uint8)
LINES = [Line(Box(1 / 3, 2.0, 30.1, 12.7), "一行 “text”", 0.1 + 0.2), Line(Box(1.0, 20.0, 30.0, 31.0), "", 1.0)]


class Counting(RapidReader):
    asked = 0

    def lines(self, image):
        self.asked += 1
        return LINES if image.all() else []


@pytest.fixture
def reader():
    return Counting(tables=False)


def test_the_same_lines_without_reading_again(reader, tmp_path):
    kept = [LineCache(reader, tmp_path).lines(PAGE) for _ in range(3)]  # as in three processes
    assert kept == [LINES] * 3
    assert reader.asked == 1


def test_by_pixels_and_their_shape(reader, tmp_path):
    kept, other = LineCache(reader, tmp_path), PAGE.copy()
    other[3, 4] = 0
    assert [kept.lines(page) for page in (PAGE, other, PAGE.reshape(60, 40, 3), other)] == [LINES, [], LINES, []]
    assert reader.asked == 3


def test_another_reader_reads_itself(reader, tmp_path, monkeypatch):
    LineCache(reader, tmp_path).lines(PAGE)
    newer = {**reader.identity, "version": "99"}
    monkeypatch.setattr(Counting, "identity", property(lambda self: newer))
    LineCache(reader, tmp_path).lines(PAGE)
    assert reader.asked == 2


def test_overlay_reads_a_page_once_for_all_its_edits(monkeypatch, tmp_path):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path))
    asked = []
    monkeypatch.setattr(RapidReader, "lines", lambda self, image: asked.append(1) or LINES)
    for text in ("a", "b"):  # each by another worker
        get_editor("overlay").edit(PAGE, f'Replace "{text}" with "c".')
    assert asked == [1]

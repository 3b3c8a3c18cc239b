"""Recognition of one line: the PP-OCR recogniser of the rapidocr package, called line by line.

Each line is resized by itself and recognised alone, so its text depends on its own pixels only: not on the other lines
of the page, their order, or the size of a batch.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import cv2
import numpy as np

from vdebench.core.images import Image
from vdebench.readers.lines.ctc import Logits, decode, log_likelihood
from vdebench.readers.lines.images import upright_candidates
from vdebench.readers.lines.inference import Array, Model, to_input

HEIGHT = 48
"""Height in pixels of the recogniser's input."""
NARROW, FULL = 0.8, 1.0
"""Factors on the width of the input. A long line is read narrow first, because time is proportional to the width; where
that leaves doubts it is read at full width too, and the more probable text is used: see docs/readers.md."""
LONG = 400
"""Least width of the input of a long line in pixels, at full width. Short lines, such as cells of tables, cost little
and lose letters when they are narrow: "Foress" for "Fortress", 999 for 1999."""
MIN_MEAN = 0.9
"""Mean probability of the characters from which a narrow line leaves no doubts."""
MIN_SMALL_MEAN = 0.97
"""Mean probability from which the text of the small recogniser of a cascade is used."""
STEP = 8
"""Width in pixels of one step of the output."""
MAX_WIDTH = 3200
"""Largest width of the input in pixels; longer lines are narrowed to it."""
_WIDTH_TWINS = str.maketrans(",;:?!()，；：？！（）", "，；：？！（）,;:?!()")
"""Characters that readers write in either width."""


class RecognizedLine(NamedTuple):
    """Text of a line and the place and probability of each character."""

    text: str
    edges: tuple[float, ...] = ()
    """Positions between characters as fractions of the line's width: one more than there are characters."""
    probabilities: tuple[float, ...] = ()

    def to_json(self) -> object:
        """Return the text, the edges in 1/10,000 and the probabilities in 1/1,000."""
        return [self.text, [round(1e4 * each) for each in self.edges], [round(1e3 * p) for p in self.probabilities]]

    @classmethod
    def from_json(cls, data: Any) -> RecognizedLine:
        """Parse what `to_json` returns; raise an error if it is anything else."""
        text, edges, probabilities = data
        if not isinstance(text, str) or len(probabilities) != len(text) or len(edges) != len(text) + bool(text):
            raise ValueError("not a recognised line")
        return cls(text, tuple(each / 1e4 for each in edges), tuple(each / 1e3 for each in probabilities))

    @property
    def score(self) -> float:
        """Mean probability of the characters; 0 without any."""
        return sum(self.probabilities) / len(self.probabilities) if self.probabilities else 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether the text should be read again at full width."""
        return self.score < MIN_MEAN


class LineRecognizer:
    """A CTC recogniser for images of single lines. `characters` is its dictionary, if the model file holds none."""

    def __init__(self, model: Model, name: str = "", characters: Sequence[str] = ()) -> None:
        self.model = model
        self.name = name or model.file.stem
        self._characters = characters

    @property
    def identity(self) -> str:
        """Model, and all settings that change the result."""
        return f"{self.name}, width x{NARROW:g} from {LONG}, x{FULL:g} below {MIN_MEAN:g}"

    def recognize(self, line: Image) -> RecognizedLine:
        """Recognise the image of one line; a vertical one is turned the way that gives the most probable text."""
        (text,) = self.recognize_batches([line], 1)
        return text

    def recognize_batches(self, lines: Sequence[Image], size: int) -> list[RecognizedLine]:
        """Recognise lines in batches of up to `size` inputs of exactly the same width, for devices that need them.

        Inputs are not padded to a common width, so the lines of a batch do not depend on each other.
        """
        results = [RecognizedLine("")] * len(lines)
        passes = {index: _passes(line) for index, line in enumerate(lines)}
        inputs = {index: next(each) for index, each in passes.items()}
        while inputs:
            texts = self._read_batches(inputs, size)
            inputs = {}
            for index, text in texts.items():
                try:
                    inputs[index] = passes[index].send(text)
                except StopIteration as end:
                    results[index] = end.value
        return results

    def log_likelihoods(self, line: Image, texts: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each text on the image of a line; -inf for a text it has no characters for."""
        logits = self.model(prepare(line, input_width(line, FULL)))[0]
        return [log_likelihood(logits, [self._classes_of(each) for each in text]) for text in texts]

    def _read_batches(self, inputs: Mapping[int, _Input], size: int) -> dict[int, RecognizedLine]:
        by_width: dict[int, list[int]] = {}
        for index, (line, factor) in inputs.items():
            by_width.setdefault(input_width(line, factor), []).append(index)
        texts: dict[int, RecognizedLine] = {}
        for width, indices in by_width.items():
            for start in range(0, len(indices), size):
                batch = indices[start : start + size]
                outputs = self.model(np.concatenate([prepare(inputs[index].line, width) for index in batch]))
                texts |= {index: self._with_places(logits) for index, logits in zip(batch, outputs, strict=True)}
        return texts

    def _with_places(self, logits: Logits) -> RecognizedLine:
        decoded, steps = decode(logits), len(logits)
        text = "".join(self._alphabet[each] for each in decoded.classes)
        if not text:
            return RecognizedLine("")
        between = [(end + start) / 2 for end, start in zip(decoded.ends[:-1], decoded.starts[1:], strict=True)]
        places = [max(0.0, decoded.starts[0] - 0.5), *between, min(steps, decoded.ends[-1] + 0.5)]
        return RecognizedLine(text, tuple(round(place / steps, 4) for place in places), decoded.probabilities)

    @cached_property
    def _alphabet(self) -> list[str]:
        return ["", *(self._characters or self.model.characters), " "]

    @cached_property
    def _class_of(self) -> dict[str, int]:
        return {character: index for index, character in enumerate(self._alphabet) if index}

    def _classes_of(self, character: str) -> list[int]:
        twins = dict.fromkeys((character, character.translate(_WIDTH_TWINS)))
        return [self._class_of[each] for each in twins if each in self._class_of]


class CascadeRecognizer:
    """A small recogniser, and a larger one for the lines that the small one leaves in doubt."""

    def __init__(self, small: LineRecognizer, large: LineRecognizer) -> None:
        self.small, self.large = small, large

    @property
    def identity(self) -> str:
        """Both recognisers, and the limit between them."""
        return f"{self.small.identity}; below {MIN_SMALL_MEAN:g}: {self.large.identity}"

    def recognize(self, line: Image) -> RecognizedLine:
        """Recognise the image of one line."""
        (text,) = self.recognize_batches([line], 1)
        return text

    def recognize_batches(self, lines: Sequence[Image], size: int) -> list[RecognizedLine]:
        """Recognise lines in batches of up to `size` inputs of the same width."""
        texts = self.small.recognize_batches(lines, size)
        doubtful = [index for index, text in enumerate(texts) if text.score < MIN_SMALL_MEAN]
        for index, text in zip(doubtful, self.large.recognize_batches([lines[i] for i in doubtful], size), strict=True):
            texts[index] = text
        return texts


class _Input(NamedTuple):
    """An image of a line and the factor on its width."""

    line: Image
    factor: float


def _passes(line: Image) -> Generator[_Input, RecognizedLine, RecognizedLine]:
    """Yield the inputs to recognise for a line, one after another, and return the best of their texts."""
    best = RecognizedLine("")
    for candidate in upright_candidates(line):
        is_long = input_width(candidate, FULL) >= LONG
        text = yield _Input(candidate, NARROW if is_long else FULL)
        if is_long and text.is_doubtful:
            full = yield _Input(candidate, FULL)
            text = full if full.score >= text.score else text
        best = text if text.score > best.score else best
        if not best.is_doubtful:
            break
    return best


def input_width(line: Image, factor: float) -> int:
    """Width of the recogniser's input for a line, in pixels.

    It is rounded to a multiple of 8, 16 or 32 pixels, by at most 1/16 from 64 pixels on: an engine compiles code and
    keeps memory for every width.

    >>> [input_width(np.zeros((30, width, 3), np.uint8), FULL) for width in (20, 60, 610)]
    [32, 96, 992]
    """
    width = float(factor * line.shape[1] * HEIGHT / line.shape[0])
    multiple = STEP if width < 128 else 2 * STEP if width < 512 else 4 * STEP
    return min(MAX_WIDTH, max(3 * STEP, multiple * math.floor(width / multiple + 0.5)))


def prepare(line: Image, width: int) -> Array:
    """Return the recogniser's input: height 48, BGR, values from -1 to 1."""
    return to_input(cv2.resize(line, (width, HEIGHT)))

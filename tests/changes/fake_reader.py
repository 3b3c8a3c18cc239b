"""A reader that knows the text of images by their size, for tests of modules that ask for readings and likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vdebench.core.images import Image
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.reader import LikelihoodReader, ReadLines


class FakeReader(LikelihoodReader):
    """Reads what `text_of` says of an image; another text is less likely by `step` for each differing character."""

    identity = {"name": "fake"}  # noqa: RUF012

    def __init__(self, text_of: Callable[[Image], str], step: float = 10.0) -> None:
        self.text_of, self.step = text_of, step
        self.recognized: list[Image] = []

    def read(self, image):
        raise NotImplementedError

    def page_lines(self, image: Image) -> ReadLines:
        raise NotImplementedError

    def recognize(self, lines: Sequence[Image]) -> list[RecognizedLine]:
        self.recognized += lines
        return [RecognizedLine(self.text_of(line)) for line in lines]

    def likelihood(self, line: Image, texts: Sequence[str]) -> list[float]:
        shown = self.text_of(line)
        return [-self.step * _distance(shown, text) for text in texts]


def _distance(one: str, other: str) -> int:
    same = sum(a == b for a, b in zip(one, other, strict=False))
    return max(len(one), len(other)) - same

"""Proposals: an edit with what its instruction must quote, and the view of a page from which edits are chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple

from vdebench.instructions.word_boundary import next_boundary
from vdebench.suites.typeset.document import Block, Chart, Document, Formula, Rule, Table, Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.language_rules import LanguageRules
from vdebench.suites.typeset.words import Writer

LONGEST_QUOTE = 90


class Reference(NamedTuple):
    """A quotation in an instruction: words that occur once on the page, or the whole text of exactly one cell."""

    text: str
    kind: Literal["text", "cell"] = "text"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit and the fields of its instruction; `quoted` fields are put in quotation marks."""

    edit: DocumentEdit
    phrasing: str
    quoted: Mapping[str, str | list[str]] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()


Proposer = Callable[["DocumentView"], Proposal | None]


class DocumentView:
    """A document with the search functions that proposals need."""

    def __init__(self, document: Document, writer: Writer, rng: Random) -> None:
        self.document = document
        self.writer = writer
        self.rng = rng
        self._texts = list(texts_of(document.blocks))

    @property
    def texts(self) -> list[Text]:
        """Text blocks in random order."""
        blocks = [block for block in self.document.blocks if isinstance(block, Text)]
        return self.rng.sample(blocks, len(blocks))

    @property
    def tables(self) -> list[Table]:
        """Tables of the page."""
        return [block for block in self.document.blocks if isinstance(block, Table)]

    def is_unique(self, words: str) -> bool:
        """Whether the words occur in one place only."""
        return occurrences(words, self._texts) == 1

    def quote(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Extend a range by words until it occurs once on the page; None if it becomes too long."""
        left, right = start, end
        while right - left <= LONGEST_QUOTE:
            if self.is_unique(text[left:right]):
                return left, right
            wider = next_boundary(text, right, 1), next_boundary(text, left, -1)
            if wider == (right, left):
                return None
            right, left = wider
        return None

    def ending(self, text: str, start: int, end: int, least: int) -> str | None:
        """Return the last words of a range that occur nowhere else, at least `least` letters; None if there
        are none.
        """
        left = end
        while left > start and end - left < LONGEST_QUOTE:
            left = max(start, next_boundary(text, left, -1))
            whole = end - left >= least and (text[left].isalnum() or text[left] == "$")
            if whole and self.is_unique(text[left:end]):
                return text[left:end]
        return None

    def rules_of(self, text: str) -> LanguageRules:
        """Return the rules of the language that a text of the page is written in."""
        return self.writer.language.rules_of(text)

    def opening(self, block: Text) -> str | None:
        """Return the first words of a block that occur nowhere else; None if there are none."""
        text = block.text
        end = 0
        for _ in range(40):
            end = next_boundary(text, end, 1)
            words = text[:end]
            if len(words) > LONGEST_QUOTE:
                return None
            if len(words) >= min(len(text), self.rules_of(text).min_quote_length) and self.is_unique(words):
                return words
        return None


def texts_of(blocks: Iterator[Block]) -> Iterator[str]:
    """Yield every text of the blocks."""
    for block in blocks:
        match block:
            case Text():
                yield block.text
            case Table():
                yield from (cell.text for cell in block.ordered)
            case Chart():
                yield from block.labels
            case Formula():
                yield from (block.latex, block.number)
            case Rule():
                pass


def occurrences(words: str, texts: list[str]) -> int:
    """Return how often words occur in some texts, overlapping occurrences included.

    >>> occurrences("12", ["12 of 2012", "a"])
    2
    """
    count = 0
    for text in texts:
        at = text.find(words)
        while at >= 0:
            count += 1
            at = text.find(words, at + 1)
    return count

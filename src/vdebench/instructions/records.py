"""Pages and instructions as records: one JSON line each, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vdebench.core.box import Box


class SourcePageRecord(NamedTuple):
    """A page that instructions can be made for."""

    id: str
    """Also the name of its files, without ending."""
    image: str
    """The file, below the workspace."""
    sha256: str
    """Of the file."""
    width: int
    height: int
    language: str
    """english, simplified_chinese or en_ch_mixed."""
    source: str
    """The kind of document: one of `vdebench.core.sample.SOURCES`, or what the user calls it."""
    has_table: bool
    origin: Mapping[str, Any] = {}
    """Where it comes from: `file`, `page` of a PDF, the data set, its licence."""
    attributes: Mapping[str, Any] = {}
    """What the data set says of it."""


class InstructionDraw(NamedTuple):
    """What a page was drawn for, before anyone has said a word: the same on every machine."""

    page: str
    number: int
    """Which of the page's instructions."""
    operation: str
    """An `Operation`'s value."""
    prompt: str
    """`text_replace-2`: which of the pool."""
    generator: str
    """Name of the generator model, or `template`."""
    seed: int

    @property
    def id(self) -> str:
        """The instruction's and, later, the sample's."""
        return f"{self.page}-{self.number}"


class Instruction(NamedTuple):
    """An instruction that has passed all checks."""

    id: str
    page: str
    operation: str
    language: str
    instruction: str
    target: str
    """The text on the page that is changed, or beside which something is inserted."""
    replacement: str = ""
    """What is to stand there afterwards, as far as the instruction says it; nothing for deletions."""
    place: Box | None = None
    """Where the target stands on the page, in pixels, by the page's reading."""
    generator: str = "template"
    model: str = ""
    """As the server named it."""
    prompt: str = ""
    prompt_hash: str = ""
    seed: int = 0
    attempt: int = 1


class Rejection(NamedTuple):
    """Something that went no further, and why."""

    stage: str
    """instruct, edit, read, review, package."""
    id: str
    reason: str
    """One of the stage's own list, such as `target_not_on_page`."""
    words: str = ""
    """What was found, for people."""
    final: bool = True
    """Whether nothing else was tried in its place."""
    generator: str = ""
    attempt: int = 1

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
    """Hash of the file."""
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
    """Attributes from the data set."""


class InstructionDraw(NamedTuple):
    """A drawn operation, prompt and generator for a page; reproducible on every machine."""

    page: str
    number: int
    """Number of the instruction on its page."""
    operation: str
    """An `Operation`'s value."""
    prompt: str
    """Name of the prompt, such as `text_replace-2`."""
    generator: str
    """Name of the generator model, or `template`."""
    seed: int

    @property
    def id(self) -> str:
        """Id of the instruction and of the sample."""
        return f"{self.page}-{self.number}"


class Instruction(NamedTuple):
    """An instruction that has passed all checks."""

    id: str
    page: str
    operation: str
    language: str
    instruction: str
    target: str
    """Text on the page that is changed, or next to which text is inserted."""
    replacement: str = ""
    """New text as quoted in the instruction; empty for deletions."""
    place: Box | None = None
    """Box of the target in pixels, from the page's OCR output."""
    generator: str = "template"
    model: str = ""
    """Name of the model as reported by the server."""
    prompt: str = ""
    prompt_hash: str = ""
    seed: int = 0
    attempt: int = 1


class Rejection(NamedTuple):
    """A rejected page, instruction or edit, with the reason."""

    stage: str
    """instruct, edit, read, review, package."""
    id: str
    reason: str
    """A reason of the stage, such as `target_not_on_page`."""
    words: str = ""
    """Details for people."""
    final: bool = True
    """Whether no further attempt was made."""
    generator: str = ""
    attempt: int = 1

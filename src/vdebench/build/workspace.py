"""A workspace: the folder in which a benchmark is built, and where each stage finds what the ones before it left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from vdebench.build.answers import StoredAnswer
from vdebench.build.decisions import Decision, last_words
from vdebench.build.ledger import Ledger
from vdebench.build.records import EditRead, PoolEntry
from vdebench.build.settings import FILE, BuildSettings, read_settings
from vdebench.core.page_text import PageText
from vdebench.errors import InputError, RunFolderError
from vdebench.instructions.records import Instruction, InstructionDraw, Rejection, SourcePageRecord
from vdebench.io.files import is_file, locked, read_json
from vdebench.io.journal import Journal
from vdebench.io.records import Record
from vdebench.readers.cached import CachedReader

JOURNALS: dict[type[Any], str] = {
    SourcePageRecord: "pages.jsonl",
    InstructionDraw: "draws.jsonl",
    StoredAnswer: "answers.jsonl",
    Instruction: "instructions.jsonl",
    Rejection: "rejected.jsonl",
    EditRead: "readings/readings.jsonl",
    Decision: "review.jsonl",
    PoolEntry: "pool.jsonl",
}
"""The journal of each type of record."""
DECIDING = ".deciding"
AGAIN = 0.05
"""Seconds after which whoever waits looks again."""


class Workspace:
    """A folder with a `build.toml`. What it says of its contents is read anew each time it is asked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not is_file(root / FILE):
            raise RunFolderError(f"{root}: no {FILE} here; make a workspace with `vde build init {root} SOURCE`")
        self.ledger = Ledger(root)
        self.found_file = root / "found.json"
        self.pages_file = self.journal(SourcePageRecord).file
        self.page_readings = root / "page_readings"
        self.draws_file = self.journal(InstructionDraw).file
        self.instructions_file = self.journal(Instruction).file
        self.rejected_file = self.journal(Rejection).file
        self.edits = root / "edits"
        self.readings = root / "readings"
        self.review_file = self.journal(Decision).file
        self.pool_file = self.journal(PoolEntry).file
        self.references = root / "references"
        self.package = root / "package"

    @cached_property
    def settings(self) -> BuildSettings:
        """What `build.toml` says."""
        return read_settings(self.root)

    def journal(self, kind: type[Record]) -> Journal[Record]:
        """Return the journal of a type of record."""
        return Journal(self.root / JOURNALS[kind], kind)

    def append(self, record: tuple[Any, ...]) -> None:
        """Write a record to the journal of its type."""
        self.journal(type(record)).append(record)

    @contextmanager
    def at_work(self, patience: float = 0) -> Iterator[None]:
        """Keep other stages out while one is at work; where one is, an error after so many seconds."""
        until = time.monotonic() + patience
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(locked(self.root))
                    break
                except RunFolderError:
                    if time.monotonic() >= until:
                        raise
                    time.sleep(AGAIN)
            yield

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Keep others from what people's review writes (its decisions, pool and references); waits for them.

        Not `at_work`: an editor is at work for hours, and people wait for what they have agreed on. What is held in
        both is asked for in this order: `at_work`, then this.
        """
        with locked(self.root, wait=True, name=DECIDING):
            yield

    def given_to_people(self) -> set[tuple[str, str]]:
        """Samples that are in a review by people, with their edits: no filter decides on such a sample."""
        return {(given.id, given.edit) for given in self.journal(PoolEntry)}

    def reader(self) -> CachedReader:
        """The reader that `build.toml` names."""
        return CachedReader.named(self.settings.reader.name, self.settings.reader.options)

    def pages(self) -> dict[str, SourcePageRecord]:
        """All pages by id."""
        return {page.id: page for page in self.journal(SourcePageRecord)}

    def page_image(self, page: SourcePageRecord) -> Path:
        """The file of a page."""
        return self.root / page.image

    def page_reading(self, page: SourcePageRecord) -> PageText:
        """What stands on a page: by the data set's annotation, else by the reader."""
        return self._reading(self.page_readings / f"{page.id}.json")

    def source_reading(self, page: SourcePageRecord) -> PageText:
        """What the reader read on a page, whatever the annotation says: edits are held against it."""
        return self._reading(self.readings / "pages" / f"{page.id}.json")

    def draws(self) -> dict[str, InstructionDraw]:
        """What was drawn, by the instruction's id."""
        return {drawn.id: drawn for drawn in self.journal(InstructionDraw)}

    def instructions(self) -> dict[str, Instruction]:
        """All that passed the checks, in the order of the draws."""
        found = {each.id: each for each in self.journal(Instruction)}
        return {id: found[id] for id in [*(id for id in self.draws() if id in found), *found]}

    def rejections(self) -> list[Rejection]:
        """What went no further, and why."""
        return list(self.journal(Rejection))

    def edit_image(self, instruction: Instruction) -> Path:
        """The file of an edited page, as the editor gave it."""
        return self.edits / "images" / group_of(instruction.operation) / f"{instruction.id}.png"

    def edits_read(self) -> dict[str, EditRead]:
        """What was read of the edits: the last word on each, by id."""
        return {each.id: each for each in self.journal(EditRead)}

    def edit_reading(self, id: str, region: int | None = None) -> PageText:
        """The reading of an edited page, or of one of its regions."""
        return self._reading(self.readings / _reading_name(id, region))

    def decisions(self) -> dict[tuple[str, str], dict[str, Decision]]:
        """The last word of each step of the review, by sample and edit."""
        return last_words(self.journal(Decision), {id for id, _ in self.given_to_people()})

    def reference_image(self, id: str) -> Path:
        """The right answer: the edit's regions on the page as it was."""
        return self.references / f"{id}.png"

    def reference_reading(self, id: str, region: int | None = None) -> PageText:
        """What the right answer reads, or one of its regions."""
        return self._reading(self.references / "readings" / _reading_name(id, region))

    def reading_file(self, folder: Path, id: str, region: int | None = None) -> Path:
        """Where a reading is kept."""
        return folder / _reading_name(id, region)

    def _reading(self, file: Path) -> PageText:
        return PageText.from_json(read_json(file), str(file))

    def require(self, stage: str, found: object, what: str) -> None:
        """Refuse to go on where what an earlier stage makes is not there."""
        if not found:
            raise InputError(f"{self.root}: {what}; run `vde build {stage} {self.root}` first")


def group_of(operation: str) -> str:
    """The group of a suite in which an operation's samples stand.

    >>> group_of("table_insert"), group_of("text_insert")
    ('table', 'text')
    """
    return "table" if operation.startswith("table") else "text"


def _reading_name(id: str, region: int | None) -> str:
    return f"{id}.json" if region is None else f"regions/{id}_region_{region}.json"

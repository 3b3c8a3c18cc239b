"""The workspace: the folder in which a benchmark is built, and access to the files of all stages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from vdebench.build.answers import StoredAnswer
from vdebench.build.decisions import Decision, latest_decisions
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
_REVIEW_LOCK = ".deciding"
RETRY_SECONDS = 0.05
"""Seconds between attempts to acquire the lock."""


class Workspace:
    """A folder with a `build.toml`. Files are read on every call."""

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
        """Content of `build.toml`."""
        return read_settings(self.root)

    def journal(self, kind: type[Record]) -> Journal[Record]:
        """Return the journal of a type of record."""
        return Journal(self.root / JOURNALS[kind], kind)

    def append(self, record: tuple[Any, ...]) -> None:
        """Write a record to the journal of its type."""
        self.journal(type(record)).append(record)

    @contextmanager
    def stage_lock(self, patience: float = 0) -> Iterator[None]:
        """Lock the workspace for a stage; raise `RunFolderError` if it is still locked after `patience` seconds."""
        until = time.monotonic() + patience
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(locked(self.root))
                    break
                except RunFolderError:
                    if time.monotonic() >= until:
                        raise
                    time.sleep(RETRY_SECONDS)
            yield

    @contextmanager
    def review_lock(self) -> Iterator[None]:
        """Lock the files of the review by people (decisions, pool, references); wait for the lock.

        It is separate from `stage_lock`, since an editor may run for hours. If both are needed, acquire that first.
        """
        with locked(self.root, wait=True, name=_REVIEW_LOCK):
            yield

    def samples_in_review(self) -> set[tuple[str, str]]:
        """Return the samples under review by people, with their edits; the filter does not decide on them."""
        return {(entry.id, entry.edit) for entry in self.journal(PoolEntry)}

    def reader(self) -> CachedReader:
        """Return the configured reader."""
        return CachedReader.named(self.settings.reader.name, self.settings.reader.options)

    def pages(self) -> dict[str, SourcePageRecord]:
        """Return all pages by id."""
        return {page.id: page for page in self.journal(SourcePageRecord)}

    def page_image(self, page: SourcePageRecord) -> Path:
        """Return the image file of a page."""
        return self.root / page.image

    def page_reading(self, page: SourcePageRecord) -> PageText:
        """Return the text of a page: the annotation of the data set, else OCR output."""
        return self._reading(self.page_readings / f"{page.id}.json")

    def source_reading(self, page: SourcePageRecord) -> PageText:
        """Return the OCR output of a page, even if there is an annotation: edits are compared with it."""
        return self._reading(self.readings / "pages" / f"{page.id}.json")

    def draws(self) -> dict[str, InstructionDraw]:
        """Return all draws by the instruction's id."""
        return {drawn.id: drawn for drawn in self.journal(InstructionDraw)}

    def instructions(self) -> dict[str, Instruction]:
        """Return all accepted instructions, in the order of the draws."""
        found = {each.id: each for each in self.journal(Instruction)}
        return {id: found[id] for id in [*(id for id in self.draws() if id in found), *found]}

    def rejections(self) -> list[Rejection]:
        """Return all rejections."""
        return list(self.journal(Rejection))

    def edit_image(self, instruction: Instruction) -> Path:
        """Return the file of an edited page."""
        return self.edits / "images" / group_of(instruction.operation) / f"{instruction.id}.png"

    def edits_read(self) -> dict[str, EditRead]:
        """Return the latest OCR record of each edit, by id."""
        return {each.id: each for each in self.journal(EditRead)}

    def edit_reading(self, id: str, region: int | None = None) -> PageText:
        """Return the OCR output of an edited page, or of one of its regions."""
        return self._reading(self.readings / _reading_name(id, region))

    def decisions(self) -> dict[tuple[str, str], dict[str, Decision]]:
        """Return the latest decision of each step, by sample and edit."""
        return latest_decisions(self.journal(Decision), {id for id, _ in self.samples_in_review()})

    def reference_image(self, id: str) -> Path:
        """Return the reference image: the edit's regions on the source page."""
        return self.references / f"{id}.png"

    def reference_reading(self, id: str, region: int | None = None) -> PageText:
        """Return the OCR output of the reference, or of one of its regions."""
        return self._reading(self.references / "readings" / _reading_name(id, region))

    def reading_file(self, folder: Path, id: str, region: int | None = None) -> Path:
        """Return the file of OCR output."""
        return folder / _reading_name(id, region)

    def _reading(self, file: Path) -> PageText:
        return PageText.from_json(read_json(file), str(file))

    def require(self, stage: str, found: object, what: str) -> None:
        """Raise `InputError` if the output of an earlier stage is missing."""
        if not found:
            raise InputError(f"{self.root}: {what}; run `vde build {stage} {self.root}` first")


def group_of(operation: str) -> str:
    """Return the suite group of an operation.

    >>> group_of("table_insert"), group_of("text_insert")
    ('table', 'text')
    """
    return "table" if operation.startswith("table") else "text"


def _reading_name(id: str, region: int | None) -> str:
    return f"{id}.json" if region is None else f"regions/{id}_region_{region}.json"

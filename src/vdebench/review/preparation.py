"""Preparation: create and read reference images for agreed boxes, and write decisions to the workspace.

Safe to kill at any moment, and to run again: what is done is found done. It needs not wait for other stages that are at
work, for hours perhaps, nor they for it; only for a package that is being written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from vdebench.build.decisions import PEOPLE, Decision
from vdebench.build.read import crops_of
from vdebench.build.workspace import Workspace
from vdebench.core.page_text import PageText
from vdebench.errors import InputError, ReaderError, VdeError
from vdebench.instructions.records import SourcePageRecord
from vdebench.io.files import is_file, locked, make_folder, read_bytes, write_bytes, write_json
from vdebench.pipeline.options import Progress
from vdebench.pipeline.read import read_pictures
from vdebench.readers.cached import ImageCrop
from vdebench.review.connection import FILE, VARIABLE, opened_review
from vdebench.review.pool import PICTURES, Pool
from vdebench.review.reference_ocr import ReferenceText, corrected, finished, keep_finished
from vdebench.review.state import Item, State
from vdebench.review.workspace import corrected_texts, note_given, write_decisions, write_readings

Decided = Mapping[tuple[str, str], Mapping[str, Decision]]
TURNED_DOWN = ("rejected", "withdrawn")
AT_A_TIME = 16
"""Samples per batch, so that people need not wait for the last of hundreds."""


class PreparationReport(NamedTuple):
    """Result of `prepare`."""

    made: list[str]
    """Samples whose reference image was created and read."""
    written: Counter[str]
    """Decisions written, by step and verdict."""
    failed: dict[str, str]
    """Samples that failed, with the error."""

    def require_all(self) -> None:
        """Raise `ReaderError` if a sample failed."""
        if self.failed:
            first = next(iter(self.failed.values()))
            raise ReaderError(
                f"{first}\n  {len(self.failed)} samples of the review failed:"
                f" {named(self.failed)}; everything else is written; fix this and run the command again"
            )


def named(ids: Collection[str], most: int = 5) -> str:
    """Return the first few names of a list of samples.

    >>> named(["a", "b", "c"], 2)
    'a, b, …'
    """
    return ", ".join([*list(ids)[:most], *(["…"] if len(ids) > most else [])])


def prepare(
    folder: Path, database: str | Path = "", *, workers: int = 0, progress: Progress | None = None
) -> PreparationReport:
    """Create and read the reference images that people wait for, and write their decisions to the workspace.

    Goes on until nothing is left, also of what is decided meanwhile. Without a database it is the workspace's own.
    """
    workspace = Workspace(folder)
    make_folder(folder / PICTURES)
    done = PreparationReport([], Counter(), {})
    with (
        opened_review(folder, database) as store,
        locked(folder / PICTURES, wait=True),
    ):  # two processes would do the same work
        while True:
            state, unknown = its_own(workspace, store.state())
            done.failed.update(unknown)
            _note_given(workspace, state)
            written = write_decisions(workspace, state)
            made, failed = make_references(workspace, state, workers=workers, progress=progress, without=done.failed)
            written += write_decisions(workspace, state)
            done.made.extend(made)
            done.written.update(written)
            done.failed.update(failed)
            if not made and not written:
                return done


def _note_given(workspace: Workspace, state: State) -> None:
    known = workspace.samples_in_review()
    new = {item.id: item.edit for item in state.items.values() if (item.id, item.edit) not in known}
    if new:
        with workspace.review_lock():
            note_given(workspace, new)


def bring_decisions(workspace: Workspace, database: str | Path = "", *, workers: int = 0) -> PreparationReport | None:
    """Write people's decisions before a workspace is packaged; do nothing without a review."""
    own = is_file(workspace.root / FILE)
    if not own and not is_file(workspace.pool_file):
        return None
    if not own and not database:
        raise InputError(
            f"{workspace.root}: it has a review, but {FILE} is missing: give the review's database with --database"
            f" or ${VARIABLE}; or package what review.jsonl says, with --as-written"
        )
    return prepare(workspace.root, database, workers=workers)


def its_own(workspace: Workspace, state: State) -> tuple[State, dict[str, str]]:
    """Return the review without samples that the workspace has no instruction for, and messages for those.

    A review of which it has none is refused.
    """
    instructions = workspace.instructions()
    items = {id: item for id, item in state.items.items() if id in instructions}
    strange = sorted(state.items.keys() - items.keys())
    if strange and not items:
        raise InputError(
            f"{workspace.root}: has no instruction {strange[0]}, nor any other of the review: its database is"
            " another workspace's; name the right one with --database"
        )
    file = workspace.instructions_file
    return State(state.study, items), {
        id: f"{file}: has no {id}, which the review has; restore its line, or withdraw the sample"
        for id in strange
        if state.items[id].step not in TURNED_DOWN  # nothing is lost
    }


def make_references(
    workspace: Workspace,
    state: State,
    *,
    workers: int = 0,
    progress: Progress | None = None,
    without: Collection[str] = (),
) -> tuple[list[str], dict[str, str]]:
    """Create and read reference images for agreed boxes; return the new ids, and errors by id."""
    ordered = sorted(state.items.values(), key=lambda item: item.position)
    known = workspace.decisions()
    wanted = [
        item for item in ordered if item.boxes and item.id not in without and not _is_made(workspace, item, known)
    ]
    if not wanted:
        return [], {}
    maker = _Maker(workspace, workers)
    made: list[str] = []
    for start in range(0, len(wanted), AT_A_TIME):
        made += maker.make(wanted[start : start + AT_A_TIME])
        if progress:
            progress(min(start + AT_A_TIME, len(wanted)), len(wanted))
    return made, maker.failed


def _is_made(workspace: Workspace, item: Item, known: Decided) -> bool:
    reading = workspace.reading_file(workspace.references / "readings", item.id)
    if not (is_file(workspace.reference_image(item.id)) and is_file(reading)):
        return False
    decision = known.get((item.id, item.edit), {}).get("boxes")
    if decision is not None and decision.kind == PEOPLE and tuple(decision.boxes) == item.boxes:
        return True  # the decision was written after all files; this avoids opening thousands of them
    return finished(workspace, item.id, item.edit, item.boxes) is not None


class _Maker:
    """Creates reference images and reads them."""

    def __init__(self, workspace: Workspace, workers: int) -> None:
        self.workspace, self.workers = workspace, workers
        self.pool, self.reader = Pool(workspace.root), workspace.reader()
        self.pages, self.instructions = workspace.pages(), workspace.instructions()
        self.failed: dict[str, str] = {}

    def make(self, items: list[Item]) -> list[str]:
        """Process a batch; return the ids that succeeded."""
        pictures: dict[str, list[ImageCrop]] = {}
        for item in items:
            try:
                pictures[item.id] = self._pasted(item)
            except VdeError as error:
                if item.step not in TURNED_DOWN:  # nobody waits for those
                    self.failed[item.id] = str(error)
        try:
            read_pictures(self.reader, [each for parts in pictures.values() for each in parts], self.workers, None)
        except ReaderError as error:  # the reader gave up after the first few: the others would fail too
            self.failed |= dict.fromkeys(pictures, str(error))
            return []
        found: dict[str, list[PageText]] = {}
        for id, parts in pictures.items():
            try:
                found[id] = [self.reader.read(each) for each in parts]
            except VdeError as error:
                self.failed[id] = str(error)
        with self.workspace.review_lock():
            for item in items:
                if item.id in found:
                    self._write(item, pictures[item.id][1].file, found[item.id])
        return list(found)

    def _page(self, item: Item) -> SourcePageRecord:
        return self.pages[self.instructions[item.id].page]

    def _pasted(self, item: Item) -> list[ImageCrop]:
        """Return the images to read: the original page, the reference image, its regions."""
        page = self._page(item)
        whole = ImageCrop.of(self.pool.reference(item.id, item.boxes, item.edit), lasting=True)
        source = ImageCrop.of(self.workspace.page_image(page), lasting=True)
        return [source, whole, *crops_of(whole, page, item.boxes)]

    def _write(self, item: Item, image: Path, readings: list[PageText]) -> None:
        """Write the files of a sample; the file with the OCR text comes last."""
        before, page, *regions = readings
        workspace, found = self.workspace, ReferenceText(item.edit, item.boxes, page, tuple(regions))
        write_bytes(workspace.reference_image(item.id), read_bytes(image))
        write_json(workspace.readings / "pages" / f"{self._page(item).id}.json", before.to_json())
        texts = corrected_texts(item)
        told = corrected(found, texts) if texts else found
        write_readings(workspace, item.id, told if isinstance(told, ReferenceText) else found)
        keep_finished(workspace, item.id, found)

"""Content of samples from a workspace of `vde build`: facts, images and OCR text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from vdebench.build.decisions import clipped
from vdebench.build.edit import edits_of
from vdebench.build.paste_back import paste_back
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box, Size
from vdebench.core.images import Image, resized
from vdebench.errors import InputError, VdeError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file
from vdebench.pipeline.editing import EditRecord, identity_of
from vdebench.pipeline.editing.journal import JOURNAL
from vdebench.review.commands import PoolSample
from vdebench.review.image_cache import ImageCache, key_of
from vdebench.review.pictures import open_checked
from vdebench.review.reference_ocr import ReferenceText, corrected, finished
from vdebench.review.uploads import upload

PICTURES = "pictures"
"""Folder of displayed images in the workspace; it can be deleted."""
SIDES = ("before", "after", "reference")
Value = TypeVar("Value")


class _Case(NamedTuple):
    """An instruction and its page."""

    instruction: Instruction
    page: SourcePageRecord

    @property
    def size(self) -> Size:
        return Size(self.page.width, self.page.height)


class Pool:
    """The samples of a workspace. Thread-safe; changed files are read again."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self._shown = ImageCache(folder / PICTURES)
        at = self.workspace
        self._cases = _Fresh((at.instructions_file, at.draws_file, at.pages_file), self._read_cases)
        self._made = _Fresh((at.edits / JOURNAL, at.edits / "editor.json"), self._read_edits)

    def about(self, sample: str) -> dict[str, Any]:
        """Return the instruction, its origin and the editor."""
        (instruction, page), (edits, editor) = self._cases()[sample], self._made()
        made = edits.get(sample)
        return {
            "instruction": instruction.instruction,
            "operation": instruction.operation,
            "language": instruction.language,
            "target": instruction.target,
            "replacement": instruction.replacement,
            "document": page.source,
            "editor": str(made.parameters["model"]) if made and made.by_hand else editor,
        }

    def picture(self, sample: str, which: str, boxes: Sequence[Box] = (), edit: str = "") -> Path:
        """Return a PNG of exactly the size of the page: `before`, `after`, or with agreed boxes `reference`.

        With `edit`, the SHA-256 of the edited image that came into the review, another image is refused.
        """
        case = self._cases()[sample]
        if which == "before":
            return self._shown.file(self.key(sample, which), lambda: self._page(case))
        key = self.key(sample, which, boxes, edit)
        if which == "after":
            return self._shown.file(key, lambda: resized(self._edit(case), case.size))
        return self._shown.file(key, lambda: paste_back(self._page(case), self._edit(case), boxes))

    def reference(self, sample: str, boxes: Sequence[Box], edit: str = "") -> Path:
        """Return the reference image: the boxes from the edit, all other pixels from the page."""
        return self.picture(sample, "reference", boxes, edit)

    def key(self, sample: str, which: str, boxes: Sequence[Box] = (), edit: str = "") -> str:
        """Return a digest that changes with the image, for cacheable URLs."""
        case = self._cases()[sample]
        size = f"{case.page.width}×{case.page.height}"
        if which == "before":
            return key_of(which, self._page_digest(case), size)
        now = self.edit_digest(sample)
        if edit and edit != now:
            raise InputError(
                f"{sample}: was edited again after it was added to the review, and the reviewed image is gone;"
                " bring it back, or withdraw the sample, which is out for good then"
            )
        if which == "after":
            return key_of(which, now, size)
        if which != "reference":
            raise InputError(f"{sample}: no image {which!r}"[:250] + f", expected one of {', '.join(SIDES)}")
        if not boxes:
            raise InputError(f"{sample}: the groups have not agreed on its boxes yet, so there is no reference image")
        told = repr([tuple(box) for box in clipped(boxes, case.size, sample)])
        return key_of(which, self._page_digest(case), now, size, told)

    def readings(self, sample: str, boxes: Sequence[Box]) -> list[str] | None:
        """Return the OCR text of each region, in the order of the boxes; None before it has been read."""
        found = self._finished(sample, boxes)
        return found.texts if found else None

    def wrong_correction(self, sample: str, boxes: Sequence[Box], texts: Sequence[str]) -> str:
        """Describe why corrected texts cannot be inserted into the OCR output; empty if they can."""
        found = self._finished(sample, boxes)
        if found is None:
            return "its regions have not been read yet"
        if len(texts) != len(found.regions):
            return f"{len(texts)} texts, expected {len(found.regions)}: one for every region"
        done = corrected(found, texts)
        return done if isinstance(done, str) else ""

    def edit_digest(self, sample: str) -> str:
        """Return the SHA-256 of the present edited image."""
        return digest_of_file(self._edit_file(self._cases()[sample].instruction))

    def without_edit(self) -> list[str]:
        """Return the instructions without an edit, for which one can be uploaded."""
        edits = self._made()[0]
        return [id for id in self._cases() if id not in edits or edits[id].state != "edited"]

    def upload(self, sample: str, content: bytes, who: str) -> PoolSample:
        """Check an uploaded edit and write it to the workspace; return the sample to add to the review."""
        self._cases()[sample]
        return upload(self.workspace, sample, content, who)

    def _finished(self, sample: str, boxes: Sequence[Box]) -> ReferenceText | None:
        self._cases()[sample]
        try:
            return finished(self.workspace, sample, self.edit_digest(sample), boxes)
        except InputError:  # its edit is gone; requesting its image reports that
            return None

    def _page(self, case: _Case) -> Image:
        page = self._opened(self.workspace.page_image(case.page))
        if page.shape[:2] != (case.page.height, case.page.width):
            found = f"{page.shape[1]}×{page.shape[0]}"
            raise InputError(f"{case.page.image}: has {found} pixels, expected {case.page.width}×{case.page.height}")
        return page

    def _edit(self, case: _Case) -> Image:
        return self._opened(self._edit_file(case.instruction))

    def _page_digest(self, case: _Case) -> str:
        if not is_file(file := self.workspace.page_image(case.page)):
            raise InputError(f"{case.page.image}: is missing; restore it in the workspace")
        return digest_of_file(file)

    def _opened(self, file: Path) -> Image:
        try:
            return open_checked(file)
        except VdeError as error:  # do not show folders of this machine to clients
            raise type(error)(str(error).replace(f"{self.workspace.root}/", "")) from None

    def _edit_file(self, instruction: Instruction) -> Path:
        made, file = self._made()[0].get(instruction.id), self.workspace.edit_image(instruction)
        if made is None or made.state != "edited":
            raise InputError(f"{instruction.id}: has no edited image ({made.state if made else 'not edited yet'})")
        if not is_file(file):
            raise InputError(
                f"{file.relative_to(self.workspace.root)}: is missing; run `vde build edit` to create it again"
            )
        return file

    def _read_cases(self) -> dict[str, _Case]:
        pages = self.workspace.pages()
        return {id: _Case(each, pages[each.page]) for id, each in self.workspace.instructions().items()}

    def _read_edits(self) -> tuple[dict[str, EditRecord], str]:
        known = is_file(self.workspace.edits / "editor.json")
        identity = identity_of(self.workspace.edits) if known else {}
        return edits_of(self.workspace), " ".join(str(identity[key]) for key in ("name", "version") if key in identity)


class _Fresh(Generic[Value]):
    """A value computed from files, computed again when one of them changes."""

    def __init__(self, files: Sequence[Path], make: Callable[[], Value]) -> None:
        self._files, self._make, self._lock = files, make, Lock()
        self._kept: tuple[object, Value] | None = None

    def __call__(self) -> Value:
        """Return the value for the present files."""
        with self._lock:
            now = [
                _mark(file) for file in self._files
            ]  # taken before reading, so a change during the read is noticed next time
            if self._kept is None or self._kept[0] != now:
                self._kept = now, self._make()
            return self._kept[1]


def _mark(file: Path) -> tuple[int, int] | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size

"""`edits.jsonl`: the outcome of every edit, the last line of a sample counts; and totals over these records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, is_folder, list_folder, read_json, write_json
from vdebench.io.journal import Journal
from vdebench.io.stores import mounted, place
from vdebench.runs.provenance import cost_of

JOURNAL = "edits.jsonl"
NOT_EDITED = "not_edited.json"
IMAGES = "images"
ELSEWHERE = "images_at.json"
BY_HAND = "by hand"


class EditRecord(NamedTuple):
    """A line of `edits.jsonl`."""

    sample: str
    state: Literal["edited", "refused", "failed"]
    reason: str = ""
    file: str = ""
    """Path of the image in the editor's folder."""
    size: Sequence[int] | None = None
    """Width and height of the editor's output."""
    seconds: float = 0.0
    parameters: Mapping[str, Any] = {}
    metadata: Mapping[str, Any] = {}
    """Further output of the model or its server."""
    instruction: str = ""
    """The instruction, if it differs from the suite's."""
    earlier: Mapping[str, float | None] = {}
    """Cost of earlier attempts at this sample."""
    input: str = ""
    """Hash of the inputs of the edit."""

    @property
    def cost(self) -> dict[str, float | None]:
        """Cost including earlier attempts."""
        return cost_of([self.parameters, self.earlier])

    @property
    def by_hand(self) -> bool:
        """Whether a person made the edit, not the editor."""
        return self.input.startswith(BY_HAND)

    def validate(self) -> None:
        """Raise ValueError where a time or a cost is impossible."""
        costs = [cost for part in (self.parameters, self.earlier) for cost in cost_of([part]).items()]
        for name, value in [("seconds", self.seconds), *costs]:
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name!r} is {value}, expected a number of 0 or more")


def edit_journal(folder: Path) -> Journal[EditRecord]:
    """Return the journal of an editor's folder."""
    return Journal(folder / JOURNAL, EditRecord)


def read_edits(folder: Path) -> list[EditRecord]:
    """Return the last record of each sample in an editor's folder; samples whose last line is invalid have none."""
    return list(edit_journal(folder).latest("sample").values())


def write_edits(folder: Path, records: Sequence[EditRecord]) -> None:
    """Rewrite the journal with one line per sample, and the list of those without an image."""
    edit_journal(folder).replace(records)
    left = [{"sample": each.sample, "state": each.state, "reason": each.reason} for each in records if not each.file]
    write_json(folder / NOT_EDITED, left)


def states_of(records: Sequence[EditRecord]) -> dict[str, int]:
    """Count records by state."""
    counts = Counter(each.state for each in records)
    return {state: counts[state] for state in ("edited", "refused", "failed")}


def counts_of(records: Sequence[EditRecord]) -> dict[str, int]:
    """Count records by state, under the names used in summaries of scores."""
    states = states_of(records)
    return {"edited": states["edited"], "refused": states["refused"], "edits_failed": states["failed"]}


def total_cost(records: Iterable[EditRecord]) -> dict[str, float | None]:
    """Return the cost of edits, including failed attempts."""
    return cost_of(each.cost for each in records)


def images_of(folder: Path) -> Path:
    """Return the location of an editor's images: in its folder or in a store."""
    elsewhere = folder / ELSEWHERE
    return mounted(str(read_json(elsewhere)["url"])) if is_file(elsewhere) else folder / IMAGES


def editors_images(folder: str | Path) -> Path:
    """Return a folder of images; of an editor's folder of `vde run`, the images in it."""
    path = place(folder)
    return images_of(path) if JOURNAL in list_folder(path) else path


def put_images_into(folder: Path, url: str) -> None:
    """Store an editor's images at a URL; raise an error if they are somewhere else already."""
    current = read_json(folder / ELSEWHERE)["url"] if is_file(folder / ELSEWHERE) else ""
    if current == url:
        return
    if current or is_folder(folder / IMAGES):
        place = current or folder / IMAGES
        raise RunFolderError(f"{folder}: its images are in {place}; omit --image-store, or choose another --out")
    mounted(url)  # raises an error for an invalid URL
    write_json(folder / ELSEWHERE, {"url": url})


def identity_of(folder: Path) -> dict[str, str]:
    """Return the identity of the editor of a folder."""
    return dict(read_json(folder / "editor.json"))

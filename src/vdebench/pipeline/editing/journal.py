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
    """Of the image, below the editor's folder."""
    size: Sequence[int] | None = None
    """Width and height as the editor gave them."""
    seconds: float = 0.0
    parameters: Mapping[str, Any] = {}
    metadata: Mapping[str, Any] = {}
    """What the model or its server said beside the image."""
    instruction: str = ""
    """What was asked, where that is not what the suite says."""
    earlier: Mapping[str, float | None] = {}
    """What tries of this sample have cost that this one has replaced."""
    input: str = ""
    """Hash of all that the edit was made from."""

    @property
    def cost(self) -> dict[str, float | None]:
        """Of this try and of those it has replaced."""
        return cost_of([self.parameters, self.earlier])

    @property
    def by_hand(self) -> bool:
        """Whether a person made it, in place of the editor."""
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


def write_edits(folder: Path, made: Sequence[EditRecord]) -> None:
    """Rewrite the journal with one line per sample, and the list of those without an image."""
    edit_journal(folder).replace(made)
    left = [{"sample": each.sample, "state": each.state, "reason": each.reason} for each in made if not each.file]
    write_json(folder / NOT_EDITED, left)


def states_of(made: Sequence[EditRecord]) -> dict[str, int]:
    """How many were edited, refused, failed."""
    counts = Counter(each.state for each in made)
    return {state: counts[state] for state in ("edited", "refused", "failed")}


def counts_of(made: Sequence[EditRecord]) -> dict[str, int]:
    """The same under names that can stand beside those of scoring."""
    states = states_of(made)
    return {"edited": states["edited"], "refused": states["refused"], "edits_failed": states["failed"]}


def total_cost(made: Iterable[EditRecord]) -> dict[str, float | None]:
    """What edits have cost, tries that came to nothing included."""
    return cost_of(each.cost for each in made)


def images_of(folder: Path) -> Path:
    """Where an editor's images are: in its folder, or in the store that they were put into."""
    elsewhere = folder / ELSEWHERE
    return mounted(str(read_json(elsewhere)["url"])) if is_file(elsewhere) else folder / IMAGES


def editors_images(folder: str | Path) -> Path:
    """A folder of images that somebody gives: of one that `vde edit` or `vde run` has written, the images in it."""
    given = place(folder)
    return images_of(given) if JOURNAL in list_folder(given) else given


def put_images_into(folder: Path, url: str) -> None:
    """Have an editor's images kept in a store; refused where they are somewhere else already."""
    now = read_json(folder / ELSEWHERE)["url"] if is_file(folder / ELSEWHERE) else ""
    if now == url:
        return
    if now or is_folder(folder / IMAGES):
        place = now or folder / IMAGES
        raise RunFolderError(f"{folder}: its images are in {place}; leave out --image-store, or choose another --out")
    mounted(url)  # says what is wrong with it before it is written down
    write_json(folder / ELSEWHERE, {"url": url})


def identity_of(folder: Path) -> dict[str, str]:
    """The editor whose work a folder holds."""
    return dict(read_json(folder / "editor.json"))

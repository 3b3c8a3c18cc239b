"""`edits.jsonl`: a line per sample, its last word; and what lines add up to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError, RunFolderError
from vdebench.io.files import is_file, is_folder, list_folder, read_json, replacing, write_json
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
    state: str
    """edited, refused or failed."""
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

    @property
    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(self._asdict(), ensure_ascii=False)


def read_edits(folder: Path) -> list[EditRecord]:
    """What an editor's folder says of each sample, the last word of each; unfinished lines are passed over."""
    file = folder / JOURNAL
    return list({made.sample: made for made in _lines(file)}.values()) if is_file(file) else []


def _lines(file: Path) -> Iterator[EditRecord]:
    try:
        with file.open("rb") as lines:  # one by one: a million of them are a gigabyte
            for line in lines:
                with suppress(ValueError, TypeError):  # one that a kill left unfinished
                    yield EditRecord(**json.loads(line))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None


def write_edits(folder: Path, made: Iterable[EditRecord]) -> None:
    """Rewrite the journal with one line per sample, and the list of those without an image."""
    left = []
    with replacing(folder / JOURNAL) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as lines:
        for each in made:
            lines.write(f"{each.line}\n")
            if not each.file:
                left.append({"sample": each.sample, "state": each.state, "reason": each.reason})
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

"""A typeset suite on disk, in the VDE release's layout: made in parts by many processes, gone on with at any moment.

suite.toml  make.json  text.json  table.json     the suite, its recipe, its samples
source/000003.png                                 a page, shared by its samples
reference/000007.png  mask/000007.png             an edited page, and where its pixels may differ
readings/text/000007.json  readings/text/regions/ exact readings of edited pages and of their regions
source_readings/000007.json                       exact readings of pages before the edit
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.io.files import (
    is_file,
    list_folder,
    locked,
    parse_json,
    read_bytes,
    read_json,
    replacing,
    write_bytes,
    write_json,
    write_text,
)
from vdebench.parallel.local import spread, usable_processors
from vdebench.suites.names import REGIONS
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import TypesetSample, make_page
from vdebench.suites.typeset.recipe import SuiteRecipe, made_with
from vdebench.suites.typeset.typesetter import Typesetter
from vdebench.suites.vde import entry_of

GROUPS = ("text", "table")
_PAGES_IN_A_PART = 10
_PARTS = ".parts"
_SUITE = """\
# Made by `vde typeset make`; make.json holds the recipe.
format = "vde-release"
name = "typeset"
"""
_GROUP = """
[groups.{group}]
info = "{group}.json"
readings = "readings/{group}"
source_readings = "source_readings"
images = "reference"
source_images = "source"
masks = "mask"
"""


class SuitePart(NamedTuple):
    """Some pages of a suite: a process makes them, then writes down their samples in one file."""

    folder: Path
    recipe: SuiteRecipe
    number: int
    n: int

    @property
    def samples(self) -> range:
        """Numbers of its samples."""
        size = _PAGES_IN_A_PART * self.recipe.per_page
        return range(self.number * size, min(self.n, (self.number + 1) * size))

    @property
    def file(self) -> Path:
        """Where its samples are written down when all their files are there."""
        return self.folder / _PARTS / f"{self.number:06}.jsonl"

    @property
    def is_made(self) -> bool:
        """Whether nothing is left to do: its samples are written down and their images are there."""
        if not is_file(self.file):
            return False
        try:
            entries = [entry for _, entry in _entries([self])]
        except VdeError:
            return False
        names = [entry.get(key) for entry in entries for key in ("image_input", "image_output")]
        known = [entry.get("id") for entry in entries] == list(self.samples)
        return known and all(isinstance(name, str) and is_file(self.folder / name) for name in names)


def make_suite(
    folder: Path,
    n: int,
    recipe: SuiteRecipe,
    workers: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    wait: bool = False,
) -> None:
    """Make a suite of n samples, or finish one that was begun; `wait` for another process that is at it."""
    if n < 1:
        raise InputError(f"a suite of {n} samples: at least one is needed")
    parts = [
        SuitePart(folder, recipe, number, n) for number in range(math.ceil(n / recipe.per_page / _PAGES_IN_A_PART))
    ]
    try:
        (folder / _PARTS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}; choose another folder") from None
    with locked(folder, wait=wait):
        _require_same(folder, n, recipe)
        left = [part for part in parts if not part.is_made]
        done = n - sum(len(part.samples) for part in left)
        if progress:
            progress(done, n)
        for count in spread(_make_part, left, min(workers or usable_processors(), max(1, len(left)))):
            done += count
            if progress:
                progress(done, n)
        _finish(folder, parts)


def _require_same(folder: Path, n: int, recipe: SuiteRecipe) -> None:
    """Refuse a folder that holds something else; a suite may grow."""
    file = folder / "make.json"
    wanted = {**recipe.to_json(), "made_with": made_with()}
    if is_file(file):
        found = read_json(file)
        if not isinstance(found, dict) or not isinstance(found.get("n"), int):
            raise RunFolderError(f"{file}: is no recipe of ours; choose another folder, or delete this one")
        for key, value in wanted.items():
            if found.get(key) != value:
                raise RunFolderError(
                    f"{folder}: holds a suite with {key} {found.get(key)!r}, asked for {value!r}\n"
                    "  choose another folder, or delete this one"
                )
        if found["n"] > n:
            raise RunFolderError(
                f"{folder}: holds a suite of {found['n']} samples, asked for {n}; choose another folder"
            )
    elif any(name not in (_PARTS, ".lock") and not name.startswith(".make.json.") for name in list_folder(folder)):
        raise RunFolderError(f"{folder}: holds other files, expected a new folder; choose another one")
    write_json(file, {"n": n, **wanted})


def _finish(folder: Path, parts: list[SuitePart]) -> None:
    _remove_unfinished(folder)
    for group in GROUPS:
        with replacing(folder / f"{group}.json") as temporary, temporary.open("w", encoding="utf-8") as file:
            file.write("[")
            for index, entry in enumerate(entry for found, entry in _entries(parts) if found == group):
                file.write((",\n" if index else "\n") + json.dumps(entry, ensure_ascii=False))
            file.write("\n]\n")
    listed = [group for group in GROUPS if any(found == group for found, _ in _entries(parts))]
    write_text(folder / "suite.toml", _SUITE + "".join(_GROUP.format(group=group) for group in listed))


def _remove_unfinished(folder: Path) -> None:
    """Files of a process that was killed while it wrote: a dot, their name, and something behind it."""
    for place in ("source", "reference", "mask", "readings", "source_readings", _PARTS):
        for file in (folder / place).rglob(".*"):
            file.unlink(missing_ok=True)
    for name in ("make.json", "suite.toml", "text.json", "table.json"):
        for file in folder.glob(f".{name}.*"):
            file.unlink(missing_ok=True)


def _entries(parts: list[SuitePart]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Group and entry of every sample, in their order."""
    for part in parts:
        for line in read_bytes(part.file).split(b"\n"):
            if line:
                group, _, entry = line.partition(b"\t")
                found = parse_json(entry, part.file)
                if group.decode(errors="replace") not in GROUPS or not isinstance(found, dict):
                    raise InputError(f"{part.file}: holds something else than samples; delete it")
                yield group.decode(), found


def _make_part(part: SuitePart) -> int:
    lines = []
    recipe = part.recipe
    press = _press(recipe.ppi)
    for number in range(part.samples.start // recipe.per_page, math.ceil(part.samples.stop / recipe.per_page)):
        pairs = make_page(recipe, number, press)
        write_bytes(part.folder / pairs[0].sample.source_image, encode_png(pairs[0].source))
        for pair in pairs:
            if int(pair.sample.id) in part.samples:
                _write(part.folder, pair)
                lines.append(f"{pair.sample.group}\t{json.dumps(entry_of(pair.sample), ensure_ascii=False)}\n")
    write_text(part.file, "".join(lines))
    return len(part.samples)


@cache
def _press(ppi: int) -> Typesetter:
    return Typesetter(ppi, font_folders())


def _write(folder: Path, pair: TypesetSample) -> None:
    name = Path(pair.sample.reference_image).stem
    write_bytes(folder / pair.sample.reference_image, encode_png(pair.reference))
    write_bytes(folder / "mask" / f"{name}.png", encode_png(pair.mask))
    readings = folder / "readings" / pair.sample.group
    _write_reading(readings / f"{name}.json", pair.reference_reading)
    for index, reading in enumerate(pair.region_readings):
        _write_reading(readings / REGIONS / f"{name}_region_{index}.json", reading)
    _write_reading(folder / "source_readings" / f"{name}.json", pair.source_reading)


def _write_reading(file: Path, reading: PageText) -> None:
    write_text(file, json.dumps(reading.to_json(), ensure_ascii=False) + "\n")

"""Write a generated suite in the layout of the VDE release, with several processes; interrupted calls can be resumed.

suite.toml  make.json  text.json  table.json      the suite, its recipe, its samples
source/000003.png                                 a page, shared by its samples
reference/000007.png  mask/000007.png             an edited page, and where its pixels may differ
readings/text/000007.json  readings/text/regions/ exact text of edited pages and of their regions
source_readings/000007.json                       exact text of pages before the edit
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
from vdebench.parallel.local import map_tasks, usable_processors
from vdebench.suites.names import REGIONS
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import TypesetSample, make_page
from vdebench.suites.typeset.recipe import SuiteRecipe, provenance
from vdebench.suites.typeset.typesetter import Typesetter
from vdebench.suites.vde_entries import entry_of

GROUPS = ("text", "table")
_PAGES_IN_A_PART = 10
_PARTS = ".parts"
"""Subfolder with one file per complete part, so that an interrupted call resumes after it."""
_SUITE_TOML = """\
# Made by `vde typeset make`; make.json holds the recipe.
format = "vde-release"
name = "typeset"
"""
_GROUP_TOML = """
[groups.{group}]
info = "{group}.json"
readings = "readings/{group}"
source_readings = "source_readings"
images = "reference"
source_images = "source"
masks = "mask"
"""


class SuitePart(NamedTuple):
    """Ten pages of a suite: the task of one process. Its list of samples is written last, when all images exist."""

    folder: Path
    recipe: SuiteRecipe
    number: int
    n: int
    """Number of samples of the whole suite."""

    @property
    def samples(self) -> range:
        """Numbers of the samples."""
        size = _PAGES_IN_A_PART * self.recipe.per_page
        return range(self.number * size, min(self.n, (self.number + 1) * size))

    @property
    def file(self) -> Path:
        """File that lists the samples once all their images are written."""
        return self.folder / _PARTS / f"{self.number:06}.jsonl"

    @property
    def is_complete(self) -> bool:
        """Whether the part is complete: its list and all images exist."""
        if not is_file(self.file):
            return False
        try:
            entries = [entry for _, entry in _entries([self])]
        except VdeError:
            return False
        names = [entry.get(key) for entry in entries for key in ("image_input", "image_output")]
        ids_match = [entry.get("id") for entry in entries] == list(self.samples)
        return ids_match and all(isinstance(name, str) and is_file(self.folder / name) for name in names)


def make_suite(
    folder: Path,
    n: int,
    recipe: SuiteRecipe,
    workers: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    wait: bool = False,
) -> None:
    """Make a suite of n samples, or complete an interrupted one.

    If another process is making it, wait for that process (`wait`) or raise `RunFolderError`.
    """
    if n < 1:
        raise InputError(f"a suite of {n} samples, expected at least 1")
    parts = [
        SuitePart(folder, recipe, number, n) for number in range(math.ceil(n / recipe.per_page / _PAGES_IN_A_PART))
    ]
    try:
        (folder / _PARTS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be created: {error.strerror}; choose another folder") from None
    with locked(folder, wait=wait):
        _write_recipe(folder, n, recipe)
        pending = [part for part in parts if not part.is_complete]
        done = n - sum(len(part.samples) for part in pending)
        if progress:
            progress(done, n)
        for count in map_tasks(_make_part, pending, min(workers or usable_processors(), max(1, len(pending)))):
            done += count
            if progress:
                progress(done, n)
        _finish(folder, parts)


def _write_recipe(folder: Path, n: int, recipe: SuiteRecipe) -> None:
    """Write `make.json`; raise `RunFolderError` if the folder holds other files, another suite or a larger one."""
    file = folder / "make.json"
    settings = {**recipe.to_json(), "made_with": provenance(recipe.languages)}
    if is_file(file):
        existing = read_json(file)
        if not isinstance(existing, dict) or not isinstance(existing.get("n"), int):
            raise RunFolderError(
                f"{file}: not the recipe of a generated suite; choose another folder, or delete this one"
            )
        for key, value in settings.items():
            if existing.get(key) != value:
                raise RunFolderError(
                    f"{folder}: holds a suite with {key} {existing.get(key)!r}, requested {value!r}\n"
                    "  choose another folder, or delete this one"
                )
        if existing["n"] > n:
            raise RunFolderError(
                f"{folder}: holds a suite of {existing['n']} samples, requested {n}; choose another folder"
            )
    elif any(name not in (_PARTS, ".lock") and not name.startswith(".make.json.") for name in list_folder(folder)):
        raise RunFolderError(f"{folder}: holds other files, expected a new folder; choose another one")
    write_json(file, {"n": n, **settings})


def _finish(folder: Path, parts: list[SuitePart]) -> None:
    """Write the lists of samples and `suite.toml`, which makes the folder a suite."""
    _remove_unfinished(folder)
    for group in GROUPS:
        with replacing(folder / f"{group}.json") as temporary, temporary.open("w", encoding="utf-8") as file:
            file.write("[")
            for index, entry in enumerate(entry for name, entry in _entries(parts) if name == group):
                file.write((",\n" if index else "\n") + json.dumps(entry, ensure_ascii=False))
            file.write("\n]\n")
    groups = [group for group in GROUPS if any(name == group for name, _ in _entries(parts))]
    write_text(folder / "suite.toml", _SUITE_TOML + "".join(_GROUP_TOML.format(group=group) for group in groups))


def _remove_unfinished(folder: Path) -> None:
    """Delete temporary files (a dot, the name, a suffix) of processes that were killed while writing."""
    for subfolder in ("source", "reference", "mask", "readings", "source_readings", _PARTS):
        for file in (folder / subfolder).rglob(".*"):
            file.unlink(missing_ok=True)
    for name in ("make.json", "suite.toml", "text.json", "table.json"):
        for file in folder.glob(f".{name}.*"):
            file.unlink(missing_ok=True)


def _entries(parts: list[SuitePart]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the group and the entry of every sample from the files of the parts, in order."""
    for part in parts:
        for line in read_bytes(part.file).split(b"\n"):
            if line:
                group, _, entry = line.partition(b"\t")
                data = parse_json(entry, part.file)
                if group.decode(errors="replace") not in GROUPS or not isinstance(data, dict):
                    raise InputError(f"{part.file}: not a list of samples; delete it and run the command again")
                yield group.decode(), data


def _make_part(part: SuitePart) -> int:
    """Write the files of a part; return its number of samples."""
    lines = []
    recipe = part.recipe
    typesetter = _typesetter(recipe.ppi)
    for number in range(part.samples.start // recipe.per_page, math.ceil(part.samples.stop / recipe.per_page)):
        samples = make_page(recipe, number, typesetter)
        write_bytes(part.folder / samples[0].sample.source_image, encode_png(samples[0].source))
        for item in samples:
            if int(item.sample.id) in part.samples:
                _write_sample(part.folder, item)
                lines.append(f"{item.sample.group}\t{json.dumps(entry_of(item.sample), ensure_ascii=False)}\n")
    write_text(part.file, "".join(lines))
    return len(part.samples)


@cache
def _typesetter(ppi: int) -> Typesetter:
    return Typesetter(ppi, font_folders())


def _write_sample(folder: Path, item: TypesetSample) -> None:
    name = Path(item.sample.reference_image).stem
    write_bytes(folder / item.sample.reference_image, encode_png(item.reference))
    write_bytes(folder / "mask" / f"{name}.png", encode_png(item.mask))
    text_folder = folder / "readings" / item.sample.group
    _write_page_text(text_folder / f"{name}.json", item.reference_text)
    for index, page_text in enumerate(item.region_texts):
        _write_page_text(text_folder / REGIONS / f"{name}_region_{index}.json", page_text)
    _write_page_text(folder / "source_readings" / f"{name}.json", item.source_text)


def _write_page_text(file: Path, page_text: PageText) -> None:
    write_text(file, json.dumps(page_text.to_json(), ensure_ascii=False) + "\n")

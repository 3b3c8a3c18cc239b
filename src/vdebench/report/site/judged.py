"""Judged runs beside a folder of runs: where they are, whose they are, and what of them has no place in the report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import is_file, is_folder, list_folder, read_json
from vdebench.judges.canary_quality import GROUP
from vdebench.report.site.gather import SuiteRuns

FOLDER = "judged"
"""Where a folder of runs, or an editor in it, may have them: they are found there by themselves."""
_PINS = ("judge", "server", "dimensions", "repeat", "prompts", "temperature", "images")
"""What must be the same for grades to stand in one table."""
_TOLD: dict[str, type] = {
    **dict.fromkeys(("editor", "judge", "signature"), str),
    **dict.fromkeys(("dimensions", "notes"), list),
    **dict.fromkeys(("overall", "coverage", "models", "canary"), dict),
    "repeat": int,
}
_KINDS = {str: "text", list: "a list", dict: "an object", int: "a number"}
_COLUMNS = ("sample", "group", "dimension", "draw", "state", "grade", "rationale", "reason", "model")


class GradedEditor(NamedTuple):
    """One editor graded by one judge: what its folder holds."""

    editor: str
    folder: Path
    summary: Mapping[str, Any]

    def rows(self) -> pl.LazyFrame:
        """The table of all questions about the suite, in the order in which they were asked."""
        return pl.scan_parquet(self.folder / "grades.parquet").filter(pl.col("group") != GROUP)

    @property
    def pins(self) -> tuple[Any, ...]:
        """How the judge was asked."""
        return tuple(self.summary.get(pin) for pin in _PINS)


class ReportGrades:
    """All grades that belong to a report, by judge; `notes` say what of the folders is not shown, or not there."""

    def __init__(self, runs: SuiteRuns, samples: Sequence[Sample], given: Sequence[Path] = ()) -> None:
        self.notes: list[str] = []
        self.judges: list[list[GradedEditor]] = []
        """For every judge, as it was asked, its editors in the order of the runs."""
        found = [graded for folder in self._folders(runs, given) if (graded := self._shown(runs, _graded(folder)))]
        for graded in sorted(found, key=lambda each: runs.editors.index(each.editor)):
            self._place(graded)
            self._compare(graded, {sample.key for sample in samples})

    def __bool__(self) -> bool:
        """Whether there is anything to show or to say."""
        return bool(self.judges or self.notes)

    @property
    def editors(self) -> list[str]:
        """Editors with grades."""
        return list(dict.fromkeys(graded.editor for judge in self.judges for graded in judge))

    def of(self, editor: str) -> list[GradedEditor | None]:
        """What each judge has of an editor."""
        return [next((graded for graded in judge if graded.editor == editor), None) for judge in self.judges]

    def _folders(self, runs: SuiteRuns, given: Sequence[Path]) -> list[Path]:
        """Folders with grades, each once: those that were given, then those that lie among the runs."""
        found: dict[str, Path] = {}
        for folder in given:
            inside = list(_inside(folder))
            whole = [each for each in inside if _whole(each)]
            if not whole:
                raise _none(folder, inside)
            found |= {os.path.realpath(each): each for each in whole}
            self._unfinished(inside)
        beside = [root / part for root in runs.roots for part in ("", *runs.editors)]
        beside += [result.folder for result in runs.results]
        for folder in dict.fromkeys(each / FOLDER for each in beside):
            if is_folder(folder):
                inside = [each for each in _inside(folder) if os.path.realpath(each) not in found]
                found |= {os.path.realpath(each): each for each in inside if _whole(each)}
                self._unfinished(inside)
        return list(found.values())

    def _unfinished(self, folders: Sequence[Path]) -> None:
        for folder in folders:
            if not _whole(folder):
                note = f"{_short(folder)}: a judged run without its tables is not shown: run its `vde judge` again"
                if note not in self.notes:
                    self.notes.append(note)

    def _shown(self, runs: SuiteRuns, graded: GradedEditor) -> GradedEditor | None:
        """What the report has a place for."""
        judge = graded.summary["judge"]
        if not graded.editor:
            self.notes.append(
                f"{_short(graded.folder)}: grades by {judge} are of instructions, of no editor: not shown"
            )
        elif graded.editor not in runs.editors:
            have = ", ".join(runs.editors)
            self.notes.append(f"{graded.editor}: graded by {judge}, not shown: these runs have scores of {have}")
        return graded if graded.editor in runs.editors else None

    def _place(self, graded: GradedEditor) -> None:
        """Put an editor's grades beside others of the same judge; a second run of one editor stands apart."""
        for judge in self.judges:
            if judge[0].pins == graded.pins and all(other.editor != graded.editor for other in judge):
                judge.append(graded)
                return
        self.judges.append([graded])

    def _compare(self, graded: GradedEditor, keys: set[str]) -> None:
        """Say where grades and runs are of other samples."""
        judged = graded.rows().select("sample").unique(maintain_order=True).collect()["sample"].to_list()
        whose = f"{graded.editor}, by {graded.summary['judge']}"
        unknown = [sample for sample in judged if sample not in keys]
        if unknown:
            first = f"{unknown[0]}{', …' if len(unknown) > 1 else ''}"
            self.notes.append(f"{whose}: {_samples(len(unknown))} in its means, but not in these runs: {first}")
        if lacking := len(keys.difference(judged)):
            self.notes.append(f"{whose}: not judged: {_samples(lacking)} of these runs")


def _samples(count: int) -> str:
    return f"{count} sample{'' if count == 1 else 's'}"


def _short(folder: Path) -> str:
    """A folder's name without where it stands on this machine: reports are sent to others."""
    return "/".join(Path(os.path.abspath(folder)).parts[-2:])


def _inside(folder: Path) -> Iterator[Path]:
    """Judged runs of a folder: itself, or what lies in it, one for each editor or judge; also unfinished ones."""
    if _whole(folder) or is_file(folder / "judge.json"):
        yield folder
        return
    for name in list_folder(folder):
        inside = folder / name
        if is_folder(inside) and (_whole(inside) or is_file(inside / "judge.json")):
            yield inside


def _whole(folder: Path) -> bool:
    return is_file(folder / "grades.parquet") and is_file(folder / "summary.json")


def _none(folder: Path, unfinished: Sequence[Path]) -> InputError:
    if unfinished:
        return InputError(
            f"{unfinished[0]}: a judged run without grades.parquet and summary.json: stopped before they were made\n"
            "  run its `vde judge` again: what was answered already is not asked again"
        )
    return InputError(
        f"{folder}: holds no grades: looked for grades.parquet and summary.json here and in the folders inside\n"
        "  `vde judge SUITE PREDICTIONS --judge MODEL --out FOLDER` makes them"
    )


def _graded(folder: Path) -> GradedEditor:
    """A judged run, or an error where its files are not what we write."""
    about = _object(folder / "judge.json") if is_file(folder / "judge.json") else {}
    summary = {**about, **_object(folder / "summary.json")}
    for key, kind in _TOLD.items():
        if not isinstance(summary.get(key), kind):
            found = repr(summary.get(key))[:80]
            raise InputError(f"{folder / 'summary.json'}: {key!r} is {found}, expected {_KINDS[kind]}")
    file = folder / "grades.parquet"
    try:
        columns = pl.scan_parquet(file).collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{file}: cannot be read: {reason}\n  run its `vde judge` again: it is made anew") from None
    if lacking := [name for name in _COLUMNS if name not in columns]:
        raise InputError(f"{file}: no column {lacking[0]!r}, found {', '.join(columns)}")
    return GradedEditor(summary["editor"], folder, summary)


def _object(file: Path) -> dict[str, Any]:
    data = read_json(file)
    if not isinstance(data, dict):
        raise InputError(f"{file}: expected an object")
    return data

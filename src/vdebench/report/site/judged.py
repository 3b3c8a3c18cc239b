"""Judged runs of a report: the search for their folders, grouping by judge, and notes on what is not shown."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import is_file, is_folder, list_folder
from vdebench.judges.canary_quality import GROUP
from vdebench.report.site.gather import SuiteRuns, read_object

FOLDER = "judged"
"""Subfolder of a folder of runs, or of an editor in it, where grades are found automatically."""
_PINS = ("judge", "server", "dimensions", "repeat", "prompts", "temperature", "images")
"""Keys that must be equal for grades in one table."""
_SUMMARY_TYPES: dict[str, type] = {
    **dict.fromkeys(("editor", "judge", "signature"), str),
    **dict.fromkeys(("dimensions", "notes"), list),
    **dict.fromkeys(("overall", "coverage", "models", "canary"), dict),
    "repeat": int,
}
_KINDS = {str: "text", list: "a list", dict: "an object", int: "a number"}
_COLUMNS = ("sample", "group", "dimension", "draw", "state", "grade", "rationale", "reason", "model")


class GradedEditor(NamedTuple):
    """One editor graded by one judge: the content of its folder."""

    editor: str
    folder: Path
    summary: Mapping[str, Any]

    def rows(self) -> pl.LazyFrame:
        """All questions about the suite, in order."""
        return pl.scan_parquet(self.folder / "grades.parquet").filter(pl.col("group") != GROUP)

    @property
    def pins(self) -> tuple[Any, ...]:
        """The judge and its options."""
        return tuple(self.summary.get(pin) for pin in _PINS)


class ReportGrades:
    """All grades of a report, by judge; `notes` name grades that are missing or not shown."""

    def __init__(self, runs: SuiteRuns, samples: Sequence[Sample], folders: Sequence[Path] = ()) -> None:
        self.notes: list[str] = []
        self.judges: list[list[GradedEditor]] = []
        """For every judge and its options, its editors in the order of the runs."""
        runs_with_grades = [
            graded for folder in self._folders(runs, folders) if (graded := self._shown(runs, _graded(folder)))
        ]
        for graded in sorted(runs_with_grades, key=lambda graded: runs.editors.index(graded.editor)):
            self._place(graded)
            self._compare(graded, {sample.key for sample in samples})

    def __bool__(self) -> bool:
        """Whether there are grades or notes."""
        return bool(self.judges or self.notes)

    @property
    def editors(self) -> list[str]:
        """Editors with grades."""
        return list(dict.fromkeys(graded.editor for judge in self.judges for graded in judge))

    def of(self, editor: str) -> list[GradedEditor | None]:
        """Each judge's grades of an editor, or None."""
        return [next((graded for graded in judge if graded.editor == editor), None) for judge in self.judges]

    def _folders(self, runs: SuiteRuns, folders: Sequence[Path]) -> list[Path]:
        """Folders with grades, each once: those passed, then those found among the runs."""
        by_path: dict[str, Path] = {}
        for folder in folders:
            inside = list(_judged_folders(folder))
            complete = [path for path in inside if _is_complete(path)]
            if not complete:
                raise _no_grades_error(folder, inside)
            by_path |= {os.path.realpath(path): path for path in complete}
            self._unfinished(inside)
        candidates = [root / part for root in runs.roots for part in ("", *runs.editors)]
        candidates += [result.folder for result in runs.results]
        for folder in dict.fromkeys(path / FOLDER for path in candidates):
            if is_folder(folder):
                inside = [path for path in _judged_folders(folder) if os.path.realpath(path) not in by_path]
                by_path |= {os.path.realpath(path): path for path in inside if _is_complete(path)}
                self._unfinished(inside)
        return list(by_path.values())

    def _unfinished(self, folders: Sequence[Path]) -> None:
        for folder in folders:
            if not _is_complete(folder):
                note = f"{_short(folder)}: not shown: a judged run without its tables; run its `vde judge` again"
                if note not in self.notes:
                    self.notes.append(note)

    def _shown(self, runs: SuiteRuns, graded: GradedEditor) -> GradedEditor | None:
        """Return grades of an editor in the report; else add a note and return None."""
        judge = graded.summary["judge"]
        if not graded.editor:
            self.notes.append(f"{_short(graded.folder)}: not shown: grades of instructions by {judge}")
        elif graded.editor not in runs.editors:
            have = ", ".join(runs.editors)
            self.notes.append(f"{graded.editor}: graded by {judge}, not shown: these runs have scores of {have}")
        return graded if graded.editor in runs.editors else None

    def _place(self, graded: GradedEditor) -> None:
        """Add an editor's grades to those of the same judge; a second run of an editor gets its own table."""
        for judge in self.judges:
            if judge[0].pins == graded.pins and all(member.editor != graded.editor for member in judge):
                judge.append(graded)
                return
        self.judges.append([graded])

    def _compare(self, graded: GradedEditor, keys: set[str]) -> None:
        """Add notes if grades and runs have different samples."""
        graded_samples = graded.rows().select("sample").unique(maintain_order=True).collect()["sample"].to_list()
        subject = f"{graded.editor}, by {graded.summary['judge']}"
        unknown = [sample for sample in graded_samples if sample not in keys]
        if unknown:
            first = f"{unknown[0]}{', …' if len(unknown) > 1 else ''}"
            self.notes.append(f"{subject}: {_samples(len(unknown))} in its means, but not in these runs: {first}")
        if lacking := len(keys.difference(graded_samples)):
            self.notes.append(f"{subject}: not judged: {_samples(lacking)} of these runs")


def _samples(count: int) -> str:
    return f"{count} sample{'' if count == 1 else 's'}"


def _short(folder: Path) -> str:
    """The last two parts of a path: reports do not contain folders of this machine."""
    return "/".join(Path(os.path.abspath(folder)).parts[-2:])


def _judged_folders(folder: Path) -> Iterator[Path]:
    """Judged runs: the folder itself, or its subfolders; also unfinished ones."""
    if _is_complete(folder) or is_file(folder / "judge.json"):
        yield folder
        return
    for name in list_folder(folder):
        inside = folder / name
        if is_folder(inside) and (_is_complete(inside) or is_file(inside / "judge.json")):
            yield inside


def _is_complete(folder: Path) -> bool:
    return is_file(folder / "grades.parquet") and is_file(folder / "summary.json")


def _no_grades_error(folder: Path, unfinished: Sequence[Path]) -> InputError:
    if unfinished:
        return InputError(
            f"{unfinished[0]}: an unfinished judged run without grades.parquet and summary.json\n"
            "  run its `vde judge` again: answers are cached"
        )
    return InputError(
        f"{folder}: contains no grades: looked for grades.parquet and summary.json here and in its subfolders\n"
        "  `vde judge SUITE PREDICTIONS --judge MODEL --out FOLDER` writes them"
    )


def _graded(folder: Path) -> GradedEditor:
    """Read a judged run; raises `InputError` if its files are invalid."""
    about = read_object(folder / "judge.json") if is_file(folder / "judge.json") else {}
    summary = {**about, **read_object(folder / "summary.json")}
    for key, kind in _SUMMARY_TYPES.items():
        if not isinstance(summary.get(key), kind):
            value = repr(summary.get(key))[:80]
            raise InputError(f"{folder / 'summary.json'}: {key!r} is {value}, expected {_KINDS[kind]}")
    file = folder / "grades.parquet"
    try:
        columns = pl.scan_parquet(file).collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{file}: cannot be read: {reason}\n  run its `vde judge` again") from None
    if lacking := [name for name in _COLUMNS if name not in columns]:
        raise InputError(f"{file}: no column {lacking[0]!r}, found {', '.join(columns)}")
    return GradedEditor(summary["editor"], folder, summary)

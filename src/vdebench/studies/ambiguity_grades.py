"""Ambiguity of each instruction from the grades stored by `vde ambiguity`, on a suite and its ambiguous form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from vdebench.errors import RunFolderError, VdeError
from vdebench.io.files import is_file, is_folder, list_folder, read_json
from vdebench.stats.grades import sample_grades

_FILE = "grades.parquet"
_COLUMNS = ("sample", "dimension", "draw", "state", "grade")


def ambiguity_by_judge(folders: Sequence[Path]) -> dict[str, dict[str, float]]:
    """Return the mean grade of each sample by judge: over draws, then dimensions, then folders of the same judge.

    A sample counts only if the judge graded it in all requested dimensions; means over some of them are not
    comparable. `folders` are folders of judges, or contain them.
    """
    by_judge: dict[str, dict[str, list[float]]] = {}
    for folder in folders:
        for judged in _judge_folders(folder):
            by_sample = by_judge.setdefault(_judge_label(judged), {})
            for sample, grade in _mean_grades(judged).items():
                by_sample.setdefault(sample, []).append(grade)
    return {judge: {sample: _mean(grades) for sample, grades in by.items()} for judge, by in by_judge.items()}


def paired_ambiguity(one: Sequence[Path], other: Sequence[Path]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the mean grades of both suites, over the judges that graded the sample in both.

    Different judges on the two sides could look like a rise in ambiguity. Raises `VdeError` without a common judge.
    """
    sides = ambiguity_by_judge(one), ambiguity_by_judge(other)
    judges = [judge for judge in sides[0] if judge in sides[1]]
    if not judges:
        names = [", ".join(sorted(side)) or "none" for side in sides]
        raise VdeError(
            f"no judge has graded both suites: found {names[0]} for the one, {names[1]} for the other\n"
            "  grade both with the same judge, the same dimensions and prompts: `vde ambiguity SUITE --judge …`"
        )
    both: tuple[dict[str, list[float]], dict[str, list[float]]] = {}, {}
    for judge in judges:
        for sample in sides[0][judge].keys() & sides[1][judge].keys():
            for side, means in zip(sides, both, strict=True):
                means.setdefault(sample, []).append(side[judge][sample])
    first, second = ({sample: _mean(grades) for sample, grades in sorted(means.items())} for means in both)
    return first, second


def _mean(grades: Sequence[float]) -> float:
    return sum(grades) / len(grades)


def _judge_label(folder: Path) -> str:
    """Name of the judge with dimensions and prompts, or the folder's name if `judge.json` does not state it."""
    record = read_json(folder / "judge.json") if is_file(folder / "judge.json") else None
    if not isinstance(record, dict) or not record.get("judge"):
        return folder.name
    dimensions = record.get("dimensions")
    joined = "+".join(map(str, dimensions)) if isinstance(dimensions, list) else ""
    return f"{record['judge']} ({joined}, prompts {str(record.get('prompts', ''))[:8]})"


def _judge_folders(folder: Path) -> list[Path]:
    if is_file(folder / _FILE):
        return [folder]
    below = sorted(folder / name for name in list_folder(folder)) if is_folder(folder) else []
    judges = [each for each in below if is_file(each / _FILE)]
    if not judges:
        raise RunFolderError(
            f"{folder}: no {_FILE} here or one folder below; `vde ambiguity SUITE --judge … --out FOLDER` writes it"
        )
    return judges


def _mean_grades(folder: Path) -> dict[str, float]:
    try:
        rows = pl.read_parquet(folder / _FILE).select(*_COLUMNS)
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{folder / _FILE}: cannot read it: {first}; grade again") from None
    count = rows["dimension"].n_unique()
    by_sample = sample_grades(rows).group_by("sample").agg(pl.col("grade").mean(), pl.len().alias("dimensions"))
    return dict(by_sample.filter(pl.col("dimensions") == count).select("sample", "grade").sort("sample").iter_rows())

"""How ambiguous each instruction is, by the grades that `vde ambiguity` has kept, on a suite and its ambiguous form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from vdebench.errors import RunFolderError, VdeError
from vdebench.io.files import is_file, is_folder, list_folder, read_json
from vdebench.stats.grades import sample_grades

_FILE = "grades.parquet"
_NEEDED = ("sample", "dimension", "draw", "state", "grade")


def ambiguity_by_judge(folders: Sequence[Path]) -> dict[str, dict[str, float]]:
    """The mean grade of every sample by each judge: over draws, then dimensions, then folders of the same judge.

    A judge counts for a sample that it has graded in all dimensions it was asked: a mean of some would be another
    number. `folders` are those of judges, or hold them.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for folder in folders:
        for judged in _judges(folder):
            by_sample = found.setdefault(_judge(judged), {})
            for sample, grade in _graded(judged).items():
                by_sample.setdefault(sample, []).append(grade)
    return {judge: {sample: _mean(given) for sample, given in by.items()} for judge, by in found.items()}


def paired_ambiguity(one: Sequence[Path], other: Sequence[Path]) -> tuple[dict[str, float], dict[str, float]]:
    """The mean grades of both suites, each over the judges that have graded the sample in both.

    A strict judge on one side and a mild one on the other would be taken for a rise in ambiguity.
    """
    sides = ambiguity_by_judge(one), ambiguity_by_judge(other)
    judges = [judge for judge in sides[0] if judge in sides[1]]
    if not judges:
        told = [", ".join(sorted(side)) or "none" for side in sides]
        raise VdeError(
            f"no judge has graded both suites: found {told[0]} for the one, {told[1]} for the other\n"
            "  grade both with the same judge, the same dimensions and prompts: `vde ambiguity SUITE --judge …`"
        )
    both: tuple[dict[str, list[float]], dict[str, list[float]]] = {}, {}
    for judge in judges:
        for sample in sides[0][judge].keys() & sides[1][judge].keys():
            for side, means in zip(sides, both, strict=True):
                means.setdefault(sample, []).append(side[judge][sample])
    first, second = ({sample: _mean(given) for sample, given in sorted(means.items())} for means in both)
    return first, second


def _mean(given: Sequence[float]) -> float:
    return sum(given) / len(given)


def _judge(folder: Path) -> str:
    """Who graded, and by which questions; the folder's name where that is not told."""
    told = read_json(folder / "judge.json") if is_file(folder / "judge.json") else None
    if not isinstance(told, dict) or not told.get("judge"):
        return folder.name
    dimensions = told.get("dimensions")
    asked = "+".join(map(str, dimensions)) if isinstance(dimensions, list) else ""
    return f"{told['judge']} ({asked}, prompts {str(told.get('prompts', ''))[:8]})"


def _judges(folder: Path) -> list[Path]:
    if is_file(folder / _FILE):
        return [folder]
    below = sorted(folder / name for name in list_folder(folder)) if is_folder(folder) else []
    judges = [each for each in below if is_file(each / _FILE)]
    if not judges:
        raise RunFolderError(
            f"{folder}: no {_FILE} here, nor one folder below; `vde ambiguity SUITE --judge … --out FOLDER` makes it"
        )
    return judges


def _graded(folder: Path) -> dict[str, float]:
    try:
        rows = pl.read_parquet(folder / _FILE)
        asked = rows.select(*_NEEDED)
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{folder / _FILE}: cannot be read: {first}; grade again") from None
    wanted = asked["dimension"].n_unique()
    by_sample = sample_grades(asked).group_by("sample").agg(pl.col("grade").mean(), pl.len().alias("dimensions"))
    return dict(by_sample.filter(pl.col("dimensions") == wanted).select("sample", "grade").sort("sample").iter_rows())

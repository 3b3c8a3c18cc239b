"""What a folder of results holds, as data: one run, several, or a judged one; what is broken or absent is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from vdebench.errors import RunFolderError, VdeError
from vdebench.io.files import is_file, is_folder, list_folder, read_json
from vdebench.io.redaction import is_private
from vdebench.runs.provenance import RUN_FILE, provenance_of, read_run_file
from vdebench.submission.manifest import parts_of, revision_of

_SUMMARY, _SCORES, _JUDGE = "summary.json", "scores.parquet", "judge.json"
_MOST_REASONS = 5
_DEEPEST = 3


def look(folder: str | Path) -> dict[str, Any]:
    """What is in a folder; an error where there is no run at all."""
    root = Path(folder)
    if not is_folder(root):
        what = "is a file; a submission is checked with `vde verify`" if is_file(root) else "no such folder"
        raise RunFolderError(f"{root}: {what}; expected a folder made by `vde score … --out` or `vde run`")
    if is_file(root / _JUDGE):
        return _judged(root)
    if any(is_file(root / name) for name in (_SUMMARY, _SCORES)) or is_folder(root / "parts"):
        return _run(root)
    below = _below(root, _DEEPEST)
    told, faults = _tried(lambda: read_run_file(root / RUN_FILE), {})
    if not below and "editors" not in told:
        raise RunFolderError(f"{root}: no run here; expected a folder made by `vde score … --out` or `vde run`")
    return {
        "kind": "runs",
        "folder": str(root),
        "asked": _public({key: value for key, value in told.items() if key != "provenance"}),
        "runs": [_judged(each) if is_file(each / _JUDGE) else _run(each) for each in below],
        "provenance": provenance_of(told),
        "faults": faults,
    }


def _below(root: Path, deep: int) -> list[Path]:
    """Runs below a folder, sorted, without what they keep for themselves."""
    found = []
    for name in list_folder(root):
        folder = root / name
        if not is_folder(folder) or name in ("images", "parts", "reference") or name.startswith("."):
            continue
        if any(is_file(folder / file) for file in (_SUMMARY, _JUDGE, _SCORES)) or is_folder(folder / "parts"):
            found.append(folder)
        elif deep > 1:
            found += _below(folder, deep - 1)
    return found


def _tried(make: Callable[[], Any], otherwise: Any) -> tuple[Any, list[str]]:
    try:
        return make(), []
    except VdeError as error:
        return otherwise, [str(error)]


def _run(root: Path) -> dict[str, Any]:
    summary, faults = _tried(lambda: _object(root / _SUMMARY), {})
    told, more = _tried(lambda: read_run_file(root / RUN_FILE), {})
    reasons, broken = _tried(lambda: _reasons(root / _SCORES), [])
    if is_folder(root / "parts"):
        faults.append(f"{root / 'parts'}: unfinished work; run the same command again to finish it")
    signature = summary.get("signature")
    parts = parts_of(signature) if isinstance(signature, str) else {}
    names = ("protocol", "suite", "editor", "track", "coverage", "overall", "usable", "edits", "notes")
    return {
        "kind": "run",
        "folder": str(root),
        **{name: summary.get(name, told.get(name)) for name in names},
        "revision": revision_of(signature) if isinstance(signature, str) else None,
        "signature": signature,
        "parts": parts,
        "reasons": reasons,
        "provenance": provenance_of(told),
        "faults": [*faults, *more, *broken],
    }


def _object(file: Path) -> dict[str, Any]:
    if not is_file(file):
        raise RunFolderError(f"{file.name}: not there; score again")
    found = read_json(file)
    if not isinstance(found, dict):
        raise RunFolderError(f"{file}: not as `vde score` writes it; score again")
    return found


def _reasons(file: Path) -> list[dict[str, Any]]:
    """Why samples have no score, or count as empty pages: the most frequent reasons, each with its first sample."""
    if not is_file(file):
        raise RunFolderError(f"{file.name}: not there; score again")
    try:
        rows = pl.scan_parquet(file).filter(pl.col("state").is_in(["missing", "failed"]))
        rows = rows.select("sample", "state", "reason").unique(maintain_order=True)
        found = rows.with_columns(pl.col("reason").str.split("\n").list.first()).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{file}: cannot be read: {first}; score again") from None
    # A reason may name its sample: without the name it is the same for many.
    stripped = [(reason or "").replace(sample, "…") for sample, reason in found.select("sample", "reason").iter_rows()]
    grouped = found.with_columns(pl.Series("same", stripped, pl.String)).group_by("state", "same", maintain_order=True)
    counted = grouped.agg(pl.len().alias("samples"), pl.col("sample").first(), pl.col("reason").first())
    listed = counted.sort("samples", descending=True, maintain_order=True).drop("same")
    return listed.head(_MOST_REASONS).to_dicts()


def _judged(root: Path) -> dict[str, Any]:
    pins, faults = _tried(lambda: _object(root / _JUDGE), {})
    summary, more = _tried(lambda: _object(root / _SUMMARY), {})
    return {
        "kind": "judged",
        "folder": str(root),
        **{name: pins.get(name) for name in ("judge", "suite", "editor", "dimensions", "repeat")},
        "spent": summary.get("spent"),
        "faults": [*faults, *more],
    }


def _public(told: dict[str, Any]) -> dict[str, Any]:
    """What was asked, without keys among the reader's options."""
    options = told.get("reader_options")
    if not isinstance(options, dict):
        return told
    return {**told, "reader_options": {key: value for key, value in options.items() if not is_private(key, value)}}

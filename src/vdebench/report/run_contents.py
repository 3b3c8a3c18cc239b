"""The content of a folder of results as JSON data: one run, several runs or a judged run, with faults."""

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
_MAX_REASONS = 5
_MAX_DEPTH = 3


def look(folder: str | Path) -> dict[str, Any]:
    """Return the content of a folder; raises `RunFolderError` if it contains no run."""
    root = Path(folder)
    if not is_folder(root):
        problem = "is a file; `vde verify` checks a submission" if is_file(root) else "no such folder"
        raise RunFolderError(f"{root}: {problem}; expected one written by `vde score … --out` or `vde run`")
    if is_file(root / _JUDGE):
        return _judged_run(root)
    if any(is_file(root / name) for name in (_SUMMARY, _SCORES)) or is_folder(root / "parts"):
        return _run(root)
    below = _below(root, _MAX_DEPTH)
    record, faults = _attempt(lambda: read_run_file(root / RUN_FILE), {})
    if not below and "editors" not in record:
        raise RunFolderError(f"{root}: no run here; expected a folder written by `vde score … --out` or `vde run`")
    return {
        "kind": "runs",
        "folder": str(root),
        "asked": _public({key: value for key, value in record.items() if key != "provenance"}),
        "runs": [_judged_run(each) if is_file(each / _JUDGE) else _run(each) for each in below],
        "provenance": provenance_of(record),
        "faults": faults,
    }


def _below(root: Path, depth: int) -> list[Path]:
    """Runs below a folder, sorted; the subfolders of a run are not searched."""
    runs = []
    for name in list_folder(root):
        folder = root / name
        if not is_folder(folder) or name in ("images", "parts", "reference") or name.startswith("."):
            continue
        if any(is_file(folder / file) for file in (_SUMMARY, _JUDGE, _SCORES)) or is_folder(folder / "parts"):
            runs.append(folder)
        elif depth > 1:
            runs += _below(folder, depth - 1)
    return runs


def _attempt(make: Callable[[], Any], otherwise: Any) -> tuple[Any, list[str]]:
    try:
        return make(), []
    except VdeError as error:
        return otherwise, [str(error)]


def _run(root: Path) -> dict[str, Any]:
    summary, faults = _attempt(lambda: _object(root / _SUMMARY), {})
    record, more = _attempt(lambda: read_run_file(root / RUN_FILE), {})
    reasons, broken = _attempt(lambda: _reasons(root / _SCORES), [])
    if is_folder(root / "parts"):
        faults.append(f"{root / 'parts'}: unfinished work; run the same command again to finish it")
    signature = summary.get("signature")
    parts = parts_of(signature) if isinstance(signature, str) else {}
    names = ("protocol", "suite", "editor", "track", "coverage", "overall", "usable", "edits", "notes")
    return {
        "kind": "run",
        "folder": str(root),
        **{name: summary.get(name, record.get(name)) for name in names},
        "revision": revision_of(signature) if isinstance(signature, str) else None,
        "signature": signature,
        "parts": parts,
        "reasons": reasons,
        "provenance": provenance_of(record),
        "faults": [*faults, *more, *broken],
    }


def _object(file: Path) -> dict[str, Any]:
    if not is_file(file):
        raise RunFolderError(f"{file.name}: not there; score again")
    data = read_json(file)
    if not isinstance(data, dict):
        raise RunFolderError(f"{file}: not written by `vde score`; score again")
    return data


def _reasons(file: Path) -> list[dict[str, Any]]:
    """The most frequent reasons of missing and failed samples, each with its first sample."""
    if not is_file(file):
        raise RunFolderError(f"{file.name}: not there; score again")
    try:
        rows = pl.scan_parquet(file).filter(pl.col("state").is_in(["missing", "failed"]))
        rows = rows.select("sample", "state", "reason").unique(maintain_order=True)
        table = rows.with_columns(pl.col("reason").str.split("\n").list.first()).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{file}: cannot be read: {first}; score again") from None
    # Reasons that differ only in the name of their sample are equal.
    stripped = [(reason or "").replace(sample, "…") for sample, reason in table.select("sample", "reason").iter_rows()]
    grouped = table.with_columns(pl.Series("same", stripped, pl.String)).group_by("state", "same", maintain_order=True)
    counts = grouped.agg(pl.len().alias("samples"), pl.col("sample").first(), pl.col("reason").first())
    listed = counts.sort("samples", descending=True, maintain_order=True).drop("same")
    return listed.head(_MAX_REASONS).to_dicts()


def _judged_run(root: Path) -> dict[str, Any]:
    pins, faults = _attempt(lambda: _object(root / _JUDGE), {})
    summary, more = _attempt(lambda: _object(root / _SUMMARY), {})
    return {
        "kind": "judged",
        "folder": str(root),
        **{name: pins.get(name) for name in ("judge", "suite", "editor", "dimensions", "repeat")},
        "spent": summary.get("spent"),
        "faults": [*faults, *more],
    }


def _public(record: dict[str, Any]) -> dict[str, Any]:
    """Options of the call, without API keys among the reader's options."""
    options = record.get("reader_options")
    if not isinstance(options, dict):
        return record
    return {**record, "reader_options": {key: value for key, value in options.items() if not is_private(key, value)}}

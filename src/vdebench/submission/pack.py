"""Packing a run into a submission: one zip file without folder names, keys or addresses of this machine."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.errors import InputError, RunFolderError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.io.files import is_file, is_folder, read_bytes, read_json
from vdebench.io.journal import report
from vdebench.io.redaction import public, without_places
from vdebench.io.stores import place
from vdebench.pipeline.editing.journal import edit_journal
from vdebench.pipeline.output_record import Kind, Output, image_folder, read_outputs
from vdebench.runs.provenance import ASKED, RUN_FILE, provenance_of, read_run_file
from vdebench.runs.search import single_run
from vdebench.stats.stored import StoredRun, read_run
from vdebench.submission.archive import ZipMember, write_zip
from vdebench.submission.manifest import (
    EDITS,
    MANIFEST,
    REFERENCE,
    SUMMARY,
    TABLES,
    Manifest,
    edits_journal,
    revision_of,
)

_PUBLIC_OPTIONS = (
    "setting",
    "ground_truth",
    "metrics",
    "crossed",
    "ready_ocr_output",
    "reader",
    "reader_options",
    "match",
)
_MAX_TEXT = 1 << 14  # longer than any message


class PackedRun(NamedTuple):
    """The manifest, size and notes of a written submission."""

    manifest: Manifest
    size: int
    notes: list[str]


def write_submission(
    run: str | Path, out: str | Path, *, predictions: str | Path | None = None, with_predictions: bool = False
) -> PackedRun:
    """Write the submission of a run.

    `predictions` is the folder of its images or OCR output, if it is not where it was when the run was scored. Files
    found there must have the hash that was recorded; `with_predictions` puts them into the zip.
    Raises `InputError` or `RunFolderError`.
    """
    root, target = single_run(run), Path(out)
    stored = read_run(root)
    if is_folder(root / "parts"):
        raise RunFolderError(f"{root}: the run is not finished; run the same command again first")
    if is_folder(target):
        raise InputError(f"{target}: is a folder, expected the name of a file such as run.zip")
    record = read_run_file(root / RUN_FILE)
    options: dict[str, Any] = record[ASKED] if isinstance(record.get(ASKED), dict) else {}
    outputs = read_outputs(root)
    folders = _prediction_folders(root, options, place(predictions) if predictions is not None else None)
    files = {output: file for output in outputs if is_file(file := _prediction_file(folders, output))}
    _require_unchanged(files, outputs, folders, with_predictions, given=predictions is not None)
    arguments = options.get("paths")
    recorded = [Path(each) for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
    private = (*folders.values(), *recorded, root, root.absolute(), Path.cwd(), Path.home())
    contents = _contents(stored, root, private)
    members = {name: _member(content) for name, content in contents.items()}
    manifest = Manifest(
        signature=str(stored.summary["signature"]),
        protocol=str(stored.summary["protocol"]),
        editor=stored.editor,
        suite=_suite(stored, options),
        asked=public({name: options.get(name) for name in _PUBLIC_OPTIONS}),
        environment=public(provenance_of(record)),
        files=members,
        predictions=outputs,
        with_predictions=with_predictions,
        identity=_identity(root),
    )
    members_content: dict[str, bytes | Path] = {**contents, MANIFEST: manifest.to_json()}
    if with_predictions:
        members_content |= {f"{output.kind}/{output.file}": file for output, file in files.items()}
    write_zip(target, members_content, {f"{output.kind}/{output.file}": output.sha256 for output in outputs})
    return PackedRun(manifest, target.stat().st_size, _notes(outputs, files))


def _prediction_folders(root: Path, options: dict[str, Any], override: Path | None) -> dict[Kind, Path]:
    """Folders of the predictions: `override`, `RUNS/EDITOR/images`, or the recorded folders of the run."""
    recorded = {name: place(options[name]) for name in ("predictions", "images") if isinstance(options.get(name), str)}
    if options.get("ready_ocr_output"):
        folders: dict[Kind, Path] = {"readings": recorded["predictions"]} if "predictions" in recorded else {}
        folders |= {"images": recorded["images"]} if "images" in recorded else {}
        return {**folders, "readings": override} if override else folders
    if override:
        return {"images": override}
    images = image_folder(root, options)
    return {"images": images} if images is not None else {}


def _prediction_file(folders: dict[Kind, Path], output: Output) -> Path:
    return folders[output.kind] / output.file if output.kind in folders else Path("/nowhere") / output.file


def _require_unchanged(
    files: dict[Output, Path], outputs: list[Output], folders: dict[Kind, Path], needed: bool, *, given: bool
) -> None:
    changed = [(output, file) for output, file in files.items() if digest_of_file(file) != output.sha256]
    if changed:
        output, file = changed[0]
        raise InputError(
            f"{file}: differs from the file that was scored for {output.sample} ({len(changed)} such files)\n"
            "  score again into the same folder: only changed samples are scored again"
        )
    missing = [output for output in outputs if output not in files]
    if missing and (needed or given):
        where = folders.get(missing[0].kind)
        problem = f"{where}: no {missing[0].file} here" if where else f"the folder of {missing[0].file} is unknown"
        raise InputError(f"{problem} ({len(missing)} predictions missing); pass their folder with --predictions DIR")


def _contents(stored: StoredRun, root: Path, roots: tuple[Path, ...]) -> dict[str, bytes]:
    texts = {name: public(stored.summary[name], roots) for name in ("notes", "unavailable") if name in stored.summary}
    summary = {**stored.summary, **texts}
    contents = {SUMMARY: (json.dumps(summary, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()}
    for name in TABLES:
        if is_file(root / name):
            contents[name] = _table(root / name, roots)
        elif Path(name).stem in stored.protocol.run_tables:
            raise RunFolderError(f"{root}: no {name} here; score again")
    if stored.summary.get("ocr_ceiling"):
        contents |= {name: _table(root / name, roots) for name in REFERENCE}
    edits = edits_journal(root)
    if is_file(edits) and is_file(edits.parent / "editor.json"):
        contents[EDITS] = b"".join(_lines(edits.parent, roots))
    return contents


def _lines(folder: Path, roots: tuple[Path, ...]) -> Iterator[bytes]:
    """Yield the valid lines of an editor's journal, without folders."""
    for line in edit_journal(folder).lines():
        if line.record is None:
            report(line)
        else:
            text = json.dumps(public(line.data, roots), ensure_ascii=False)
            yield text.encode("utf-8", "backslashreplace") + b"\n"


def _table(file: Path, roots: tuple[Path, ...]) -> bytes:
    """Return a table, without folder names in its reasons and pages."""
    content = read_bytes(file)
    try:
        rows = pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise RunFolderError(f"{file}: cannot read it: {str(error).partition(chr(10))[0]}; score again") from None
    cleaned = []
    for name in ("reason", "image_reason", "page"):
        if name in rows.columns and rows[name].dtype == pl.String:
            old = rows[name].to_list()
            new = [None if text is None else _without_folders(name, text, roots) for text in old]
            if new != old:
                cleaned.append(pl.Series(name, new, pl.String))
    if not cleaned:
        return content
    buffer = io.BytesIO()
    rows.with_columns(cleaned).write_parquet(buffer)
    return buffer.getvalue()


def _without_folders(column: str, text: str, roots: tuple[Path, ...]) -> str:
    """Remove folder names from a text. A page name that has any becomes a hash: only its equality is used."""
    cleaned = without_places(text[:_MAX_TEXT], roots)
    return digest_of(text)[:32] if column == "page" and cleaned != text else cleaned


def _member(content: bytes) -> ZipMember:
    return ZipMember(len(content), hashlib.sha256(content).hexdigest())


def _suite(stored: StoredRun, options: dict[str, Any]) -> dict[str, Any]:
    """Name and revision of the suite, and its specification if it is a generated suite."""
    short, full, origin = revision_of(str(stored.summary["signature"])), options.get("revision"), options.get("suite")
    revision = full if isinstance(full, str) and full.startswith(short) else short
    generated = isinstance(origin, str) and origin.startswith("typeset:")
    return {"name": str(stored.summary["suite"]), "revision": revision, "order": origin if generated else None}


def _identity(root: Path) -> dict[str, Any]:
    file = root.absolute().parent / "editor.json"
    identity = read_json(file) if is_file(file) else {}
    return dict(public(identity)) if isinstance(identity, dict) else {}


def _notes(outputs: list[Output], files: dict[Output, Path]) -> list[str]:
    missing = len(outputs) - len(files)
    return [f"{missing} predictions were not found: the hashes recorded by scoring are used"] if missing else []

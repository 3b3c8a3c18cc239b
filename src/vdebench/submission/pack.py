"""A run into one file that can be handed in: no folder, no key and no address of this machine in it."""

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
from vdebench.runs.search import one_run
from vdebench.stats.stored import StoredRun, read_run
from vdebench.submission.archive import ZipMember, write_zip
from vdebench.submission.manifest import EDITS, MANIFEST, REFERENCE, SUMMARY, TABLES, Manifest, file_of, revision_of

_ASKED = ("setting", "truth", "metrics", "crossed", "ready_readings", "reader", "reader_options", "match")
_LARGEST_PUBLIC = 1 << 14  # what is longer than any message is content


class PackedRun(NamedTuple):
    """What was put into a file."""

    manifest: Manifest
    size: int
    notes: list[str]


def write_submission(
    run: str | Path, out: str | Path, *, predictions: str | Path | None = None, with_predictions: bool = False
) -> PackedRun:
    """Write a run's submission; `predictions` is where its images, or ready readings, lie, if not where they were.

    Predictions that are at hand must be those that were scored. `with_predictions` puts them into the file.
    """
    root, target = one_run(run), Path(out)
    stored = read_run(root)
    if is_folder(root / "parts"):
        raise RunFolderError(f"{root}: holds a run that is not finished; run the same command again first")
    if is_folder(target):
        raise InputError(f"{target}: is a folder, expected the name of a file such as run.zip")
    told = read_run_file(root / RUN_FILE)
    asked = told.get(ASKED) if isinstance(told.get(ASKED), dict) else {}
    outputs = read_outputs(root)
    places = _places(root, asked or {}, place(predictions) if predictions is not None else None)
    files = {output: file for output in outputs if is_file(file := _place(places, output))}
    _require_unchanged(files, outputs, places, with_predictions, given=predictions is not None)
    given = (asked or {}).get("given")
    noted = [Path(each) for each in given if isinstance(each, str)] if isinstance(given, list) else []
    private = (*places.values(), *noted, root, root.absolute(), Path.cwd(), Path.home())
    contents = _contents(stored, root, private)
    members = {name: _member(content) for name, content in contents.items()}
    manifest = Manifest(
        signature=str(stored.summary["signature"]),
        protocol=str(stored.summary["protocol"]),
        editor=stored.editor,
        suite=_suite(stored, asked or {}),
        asked=public({name: (asked or {}).get(name) for name in _ASKED}),
        environment=public(provenance_of(told)),
        files=members,
        predictions=outputs,
        with_predictions=with_predictions,
        identity=_identity(root),
    )
    everything: dict[str, bytes | Path] = {**contents, MANIFEST: manifest.to_json()}
    if with_predictions:
        everything |= {f"{output.kind}/{output.file}": file for output, file in files.items()}
    write_zip(target, everything, {f"{output.kind}/{output.file}": output.sha256 for output in outputs})
    return PackedRun(manifest, target.stat().st_size, _notes(outputs, files))


def _places(root: Path, asked: dict[str, Any], given: Path | None) -> dict[Kind, Path]:
    """Where predictions lie: as given, in `RUNS/EDITOR/images`, or where they were when they were scored."""
    noted = {name: place(asked[name]) for name in ("predictions", "images") if isinstance(asked.get(name), str)}
    if asked.get("ready_readings"):
        places: dict[Kind, Path] = {"readings": noted["predictions"]} if "predictions" in noted else {}
        places |= {"images": noted["images"]} if "images" in noted else {}
        return {**places, "readings": given} if given else places
    if given:
        return {"images": given}
    images = image_folder(root, asked)
    return {"images": images} if images is not None else {}


def _place(places: dict[Kind, Path], output: Output) -> Path:
    return places[output.kind] / output.file if output.kind in places else Path("/nowhere") / output.file


def _require_unchanged(
    files: dict[Output, Path], outputs: list[Output], places: dict[Kind, Path], needed: bool, *, given: bool
) -> None:
    changed = [(output, file) for output, file in files.items() if digest_of_file(file) != output.sha256]
    if changed:
        output, file = changed[0]
        raise InputError(
            f"{file}: is not what was scored for {output.sample} ({len(changed)} such files)\n"
            "  score again into the same folder: only what has changed is done anew"
        )
    lacking = [output for output in outputs if output not in files]
    if lacking and (needed or given):
        where = places.get(lacking[0].kind)
        place = f"{where}: no {lacking[0].file} here" if where else f"it is not known where {lacking[0].file} lies"
        raise InputError(f"{place} ({len(lacking)} predictions missing); give their folder with --predictions DIR")


def _contents(stored: StoredRun, root: Path, roots: tuple[Path, ...]) -> dict[str, bytes]:
    told = {name: public(stored.summary[name], roots) for name in ("notes", "unavailable") if name in stored.summary}
    summary = {**stored.summary, **told}
    contents = {SUMMARY: (json.dumps(summary, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()}
    for name in TABLES:
        if is_file(root / name):
            contents[name] = _table(root / name, roots)
        elif Path(name).stem in stored.protocol.run_tables:
            raise RunFolderError(f"{root}: no {name} here; score again")
    if stored.summary.get("noise_floor"):
        contents |= {name: _table(root / name, roots) for name in REFERENCE}
    edits = file_of(root)
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
    """A table as it is, or without folders in its reasons and pages."""
    content = read_bytes(file)
    try:
        rows = pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise RunFolderError(f"{file}: cannot be read: {str(error).partition(chr(10))[0]}; score again") from None
    cleaned = []
    for name in ("reason", "image_reason", "page"):
        if name in rows.columns and rows[name].dtype == pl.String:
            old = rows[name].to_list()
            new = [None if text is None else _cleaned(name, text, roots) for text in old]
            if new != old:
                cleaned.append(pl.Series(name, new, pl.String))
    if not cleaned:
        return content
    packed = io.BytesIO()
    rows.with_columns(cleaned).write_parquet(packed)
    return packed.getvalue()


def _cleaned(column: str, text: str, roots: tuple[Path, ...]) -> str:
    """Of a page's name only which samples share it matters, and that stays."""
    told = without_places(text[:_LARGEST_PUBLIC], roots)
    return digest_of(text)[:32] if column == "page" and told != text else told


def _member(content: bytes) -> ZipMember:
    return ZipMember(len(content), hashlib.sha256(content).hexdigest())


def _suite(stored: StoredRun, asked: dict[str, Any]) -> dict[str, Any]:
    """The suite's name and revision, and its order, where anybody can have it made again."""
    short, whole, origin = revision_of(str(stored.summary["signature"])), asked.get("revision"), asked.get("suite")
    revision = whole if isinstance(whole, str) and whole.startswith(short) else short
    ordered = isinstance(origin, str) and origin.startswith("typeset:")
    return {"name": str(stored.summary["suite"]), "revision": revision, "order": origin if ordered else None}


def _identity(root: Path) -> dict[str, Any]:
    file = root.absolute().parent / "editor.json"
    found = read_json(file) if is_file(file) else {}
    return dict(public(found)) if isinstance(found, dict) else {}


def _notes(outputs: list[Output], files: dict[Output, Path]) -> list[str]:
    lacking = len(outputs) - len(files)
    return [f"{lacking} predictions are not at hand: their hashes are those of scoring"] if lacking else []

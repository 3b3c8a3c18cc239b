"""`manifest.json` of a submission: how the run was scored, and the hash of every file and every prediction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.pipeline.output_record import Output, parse_output
from vdebench.protocols.signature import parts_of as parts_of
from vdebench.submission.archive import Archive, ZipMember, is_safe_name

FORMAT, VERSION = "vdebench-submission", 1
MANIFEST, SUMMARY, EDITS = "manifest.json", "summary.json", "edits.jsonl"
TABLES = ("scores.parquet", "blocks.parquet", "regions.parquet")
REFERENCE = tuple(f"reference/{name}" for name in TABLES)
"""Rows of the reference images, if there are any: the OCR ceiling is computed from them."""
PAGE_FILES = (SUMMARY, *TABLES)
MASK_FILES = (SUMMARY, TABLES[0])
_TEXTS = ("created_by", "signature", "protocol", "editor")
_PARTS = ("suite", "asked", "environment", "files")


@dataclass(frozen=True)
class Manifest:
    """The content of `manifest.json`."""

    signature: str
    protocol: str
    editor: str
    suite: Mapping[str, Any]
    """Name, revision, and the specification (`order`) of a generated suite."""
    asked: Mapping[str, Any]
    """Options of `vde score`, without private ones."""
    environment: Mapping[str, Any]
    files: Mapping[str, ZipMember]
    predictions: Sequence[Output]
    with_predictions: bool
    """Whether the file contains the predictions."""
    identity: Mapping[str, Any]
    """Version and options of the editor."""
    created_by: str = f"vdebench {__version__}"

    def to_json(self) -> bytes:
        """Serialise it as it is written to the file."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            **{name: getattr(self, name) for name in (*_TEXTS, *_PARTS[:-1], "identity", "with_predictions")},
            "files": {name: member._asdict() for name, member in sorted(self.files.items())},
            "predictions": [output._asdict() for output in self.predictions],
        }
        return (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode(
            "utf-8", "backslashreplace"
        )


def read_manifest(archive: Archive) -> Manifest:
    """Read the manifest and check size and hash of every file; raises `InputError` for missing or additional files."""
    where = f"{archive.file}: {MANIFEST}"
    data = parse_json(archive.read(MANIFEST), where)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{where}: not a submission, expected 'format': {FORMAT!r}")
    if data.get("version") != VERSION:
        raise InputError(
            f"{where}: version {data.get('version')!r} is not supported, expected {VERSION}; upgrade vdebench"
        )
    _check_types(data, where)
    files = {str(name): _member(entry, f"{where}: {name}") for name, entry in data["files"].items()}
    predictions = [
        parse_output(each, f"{where}: predictions, number {at}") for at, each in enumerate(data["predictions"], 1)
    ]
    for output in predictions:
        if not is_safe_name(output.file):
            raise InputError(f"{where}: the prediction {output.file!r} is not a safe relative path; refused")
    manifest = Manifest(
        **{name: data[name] for name in (*_TEXTS, *_PARTS[:-1], "identity", "with_predictions")},
        files=files,
        predictions=predictions,
    )
    _check_files(archive, manifest)
    return manifest


def _check_types(data: Mapping[str, Any], where: str) -> None:
    kinds: dict[str, type[Any]] = {**dict.fromkeys(_TEXTS, str), **dict.fromkeys((*_PARTS, "identity"), dict)}
    kinds |= {"predictions": list, "with_predictions": bool}
    for name, kind in kinds.items():
        if not isinstance(data.get(name), kind):
            raise InputError(f"{where}: {name!r} has the wrong type, expected {_TYPE_NAMES[kind]}")
    if not all(isinstance(data["suite"].get(key), str) for key in ("name", "revision")):
        raise InputError(f"{where}: 'suite' has no name and revision")


_TYPE_NAMES: dict[type[Any], str] = {str: "text", dict: "an object", list: "a list", bool: "true or false"}


def _member(data: Any, where: str) -> ZipMember:
    if isinstance(data, dict) and isinstance(data.get("size"), int) and isinstance(data.get("sha256"), str):
        return ZipMember(data["size"], data["sha256"])
    raise InputError(f"{where}: no size and sha256")


def _check_files(archive: Archive, manifest: Manifest) -> None:
    """Raise `InputError` if a file is missing, unexpected, or differs from its hash."""
    claimed = {f"{output.kind}/{output.file}": output for output in manifest.predictions}
    for output in manifest.predictions:
        name = f"{output.kind}/{output.file}"
        if claimed[name].sha256 != output.sha256:
            raise InputError(f"{archive.file}: {MANIFEST}: two hashes of the prediction {name}; refused")
    packed = set(claimed) if manifest.with_predictions else set()
    allowed = {SUMMARY, EDITS, *TABLES, *REFERENCE}
    odd = sorted((set(manifest.files) - allowed) | (set(archive.names) - {MANIFEST} - set(manifest.files) - packed))
    if odd:
        raise InputError(f"{archive.file}: contains {odd[0]!r}, which is not part of a submission")
    missing = sorted(
        (set(manifest.files) | packed | set(MASK_FILES)) - set(archive.names) | set(MASK_FILES) - set(manifest.files)
    )
    if missing:
        raise InputError(
            f"{archive.file}: contains no {missing[0]} ({len(missing)} missing); "
            "not a complete file written by `vde submit`"
        )
    for name, member in manifest.files.items():
        if archive.member(name) != member:
            raise InputError(f"{archive.file}: {name} differs from its hash in the manifest: it was changed")
    for name in sorted(packed):
        if archive.member(name).sha256 != claimed[name].sha256:
            raise InputError(f"{archive.file}: {name} differs from its hash in the manifest: it was changed")


def revision_of(signature: str) -> str:
    """Return the revision of the suite in a signature (12 digits), or "".

    >>> revision_of("vde|p:strict|suite:typeset:n=2@sha256:0f0f0f0f0f0f+images:12|n:2")
    '0f0f0f0f0f0f'
    """
    return parts_of(signature).get("suite", "").rpartition("@sha256:")[2].partition("+")[0]


def edits_journal(run: Path) -> Path:
    """Path of the editor's journal of edits, next to a run of `vde run`."""
    return run.absolute().parent / EDITS

"""`manifest.json` of a submission: what was scored and how, and the hash of every file and every prediction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.pipeline.output_record import Output, output_from
from vdebench.protocols.signature import parts_of as parts_of
from vdebench.submission.archive import Archive, ZipMember, is_plain

FORMAT, VERSION = "vdebench-submission", 1
MANIFEST, SUMMARY, EDITS = "manifest.json", "summary.json", "edits.jsonl"
TABLES = ("scores.parquet", "blocks.parquet", "regions.parquet")
REFERENCE = tuple(f"reference/{name}" for name in TABLES)
"""Rows of the reference images as the reader reads them, where there are any: the noise floor is made of them."""
PAGES_NEED = (SUMMARY, *TABLES)
MASKS_NEED = (SUMMARY, TABLES[0])
_TEXTS = ("created_by", "signature", "protocol", "editor")
_PARTS = ("suite", "asked", "environment", "files")


@dataclass(frozen=True)
class Manifest:
    """What a submission says of itself."""

    signature: str
    protocol: str
    editor: str
    suite: Mapping[str, Any]
    """Its name, its revision, and its order where it is made to order."""
    asked: Mapping[str, Any]
    """With what scoring was called, as far as that is nobody's secret."""
    environment: Mapping[str, Any]
    files: Mapping[str, ZipMember]
    predictions: Sequence[Output]
    with_predictions: bool
    """Whether the predictions are in the file."""
    identity: Mapping[str, Any]
    """The editor's own: its version and options."""
    created_by: str = f"vdebench {__version__}"

    def to_json(self) -> bytes:
        """As it is written."""
        told = {
            "format": FORMAT,
            "version": VERSION,
            **{name: getattr(self, name) for name in (*_TEXTS, *_PARTS[:-1], "identity", "with_predictions")},
            "files": {name: member._asdict() for name, member in sorted(self.files.items())},
            "predictions": [output._asdict() for output in self.predictions],
        }
        return (json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode(
            "utf-8", "backslashreplace"
        )


def read_manifest(archive: Archive) -> Manifest:
    """The manifest of a submission, whose files are as it says: sizes and hashes, none missing and none more."""
    where = f"{archive.file}: {MANIFEST}"
    told = parse_json(archive.read(MANIFEST), where)
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise InputError(f"{where}: is no submission's, expected 'format': {FORMAT!r}")
    if told.get("version") != VERSION:
        raise InputError(f"{where}: is of version {told.get('version')!r}, this is for {VERSION}; upgrade vdebench")
    _check_types(told, where)
    files = {str(name): _member(about, f"{where}: {name}") for name, about in told["files"].items()}
    predictions = [
        output_from(each, f"{where}: predictions, number {at}") for at, each in enumerate(told["predictions"], 1)
    ]
    for output in predictions:
        if not is_plain(output.file):
            raise InputError(f"{where}: the prediction {output.file!r} leads out of its folder; refused")
    manifest = Manifest(
        **{name: told[name] for name in (*_TEXTS, *_PARTS[:-1], "identity", "with_predictions")},
        files=files,
        predictions=predictions,
    )
    _check_files(archive, manifest)
    return manifest


def _check_types(told: Mapping[str, Any], where: str) -> None:
    kinds: dict[str, type[Any]] = {**dict.fromkeys(_TEXTS, str), **dict.fromkeys((*_PARTS, "identity"), dict)}
    kinds |= {"predictions": list, "with_predictions": bool}
    for name, kind in kinds.items():
        if not isinstance(told.get(name), kind):
            raise InputError(f"{where}: {name!r} is not as `vde submit` writes it, expected {_WORDS[kind]}")
    if not all(isinstance(told["suite"].get(key), str) for key in ("name", "revision")):
        raise InputError(f"{where}: 'suite' has no name and revision")


_WORDS: dict[type[Any], str] = {str: "text", dict: "an object", list: "a list", bool: "true or false"}


def _member(told: Any, where: str) -> ZipMember:
    if isinstance(told, dict) and isinstance(told.get("size"), int) and isinstance(told.get("sha256"), str):
        return ZipMember(told["size"], told["sha256"])
    raise InputError(f"{where}: no size and sha256")


def _check_files(archive: Archive, manifest: Manifest) -> None:
    """Refuse a file that lacks something, has something more, or was changed after it was made."""
    claimed = {f"{output.kind}/{output.file}": output for output in manifest.predictions}
    for output in manifest.predictions:
        name = f"{output.kind}/{output.file}"
        if claimed[name].sha256 != output.sha256:
            raise InputError(f"{archive.file}: {MANIFEST}: two hashes of the prediction {name}; refused")
    held = set(claimed) if manifest.with_predictions else set()
    allowed = {SUMMARY, EDITS, *TABLES, *REFERENCE}
    odd = sorted((set(manifest.files) - allowed) | (set(archive.names) - {MANIFEST} - set(manifest.files) - held))
    if odd:
        raise InputError(f"{archive.file}: holds {odd[0]!r}, which is no part of a submission")
    lacking = sorted(
        (set(manifest.files) | held | set(MASKS_NEED)) - set(archive.names) | set(MASKS_NEED) - set(manifest.files)
    )
    if lacking:
        raise InputError(
            f"{archive.file}: no {lacking[0]} in it ({len(lacking)} missing); not a whole file of `vde submit`"
        )
    for name, said in manifest.files.items():
        if archive.member(name) != said:
            raise InputError(f"{archive.file}: {name} is not as the manifest says: it was changed after it was made")
    for name in sorted(held):
        if archive.member(name).sha256 != claimed[name].sha256:
            raise InputError(f"{archive.file}: {name} is not as the manifest says: it was changed after it was made")


def revision_of(signature: str) -> str:
    """The suite's revision in a signature, its first twelve digits; nothing where there is none.

    >>> revision_of("vde|p:strict|suite:typeset:n=2@sha256:0f0f0f0f0f0f+images:12|n:2")
    '0f0f0f0f0f0f'
    """
    return parts_of(signature).get("suite", "").rpartition("@sha256:")[2].partition("+")[0]


def file_of(run: Path) -> Path:
    """Where an editor's journal of edits is, beside a run of `vde run`."""
    return run.absolute().parent / EDITS

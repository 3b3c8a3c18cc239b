"""Submissions changed by somebody: some of their files exchanged, the manifest made to agree or not."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import polars as pl

from vdebench.submission import consistency as consistent


def members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(file: Path, to: Path, changed: dict[str, bytes | None], *, agree: bool = False) -> Path:
    """The same zip with other members, None for none; `agree` has the manifest say so."""
    contents = {**members(file), **changed}
    if agree:
        manifest = json.loads(contents["manifest.json"])
        for name, content in changed.items():
            manifest["files"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        contents["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            if content is not None:
                archive.writestr(name, content)
    return to


def manifest(file: Path) -> dict:
    return json.loads(members(file)["manifest.json"])


def parquet(content: bytes, change: Callable[[pl.DataFrame], pl.DataFrame]) -> bytes:
    packed = io.BytesIO()
    change(pl.read_parquet(io.BytesIO(content))).write_parquet(packed)
    return packed.getvalue()


Change = Callable[[pl.DataFrame], pl.DataFrame]


def forge(
    file: Path,
    to: Path,
    tables: Mapping[str, Change] = {},
    change: Callable[[dict, dict, dict], None] = lambda manifest, summary, contents: None,
) -> Path:
    """A submission with other rows whose summary and manifest agree with them, as a forger would make it.

    `change` is given the manifest, the summary as it is made from the rows, and the other members.
    """
    contents = members(file)
    contents |= {name: parquet(contents[name], each) for name, each in tables.items()}
    told, summary = json.loads(contents["manifest.json"]), json.loads(contents["summary.json"])
    if tables:
        summary |= _added_up(told, summary, contents)
    change(told, summary, contents)
    contents["summary.json"] = json.dumps(summary).encode()
    told["files"] = {
        name: {"size": len(contents[name]), "sha256": hashlib.sha256(contents[name]).hexdigest()}
        for name in told["files"]
        if name in contents
    }
    contents["manifest.json"] = json.dumps(told).encode()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return to


def _added_up(told: dict, summary: dict, contents: dict[str, bytes]) -> dict:
    """What the rows give, in the form of a summary."""
    with tempfile.TemporaryDirectory() as temporary:
        for name in (each for each in contents if each.endswith(".parquet")):
            (Path(temporary) / name).parent.mkdir(exist_ok=True)
            (Path(temporary) / name).write_bytes(contents[name])
        rows = pl.read_parquet(Path(temporary) / "scores.parquet")
        about = SimpleNamespace(files=told["files"])
        found = consistent._computed_summary(consistent.Submission(about, summary, rows, Path(temporary)))
        return {name: found[name] for name in consistent._FROM_ROWS if name in found}

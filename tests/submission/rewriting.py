"""Submissions changed by somebody: some of their files exchanged, the manifest made to agree or not."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl


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

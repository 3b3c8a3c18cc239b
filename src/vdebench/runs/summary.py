"""`summary.json` of a run: reading it, and checking that it has the expected form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vdebench.errors import RunFolderError
from vdebench.io.files import read_json

_KINDS: dict[str, type] = {
    **dict.fromkeys(("signature", "protocol", "suite", "editor"), str),
    **dict.fromkeys(("overall", "coverage"), dict),
}
_OBJECTS_OR_NOTHING = ("by", "usable", "regions", "ocr_ceiling", "unavailable")
_OLD_KEYS = ("noise_floor",)
"""Keys of summaries before the present format."""


def read_summary(file: Path) -> dict[str, Any]:
    """Read a summary that `vde score` or `vde run` wrote.

    Raises `RunFolderError` for another form, or for a summary of an older version.
    """
    summary = read_json(file)
    if not isinstance(summary, dict):
        raise RunFolderError(f"{file}: expected an object, found {type(summary).__name__}; score again")
    if any(key in summary for key in _OLD_KEYS):
        raise RunFolderError(
            f"{file}: written by an older version of vdebench, whose scores have other names\n"
            f"  score again into the same folder: `vde score … --out {file.parent}`"
        )
    for key, kind in _KINDS.items():
        if not isinstance(summary.get(key), kind):
            expected = "text" if kind is str else "an object"
            raise RunFolderError(f"{file}: {key!r} is {summary.get(key)!r}, expected {expected}; score again")
    for key in _OBJECTS_OR_NOTHING:
        if summary.get(key) is not None and not isinstance(summary[key], dict):
            raise RunFolderError(f"{file}: {key!r} is {summary[key]!r}, expected an object; score again")
    if not isinstance(summary.get("notes", []), list):
        raise RunFolderError(f"{file}: 'notes' is {summary['notes']!r}, expected a list; score again")
    if not summary["signature"].startswith("vde|p:"):
        raise RunFolderError(
            f"{file}: 'signature' is {summary['signature']!r}, expected one that begins with vde|p:; score again"
        )
    return summary

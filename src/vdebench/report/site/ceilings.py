"""What a ceiling explains: unusable edits (a perfect edit with the same loss of pixels fails too), and lost words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.errors import VdeError
from vdebench.io.files import is_file, read_json
from vdebench.report.site.gather import ScoredEditor
from vdebench.report.type_heights import heights_data
from vdebench.stats.type_heights import height_summary

CEILINGS = ("resize", "jpeg", "autoencoder")
"""Editors that return the reference after a loss that an editor cannot avoid: `vdebench.editors.ceilings`."""
FAILS = "fails: "
"""Start of the verdict on an edit that is not usable, in rows of the sample browser."""


def is_ceiling(result: ScoredEditor) -> bool:
    """Whether the run is of a ceiling, by the identity that `vde run` stored, or by its name."""
    return _identity(result).get("name") in CEILINGS


def ceiling_loss(result: ScoredEditor) -> str:
    """What a ceiling does to the reference, in words, such as `resize to 0.5 MP`."""
    identity = {name: str(value) for name, value in _identity(result).items()}
    name, pixels = identity.get("name", ""), identity.get("megapixels", "").removesuffix(".0")
    if name == "jpeg" and "quality" in identity:
        return f"JPEG of quality {identity['quality']}"
    size = f"{pixels} MP" if pixels not in ("", "0") else ""
    return f"{name} {'to' if name == 'resize' else 'at'} {size}" if size else name


def _identity(result: ScoredEditor) -> Mapping[str, Any]:
    """The identity of the editor; its name alone if `vde run` did not store it."""
    file = result.folder.parent / "editor.json"
    try:
        identity = read_json(file) if is_file(file) else None
    except VdeError:
        identity = None
    return identity if isinstance(identity, Mapping) else {"name": result.editor}


def explained_failures(verdicts: Mapping[str, Sequence[str]], ceilings: Sequence[str]) -> dict[str, Any] | None:
    """For every other editor the unusable edits, and those of them that are unusable for each ceiling too.

    `verdicts` has the verdict on each sample for every editor, in the order of the samples. None if there is no ceiling
    or no other editor.

    >>> fails = "fails: Preservation"
    >>> found = {"mine": [fails, fails, "usable"], "jpeg": [fails, "usable", fails]}
    >>> explained_failures(found, ["jpeg"])
    {'ceilings': ['jpeg'], 'rows': [{'editor': 'mine', 'failed': 2, 'explained': [1]}]}
    """
    failed = {
        editor: {at for at, verdict in enumerate(found) if verdict.startswith(FAILS)}
        for editor, found in verdicts.items()
        if any(found)
    }
    limits = [name for name in ceilings if name in failed]
    rows = [
        {"editor": editor, "failed": len(mine), "explained": [len(mine & failed[limit]) for limit in limits]}
        for editor, mine in failed.items()
        if editor not in ceilings
    ]
    return {"ceilings": limits, "rows": rows} if limits and rows else None


def words_by_height(results: Sequence[ScoredEditor]) -> dict[str, Any] | None:
    """The words that each editor loses by type height, ceilings first; None for protocols without usable edits.

    Heights are in pixels of the references, so that a band has the same words for every editor: an editor that returns
    smaller pages than its ceiling has smaller type on them.
    """
    results = [result for result in results if result.protocol.properties]
    runs = [(result.editor, height_summary(result.table("scores").collect(), "page_height")) for result in results]
    return heights_data(runs, {result.editor: ceiling_loss(result) for result in results if is_ceiling(result)})

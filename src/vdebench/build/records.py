"""Records of edits in a workspace: one JSON line each, never rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vdebench.core.box import Box


class EditRead(NamedTuple):
    """OCR of an edited image: a line of `readings/readings.jsonl`."""

    id: str
    """Id of the instruction."""
    edit: str
    """SHA-256 of the edited image."""
    reader: str
    """Label of the reader: name, version and hash of its settings."""
    state: str
    """read or failed."""
    regions: Sequence[Box] = ()
    """Where source and edit differ, in pixels of the source page."""
    reason: str = ""


class PoolEntry(NamedTuple):
    """An edit given to people for review: a line of `pool.jsonl`."""

    id: str
    """Id of the instruction."""
    edit: str
    """SHA-256 of the edited image."""
    when: str = ""
    """UTC."""

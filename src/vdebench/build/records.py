"""Edits of a workspace as records: one JSON line each, never rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vdebench.core.box import Box


class EditRead(NamedTuple):
    """What was read of an edited image: a line of `readings/readings.jsonl`."""

    id: str
    """Of the instruction."""
    edit: str
    """SHA-256 of the edited image."""
    reader: str
    """Its label: name, version and a hash of all that it is."""
    state: str
    """read or failed."""
    regions: Sequence[Box] = ()
    """Where source and edit differ, in pixels of the source page."""
    reason: str = ""


class PoolEntry(NamedTuple):
    """An edit that people are to decide on: a line of `pool.jsonl`."""

    id: str
    """Of the instruction."""
    edit: str
    """SHA-256 of the edited image."""
    when: str = ""
    """UTC."""

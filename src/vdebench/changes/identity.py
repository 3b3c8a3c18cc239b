"""Identities of the rules that list changes and judge edits, computed from their source.

They are parts of signatures, and of the keys of caches.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def _digest(folder: str) -> str:
    """Return a digest of the modules of a package; another rule gives another signature, and no value of a cache."""
    files = sorted((_PACKAGE / folder).glob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:6]


CHANGES = f"changes-3.{_digest('changes')}"
"""Of the engine that lists changes."""
REQUESTS = f"requests-2.{_digest('instructions')}"
"""Of the decision which changes an instruction or a target text asked for, without a reference."""

"""Phrasings of instructions by language: templates in `phrasings/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

AMBIGUITIES = ("target", "operation", "spatial", "scope", "conditional", "linguistic")
"""The six dimensions of ambiguity (VDE paper)."""


@cache
def phrasings(language: str) -> dict[str, Any]:
    """Return the phrasings of a language."""
    return tomllib.loads((resources.files(__package__) / "phrasings" / f"{language}.toml").read_text("utf-8"))

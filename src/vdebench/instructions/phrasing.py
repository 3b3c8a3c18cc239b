"""Phrasings of instructions by language: templates in `phrasings/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from vdebench.registry import added

AMBIGUITIES = ("target", "operation", "spatial", "scope", "conditional", "linguistic")
"""The six dimensions of ambiguity (VDE paper)."""


@cache
def phrasings(language: str) -> dict[str, Any]:
    """Return the phrasings of a language; those of a language of another package are in its folder."""
    folders = {rules.code: rules.folder for rules in added("languages").values()}
    ours = resources.files(__package__) / "phrasings" / f"{language}.toml"
    file = folders[language] / "phrasings.toml" if language in folders else ours
    return tomllib.loads(file.read_text("utf-8"))

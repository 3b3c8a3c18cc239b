"""Things found by name: ours lazily, other people's through entry points."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from vdebench.errors import VdeError


def find(kind: str, name: str, ours: Mapping[str, str]) -> Any:
    """The object registered under a name: `ours` maps names to `module:attribute`; others come from `vdebench.<kind>`.

    >>> find("suites", "omnidoc", {"omnidoc": "vdebench.suites.omnidoc:OmniDocSuite"}).__name__
    'OmniDocSuite'
    """
    if name in ours:
        module, _, attribute = ours[name].partition(":")
        return getattr(import_module(module), attribute)
    found = {point.name: point for point in entry_points(group=f"vdebench.{kind}")}
    if name in found:
        return found[name].load()
    known = ", ".join(sorted({*ours, *found}))
    raise VdeError(f"no {kind.removesuffix('s')} is called {name!r}; there are: {known}")

"""Things found by name: ours lazily, other people's through entry points."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
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


def added(kind: str) -> dict[str, Any]:
    """Objects that other packages register in the entry point group `vdebench.<kind>`, by name.

    >>> added("no such group")
    {}
    """
    loaded = {}
    for point in entry_points(group=f"vdebench.{kind}"):
        try:
            loaded[point.name] = point.load()
        except (ImportError, AttributeError) as error:
            raise VdeError(
                f"{kind.removesuffix('s')} {point.name}: cannot load {point.value}: {error}\n"
                "  repair or uninstall the package that names it in its entry points"
            ) from None
    return loaded


def make(kind: str, name: str, ours: Mapping[str, str], options: Mapping[str, Any]) -> Any:
    """An object of the class registered under a name; an option that the class does not have is refused."""
    found = find(kind, name, ours)
    known = inspect.signature(found).parameters
    for option in options:
        if option not in known:
            what = kind.removesuffix("s")
            raise VdeError(f"the {what} {name} has no option {option!r}; it has: {', '.join(known) or 'none'}")
    return found(**options)


def installed_version(package: str) -> str:
    """Version of an installed package, nothing where it is not installed.

    >>> installed_version("no-such-package")
    ''
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return ""

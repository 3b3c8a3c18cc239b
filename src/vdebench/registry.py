"""Things found by name: ours lazily, other people's through entry points."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Any

from vdebench.errors import VdeError


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message about a name that does not exist, with the most similar one if it is misspelt.

    >>> unknown_name("editor", "copi", ["blank", "copy"])
    "no editor is called 'copi' (did you mean 'copy'?); there are: blank, copy"
    >>> unknown_name("editor", "x", [])
    "no editor is called 'x'; there are: none"
    """
    names = [str(each) for each in known]
    similar = get_close_matches(name, names, n=1)
    meant = f" (did you mean {similar[0]!r}?)" if similar else ""
    return f"no {what} is called {name!r}{meant}; there are: {', '.join(names) or 'none'}"


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
    raise VdeError(unknown_name(kind.removesuffix("s"), name, sorted({*ours, *found})))


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

"""Check the generators, editor and reader of `build.toml`: names, options, no secrets."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from vdebench.build.settings import FILE, BuildSettings, Component
from vdebench.editors.catalog import EDITORS
from vdebench.editors.selection import ADDRESSES
from vdebench.errors import InputError, VdeError
from vdebench.instructions.factory import require_options
from vdebench.io.redaction import is_private
from vdebench.readers.reader import READERS
from vdebench.registry import find

_PARTS = re.compile(r"(?:Bearer\s+)?[\w-]+", re.I)
"""Parts of a value that are tested; addresses and folders are allowed in `build.toml`."""


def require_choices(settings: BuildSettings) -> None:
    """Raise an error for invalid components, before anything is written."""
    for each in settings.generators:
        require_public("generator", each)
        require_options(each.name, each.options)
    require_editor(settings.editor)
    require_public("reader", settings.reader)
    _require_known("readers", settings.reader, (settings.reader.name,), READERS)


def require_editor(chosen: Component) -> None:
    """Check an editor; an address must be that of our external protocol or of `/images/edits`."""
    require_public("editor", chosen)
    at_address = chosen.name.startswith(ADDRESSES)
    _require_known("editors", chosen, ("external", "openai-images") if at_address else (chosen.name,), EDITORS)


def require_public(what: str, chosen: Component) -> None:
    """Raise `InputError` for keys and passwords, since `build.toml` is shared. Messages do not contain the value."""
    if chosen.name.startswith(ADDRESSES) and _contains_secret(chosen.name):
        raise InputError(f"the {what}'s address contains a user name, a password or a query; {_INSTEAD}")
    for name in _secrets(chosen.options):
        raise InputError(f"the {what} {_shortened(chosen.name)}: its option {name!r} contains a secret; {_INSTEAD}")


_INSTEAD = (
    f"secrets are not allowed in {FILE}\n  put keys in environment variables; key_variable=NAME, if there is one,"
    " names the variable; see docs/editors.md and docs/readers.md"
)


def _secrets(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        parts = _PARTS.findall(str(value))
        if is_private(name, "") or any(is_private("", part) for part in parts) or _contains_secret(str(value)):
            yield name
        elif isinstance(value, Mapping):
            yield from _secrets(value)


def _contains_secret(value: str) -> bool:
    """Whether an address contains more than a location."""
    if "://" not in value:
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return True
    return bool("@" in parts.netloc or parts.query or parts.fragment)


def _shortened(name: str) -> str:
    return name if len(name) < 80 else f"{name[:79]}…"


def _require_known(kind: str, chosen: Component, names: tuple[str, ...], registry: Mapping[str, str]) -> None:
    available = dict.fromkeys(
        option for name in names for option in inspect.signature(find(kind, name, registry)).parameters
    )
    for option in chosen.options:
        if option not in available:
            what = kind.removesuffix("s")
            has = ", ".join(available) or "none"
            raise VdeError(f"the {what} {chosen.name} has no option {option!r}; it has: {has}")

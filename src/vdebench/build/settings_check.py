"""Whether `build.toml` may say what it is to say of generators, editor and reader: known, their options, no secrets."""

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
"""Of a value: none of them is an address or a folder, which may stand in `build.toml`."""


def require_choices(settings: BuildSettings) -> None:
    """Refuse what nobody could work with, before anything is written."""
    for each in settings.generators:
        require_public("generator", each)
        require_options(each.name, each.options)
    require_editor(settings.editor)
    require_public("reader", settings.reader)
    _require_known("readers", settings.reader, (settings.reader.name,), READERS)


def require_editor(chosen: Component) -> None:
    """The same of an editor; at an address stands one that speaks our protocol, or one with `/images/edits`."""
    require_public("editor", chosen)
    at_address = chosen.name.startswith(ADDRESSES)
    _require_known("editors", chosen, ("external", "openai-images") if at_address else (chosen.name,), EDITORS)


def require_public(what: str, chosen: Component) -> None:
    """Refuse keys and passwords: `build.toml` is a file that people share. The value is in no message."""
    if chosen.name.startswith(ADDRESSES) and _tells(chosen.name):
        raise InputError(f"the {what}'s address has a name, a password or a query in it; {_INSTEAD}")
    for name in _secrets(chosen.options):
        raise InputError(f"the {what} {_shown(chosen.name)}: its option {name!r} has or is a secret; {_INSTEAD}")


_INSTEAD = (
    f"{FILE} has none\n  give keys in the environment: key_variable=NAME, where there is such an option, says in which"
    " variable; docs/editors.md and docs/readers.md name the others"
)


def _secrets(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        parts = _PARTS.findall(str(value))
        if is_private(name, "") or any(is_private("", part) for part in parts) or _tells(str(value)):
            yield name
        elif isinstance(value, Mapping):
            yield from _secrets(value)


def _tells(value: str) -> bool:
    """Whether an address tells more than where something is."""
    if "://" not in value:
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return True
    return bool("@" in parts.netloc or parts.query or parts.fragment)


def _shown(name: str) -> str:
    return name if len(name) < 80 else f"{name[:79]}…"


def _require_known(kind: str, chosen: Component, names: tuple[str, ...], ours: Mapping[str, str]) -> None:
    known = dict.fromkeys(option for name in names for option in inspect.signature(find(kind, name, ours)).parameters)
    for option in chosen.options:
        if option not in known:
            what = kind.removesuffix("s")
            has = ", ".join(known) or "none"
            raise VdeError(f"the {what} {chosen.name} has no option {option!r}; it has: {has}")

"""Editors as commands take them: a folder of their images, named by it or with `name=DIR`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.files import is_folder
from vdebench.io.stores import is_url


def name_and_place(given: str) -> tuple[str, Path]:
    """What stands before the first `=` names the editor, unless the whole is a folder; no name where none is given."""
    name, equals, place = given.partition("=")
    if not equals or not name or is_url(given) or is_folder(Path(given)):
        return "", Path(given if name else place)
    if name in (".", "..") or "/" in name or "\\" in name:
        raise VdeError(f"an editor cannot be called {name!r}: the name becomes a folder's; use letters and digits")
    return name, Path(place)


def folder_name(folder: Path) -> str:
    """The editor's name where none is given: its folder's; `overlay/images`, as `vde run` makes it, is overlay's.

    >>> folder_name(Path("runs/overlay/images")), folder_name(Path("outputs/mine"))
    ('overlay', 'mine')
    """
    whole = Path(os.path.abspath(folder))
    return whole.parent.name if whole.name == "images" else whole.name


def require_distinct(names: Sequence[str]) -> None:
    """Refuse two editors of one name."""
    if len(set(names)) < len(names):
        raise VdeError(f"two editors are called {max(names, key=names.count)!r}: name them, as in mine=DIR")

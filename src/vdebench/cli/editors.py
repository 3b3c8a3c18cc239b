"""Editors on the command line: a folder of their images, or `name=DIR`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.files import is_folder
from vdebench.io.stores import is_url


def name_and_place(argument: str) -> tuple[str, Path]:
    """Split `name=DIR` at the first `=`, unless the whole argument is a folder; the name is empty if there is none."""
    name, equals, folder = argument.partition("=")
    if not equals or not name or is_url(argument) or is_folder(Path(argument)):
        return "", Path(argument if name else folder)
    if name in (".", "..") or "/" in name or "\\" in name:
        raise VdeError(f"{name!r} cannot be an editor's name: it becomes a folder's name; use letters and digits")
    return name, Path(folder)


def folder_name(folder: Path) -> str:
    """Return the default name of an editor: its folder's name, or the parent's of `overlay/images` (of `vde run`).

    >>> folder_name(Path("runs/overlay/images")), folder_name(Path("outputs/mine"))
    ('overlay', 'mine')
    """
    absolute = Path(os.path.abspath(folder))
    return absolute.parent.name if absolute.name == "images" else absolute.name


def require_distinct(names: Sequence[str]) -> None:
    """Raise an error if two editors have the same name."""
    if len(set(names)) < len(names):
        raise VdeError(f"two editors have the name {max(names, key=names.count)!r}: give names, as in mine=DIR")

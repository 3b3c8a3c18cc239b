"""An editor as a run is told of it: `overlay`, `mine=http://host:8000/v1`, `bagel-think=bagel`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vdebench.errors import VdeError

ADDRESSES = ("http://", "https://")
_UNSAFE = re.compile(r"[^\w.+-]+")


class EditorChoice(NamedTuple):
    """Who edits, and what its folder and its rows are called."""

    name: str
    editor: str


def parse_choice(given: str) -> EditorChoice:
    """`EDITOR`, or `NAME=EDITOR` for another name, as for one editor with two sets of options.

    >>> parse_choice("overlay"), parse_choice("think=bagel")
    (EditorChoice(name='overlay', editor='overlay'), EditorChoice(name='think', editor='bagel'))
    >>> parse_choice("http://localhost:8000/v1").name
    'localhost-8000'
    """
    name, equals, editor = given.partition("=")
    if not equals or name.startswith(ADDRESSES):
        name, editor = given, given
    if name.startswith(ADDRESSES):
        place = name.partition("://")[2].partition("/")[0].rpartition("@")[2]
        name = _UNSAFE.sub("-", place).strip("-")
    if not name or not editor or _UNSAFE.search(name) or name.strip(".") == "":
        raise VdeError(f"--editor {given!r}: expected EDITOR or NAME=EDITOR, the name of letters, digits and - . _ +")
    return EditorChoice(name, editor)


def parse_choices(given: Sequence[str]) -> list[EditorChoice]:
    """Several, in their order; two of one name are refused unless they are the same."""
    found: dict[str, EditorChoice] = {}
    for choice in map(parse_choice, given):
        if found.setdefault(choice.name, choice) != choice:
            raise VdeError(f"two editors are called {choice.name!r}: name them, as in {choice.name}-2={choice.editor}")
    return list(found.values())

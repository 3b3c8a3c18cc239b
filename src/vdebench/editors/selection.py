"""Editor arguments of a run: `overlay`, `mine=http://host:8000/v1`, `bagel-think=bagel`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vdebench.errors import VdeError

ADDRESSES = ("http://", "https://")
_UNSAFE = re.compile(r"[^\w.+-]+")


class EditorChoice(NamedTuple):
    """An editor, and the name of its folder and rows."""

    name: str
    editor: str


def parse_choice(argument: str) -> EditorChoice:
    """Parse `EDITOR`, or `NAME=EDITOR` for another name, such as one editor with two sets of options.

    >>> parse_choice("overlay"), parse_choice("think=bagel")
    (EditorChoice(name='overlay', editor='overlay'), EditorChoice(name='think', editor='bagel'))
    >>> parse_choice("http://localhost:8000/v1").name
    'localhost-8000'
    """
    name, equals, editor = argument.partition("=")
    if not equals or name.startswith(ADDRESSES):
        name, editor = argument, argument
    if name.startswith(ADDRESSES):
        place = name.partition("://")[2].partition("/")[0].rpartition("@")[2]
        name = _UNSAFE.sub("-", place).strip("-")
    if not name or not editor or _UNSAFE.search(name) or name.strip(".") == "":
        raise VdeError(
            f"--editor {argument!r}: expected EDITOR or NAME=EDITOR, the name of letters, digits and - . _ +"
        )
    return EditorChoice(name, editor)


def parse_choices(arguments: Sequence[str]) -> list[EditorChoice]:
    """Parse several arguments in order; raise `VdeError` if two different editors have the same name."""
    choices: dict[str, EditorChoice] = {}
    for choice in map(parse_choice, arguments):
        if choices.setdefault(choice.name, choice) != choice:
            raise VdeError(
                f"two editors have the name {choice.name!r}: rename one, for example {choice.name}-2={choice.editor}"
            )
    return list(choices.values())

"""Commands that start programs: their words, and as much of them as may be written down."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdebench.errors import VdeError
from vdebench.io.redaction import is_private
from vdebench.net.addresses import shown
from vdebench.net.keys import HIDDEN


def split_command(command: str | Sequence[str], who: str) -> list[str]:
    """A command's words: a list, a JSON list, or a line as for a shell. `~` is the home folder in the first.

    >>> split_command("python 'my program.py' --steps 28", "external")
    ['python', 'my program.py', '--steps', '28']
    >>> split_command('["python", "my program.py"]', "external")
    ['python', 'my program.py']
    """
    try:
        if not isinstance(command, str):
            words = [str(word) for word in command]
        elif command.lstrip().startswith("["):
            words = [str(word) for word in json.loads(command)]
        else:
            words = shlex.split(command)
    except ValueError as error:
        raise VdeError(f"{who}: the command {command!r} cannot be split: {error}") from None
    if not words or not words[0]:
        raise VdeError(f"{who}: the command {command!r} is empty")
    return [str(Path(words[0]).expanduser()) if words[0].startswith("~") else words[0], *words[1:]]


def told_command(words: Sequence[str]) -> str:
    """A command as an identity has it: without keys and passwords, so that another key is no other editor.

    >>> told_command(["python", "mine.py", "--steps", "28", "--token", "abc", "--api-key=abc", "http://me:abc@host/v1"])
    "python mine.py --steps 28 --token '[key]' '--api-key=[key]' http://host/v1"
    """
    return shlex.join(_without_keys(words))


def told_parameters(value: Any, *, private: bool = False) -> Any:
    """What a program says it works with, at any depth, by the same rule. A number is no key, but may be a setting.

    >>> told_parameters({"steps": 28, "token": "abc", "token_merging": 0.5, "servers": ["http://me:abc@host/v1"]})
    {'steps': 28, 'token': '[key]', 'token_merging': 0.5, 'servers': ['http://host/v1']}
    """
    if isinstance(value, dict):
        return {name: told_parameters(each, private=private or is_private(name, "")) for name, each in value.items()}
    if isinstance(value, list):
        return [told_parameters(each, private=private) for each in value]
    if private and (value is None or isinstance(value, str)):  # one with a key and one without are the same editor
        return HIDDEN
    if not isinstance(value, str):
        return value
    told = _without_key(value)
    return value if told.split() == value.split() else told  # a prompt keeps its line breaks


def _without_keys(words: Sequence[str]) -> list[str]:
    told, after_name = [], False
    for word in words:
        option = word.startswith("-")
        told.append(HIDDEN if after_name and not option else _without_key(word))
        after_name = option and "=" not in word and is_private(word, "")
    return told


def _without_key(word: str) -> str:
    """A word by itself: `NAME=KEY`, `Authorization: KEY`, an address, a line of a shell, or what looks like a key."""
    for sign in ("=", ":"):
        name, _, value = word.partition(sign)
        whole = bool(value) if sign == ":" else len(value.split()) == 1
        if whole and not any(mark in name for mark in "/ ") and is_private(name, ""):
            return f"{name}{sign}{HIDDEN}"
    if len(word.split()) > 1:
        return " ".join(_without_keys(word.split()))
    if "://" in word:
        name, sign, value = word.partition("=") if "=" in word.partition("://")[0] else ("", "", word)
        return f"{name}{sign}{shown(value)}"
    return HIDDEN if "@" not in word and is_private("", f" {word}") else word  # the space: of paths nothing is hidden

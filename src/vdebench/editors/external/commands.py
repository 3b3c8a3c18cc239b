"""Commands of external programs: splitting, and redaction of secrets."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdebench.errors import VdeError
from vdebench.io.redaction import is_private
from vdebench.net.addresses import redacted
from vdebench.net.keys import HIDDEN


def split_command(command: str | Sequence[str], who: str) -> list[str]:
    """Split a command: a list, a JSON list, or a shell-like line. `~` is expanded in the first word.

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


def redacted_command(words: Sequence[str]) -> str:
    """Return a command without keys and passwords, for the identity; another key does not change the identity.

    >>> redacted_command(["python", "mine.py", "--steps", "28", "--token", "abc", "--api-key=abc", "http://me:abc@host/v1"])
    "python mine.py --steps 28 --token '[key]' '--api-key=[key]' http://host/v1"
    """
    return shlex.join(_without_keys(words))


def redacted_parameters(value: Any, *, private: bool = False) -> Any:
    """Redact the parameters of a program at any depth, by the same rules; numbers are settings, not keys.

    >>> redacted_parameters({"steps": 28, "token": "abc", "token_merging": 0.5, "servers": ["http://me:abc@host/v1"]})
    {'steps': 28, 'token': '[key]', 'token_merging': 0.5, 'servers': ['http://host/v1']}
    """
    if isinstance(value, dict):
        return {
            name: redacted_parameters(each, private=private or is_private(name, "")) for name, each in value.items()
        }
    if isinstance(value, list):
        return [redacted_parameters(each, private=private) for each in value]
    if private and (value is None or isinstance(value, str)):  # with or without a key, the editor is the same
        return HIDDEN
    if not isinstance(value, str):
        return value
    redacted = _without_key(value)
    return value if redacted.split() == value.split() else redacted  # keep the line breaks of prompts


def _without_keys(words: Sequence[str]) -> list[str]:
    redacted, after_name = [], False
    for word in words:
        option = word.startswith("-")
        redacted.append(HIDDEN if after_name and not option else _without_key(word))
        after_name = option and "=" not in word and is_private(word, "")
    return redacted


def _without_key(word: str) -> str:
    """Redact a single word: `NAME=KEY`, `Authorization: KEY`, an address, a shell line, or anything that looks like a
    key.
    """
    for sign in ("=", ":"):
        name, _, value = word.partition(sign)
        whole = bool(value) if sign == ":" else len(value.split()) == 1
        if whole and not any(mark in name for mark in "/ ") and is_private(name, ""):
            return f"{name}{sign}{HIDDEN}"
    if len(word.split()) > 1:
        return " ".join(_without_keys(word.split()))
    if "://" in word:
        name, sign, value = word.partition("=") if "=" in word.partition("://")[0] else ("", "", word)
        return f"{name}{sign}{redacted(value)}"
    return HIDDEN if "@" not in word and is_private("", f" {word}") else word  # the space prevents matching paths

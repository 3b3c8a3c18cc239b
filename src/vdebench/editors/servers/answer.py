"""What a server's answer holds, whichever way it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vdebench.editors.servers.faults import CallError
from vdebench.readers.http import excerpt


@dataclass(frozen=True)
class Answer:
    """A picture, or why there is none."""

    picture: str = ""
    """Base64, a data URI, or an address."""
    refusal: str = ""
    """Its kind, as the server names it."""
    words: str = ""
    """What was said beside it or instead of it."""
    model: str = ""
    """As the server names it."""
    request: str = ""
    """The server's number for it."""
    usage: Mapping[str, Any] = field(default_factory=dict)
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None
    rewritten: bool = False
    """Whether the server says that it worked from another instruction."""


def or_refusal(answer: Answer) -> Answer:
    """The answer where it has a picture; words instead of one are a refusal, and nothing at all is a fault."""
    if answer.picture or answer.refusal:
        return answer
    if answer.words:
        return Answer(**{**vars(answer), "refusal": "no_image"})
    raise CallError("the answer has neither an image nor a word", "run again later", passing=True)


def at(told: Any, *path: str | int) -> Any:
    """What lies in JSON under some keys and places, nothing where it does not.

    >>> at({"data": [{"url": "u"}]}, "data", 0, "url"), at({"data": []}, "data", 0, "url")
    ('u', None)
    """
    for step in path:
        if isinstance(told, dict) and isinstance(step, str):
            told = told.get(step)
        elif isinstance(told, list) and isinstance(step, int) and step < len(told):
            told = told[step]
        else:
            return None
    return told


def text_at(told: Any, *path: str | int) -> str:
    """A text there; an empty one where there is none."""
    found = at(told, *path)
    return found if isinstance(found, str) else ""


def count_at(told: Any, *path: str | int) -> int | None:
    """A count there, if there is one."""
    found = at(told, *path)
    return found if type(found) is int and found >= 0 else None


def numbers_of(told: Any) -> dict[str, Any]:
    """The numbers in an account of usage; nothing else of it is kept.

    >>> numbers_of({"input_tokens": 9, "tier": "free", "details": {"image_tokens": 8}})
    {'input_tokens': 9, 'details': {'image_tokens': 8}}
    """
    found: dict[str, Any] = {}
    for name, value in told.items() if isinstance(told, dict) else ():
        if isinstance(value, dict) and (inner := numbers_of(value)):
            found[name] = inner
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = value
    return found


def short(words: str) -> str:
    """Words as a reason holds them."""
    return excerpt(words, 300)

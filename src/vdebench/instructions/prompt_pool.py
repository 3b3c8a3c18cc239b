"""What a generator model is asked: 21 prompts in our own words, three for each of the seven operations."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from vdebench.core.sample import Operation

OPERATIONS = tuple(
    operation.value
    for operation in (
        Operation.TEXT_REPLACE,
        Operation.TEXT_INSERT,
        Operation.TEXT_DELETE,
        Operation.TABLE_REPLACE,
        Operation.TABLE_INSERT,
        Operation.TABLE_DELETE,
        Operation.TABLE_STRUCTURE,
    )
)
TEXT_OPERATIONS = OPERATIONS[:3]
PER_OPERATION = 3
_FOLDER = files("vdebench.instructions").joinpath("prompts")
_LANGUAGES = {
    "english": "English, the language of the page",
    "simplified_chinese": "simplified Chinese, the language of the page",
    "en_ch_mixed": "the language of the text that is to change: English or simplified Chinese",
}


class Prompt(NamedTuple):
    """One of the pool."""

    name: str
    """`text_replace-2`."""
    operation: str
    text: str
    """With the rules that all prompts share."""

    @property
    def hash(self) -> str:
        """Of its text, so that a data set can say what was asked.

        >>> len(pool()["text_replace-1"].hash)
        64
        """
        return hashlib.sha256(self.text.encode()).hexdigest()

    def question(self, language: str, complaint: str = "") -> str:
        """What is sent with the image; `complaint` says what was wrong with the answer before."""
        told = self.text.replace("{language}", _LANGUAGES.get(language, _LANGUAGES["en_ch_mixed"]))
        return told + (f"\nYour answer before was turned down: {complaint}\nWrite another one.\n" if complaint else "")


@cache
def pool() -> Mapping[str, Prompt]:
    """All prompts, by name.

    >>> len(pool())
    21
    """
    rules = read_prompt("rules")
    found = {}
    for operation in OPERATIONS:
        for number in range(1, PER_OPERATION + 1):
            name = f"{operation}-{number}"
            found[name] = Prompt(name, operation, f"{read_prompt(name)}\n{rules}")
    return MappingProxyType(found)


def read_prompt(name: str) -> str:
    """The text of a file in prompts/."""
    return _FOLDER.joinpath(f"{name}.txt").read_text("utf-8")

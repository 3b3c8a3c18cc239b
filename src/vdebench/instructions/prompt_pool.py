"""The pool of prompts for generator models: 21 prompts, three for each of the seven operations."""

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
    """A prompt of the pool."""

    name: str
    """`text_replace-2`."""
    operation: str
    text: str
    """Text including the common rules."""

    @property
    def hash(self) -> str:
        """SHA-256 of the text, for provenance.

        >>> len(pool()["text_replace-1"].hash)
        64
        """
        return hashlib.sha256(self.text.encode()).hexdigest()

    def question(self, language: str, complaint: str = "") -> str:
        """Return the text sent with the image; `complaint` states why the previous answer was rejected."""
        question = self.text.replace("{language}", _LANGUAGES.get(language, _LANGUAGES["en_ch_mixed"]))
        return question + (
            f"\nYour answer before was turned down: {complaint}\nWrite another one.\n" if complaint else ""
        )


@cache
def pool() -> Mapping[str, Prompt]:
    """Return all prompts by name.

    >>> len(pool())
    21
    """
    rules = read_prompt("rules")
    prompts = {}
    for operation in OPERATIONS:
        for number in range(1, PER_OPERATION + 1):
            name = f"{operation}-{number}"
            prompts[name] = Prompt(name, operation, f"{read_prompt(name)}\n{rules}")
    return MappingProxyType(prompts)


def read_prompt(name: str) -> str:
    """Return the text of a file in prompts/."""
    return _FOLDER.joinpath(f"{name}.txt").read_text("utf-8")

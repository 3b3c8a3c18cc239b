"""A recipe: all that decides what a typeset suite holds. A recipe, a number and the same tools give the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from vdebench.core.sample import SOURCES, Operation
from vdebench.errors import InputError
from vdebench.suites.typeset.language_rules import LANGUAGES

OPERATIONS = tuple(operation for operation in Operation if operation not in (Operation.NONE, Operation.OTHER))
_TOOLS = ("typst", "pypdfium2", "pylopdf-fonts-zh-cn", "opencv-python-headless", "numpy", "isal")
WEARS = ("none", "light", "heavy")


class PageTask(NamedTuple):
    """What a page is to be, and which operations its samples ask for."""

    number: int
    kind: str
    language: str
    operations: tuple[Operation, ...]

    @property
    def needs_table(self) -> bool:
        """Whether one of the operations works on a table."""
        return any(operation.value.startswith("table") for operation in self.operations)


@dataclass(frozen=True, slots=True)
class SuiteRecipe:
    """What to make, and with which seed."""

    seed: int = 1
    languages: tuple[str, ...] = ("en", "zh", "mixed")
    operations: tuple[str, ...] = OPERATIONS
    kinds: tuple[str, ...] = SOURCES
    per_page: int = 2
    """Samples on one page, of different operations where there are enough."""
    ppi: int = 150
    wear: str = "none"

    def __post_init__(self) -> None:
        """Refuse what cannot be made."""
        _require("language", self.languages, LANGUAGES)
        _require("operation", self.operations, OPERATIONS)
        _require("kind", self.kinds, SOURCES)
        _require("wear", [self.wear], WEARS)
        if not 1 <= self.per_page <= 10:
            raise InputError(f"{self.per_page} samples on a page, expected 1 to 10")
        if not 36 <= self.ppi <= 600:
            raise InputError(f"{self.ppi} pixels per inch, expected 36 to 600")

    def page(self, number: int) -> PageTask:
        """The task of a page: kinds, languages and operations take turns, each in an order of its own."""
        first = number * self.per_page
        return PageTask(
            number,
            self._turn("kind", self.kinds, number),
            self._turn("language", self.languages, number),
            tuple(Operation(self._turn("operation", self.operations, first + k)) for k in range(self.per_page)),
        )

    def _turn(self, what: str, options: Sequence[str], index: int) -> str:
        round_, turn = divmod(index, len(options))
        return Random(f"{self.seed}/{what}/{round_}").sample(options, len(options))[turn]

    def to_json(self) -> dict[str, Any]:
        """The recipe as an object."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@cache
def made_with() -> dict[str, str]:
    """What besides the recipe decides the bytes: our own files and the libraries that set, draw and pack pages."""
    own = hashlib.sha256()
    package = Path(__file__).parents[2]
    places = (package / "suites/typeset", package / "instructions/phrasings")
    files = (file for place in places for file in place.rglob("*") if file.suffix in (".py", ".toml", ".typ"))
    for file in sorted((*files, package / "instructions/phrasing.py", package / "instructions/word_boundary.py")):
        own.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return {"vdebench": own.hexdigest()[:16], **{name: version(name) for name in _TOOLS}}


def _require(what: str, found: Sequence[str], known: Collection[str]) -> None:
    if not found:
        raise InputError(f"no {what} is named, expected some of {', '.join(known)}")
    for name in found:
        if name not in known:
            raise InputError(f"no {what} is called {name!r}; there are: {', '.join(known)}")

"""The recipe of a generated suite: all settings that determine its content.

The same recipe, number of samples and library versions give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from vdebench.core.sample import SOURCES, Operation
from vdebench.errors import InputError
from vdebench.registry import unknown_name
from vdebench.suites.typeset.language_rules import LanguageRules, added_rules, all_languages

OPERATIONS = tuple(operation for operation in Operation if operation not in (Operation.NONE, Operation.OTHER))
_TOOLS = ("typst", "pypdfium2", "pylopdf-fonts-zh-cn", "opencv-python-headless", "numpy", "isal")
DEGRADATIONS = ("none", "light", "heavy")


class PageTask(NamedTuple):
    """Kind and language of a page, and the operations of its samples."""

    number: int
    kind: str
    language: str
    operations: tuple[Operation, ...]

    @property
    def needs_table(self) -> bool:
        """Whether an operation edits a table."""
        return any(operation.value.startswith("table") for operation in self.operations)


@dataclass(frozen=True, slots=True)
class SuiteRecipe:
    """Settings of a generated suite."""

    seed: int = 1
    languages: tuple[str, ...] = ("en", "zh", "mixed")
    operations: tuple[str, ...] = OPERATIONS
    kinds: tuple[str, ...] = SOURCES
    per_page: int = 2
    """Samples per page, of different operations if there are enough."""
    ppi: int = 150
    degradation: str = "none"

    def __post_init__(self) -> None:
        """Raise `InputError` for invalid settings."""
        _require("language", self.languages, all_languages())
        _require("operation", self.operations, OPERATIONS)
        _require("kind", self.kinds, SOURCES)
        _require("degradation", [self.degradation], DEGRADATIONS)
        if not 1 <= self.per_page <= 10:
            raise InputError(f"{self.per_page} samples on a page, expected 1 to 10")
        if not 36 <= self.ppi <= 600:
            raise InputError(f"{self.ppi} pixels per inch, expected 36 to 600")

    def page(self, number: int) -> PageTask:
        """Return the task of a page: kinds, languages and operations take turns, each in its own random order."""
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
        """Return the recipe as a JSON object."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@cache
def provenance(languages: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what else determines the bytes: digests of our source files and of languages of other packages, and the
    versions of libraries.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    folders = (package / "suites/typeset", package / "instructions/phrasings")
    files = (file for folder in folders for file in folder.rglob("*") if file.suffix in (".py", ".toml", ".typ"))
    for file in sorted((*files, package / "instructions/phrasing.py", package / "instructions/word_boundary.py")):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    others = {code: _language_digest(rules) for code, rules in added_rules().items() if code in languages}
    return {"vdebench": digest.hexdigest()[:16], **{name: version(name) for name in _TOOLS}, **others}


def _language_digest(rules: LanguageRules) -> str:
    digest = hashlib.sha256(repr(replace(rules, folder=None)).encode())
    for file in sorted(rules.folder.rglob("*.toml")) if rules.folder else ():
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _require(what: str, names: Sequence[str], valid: Collection[str]) -> None:
    if not names:
        raise InputError(f"no {what} given, expected some of {', '.join(valid)}")
    for name in names:
        if name not in valid:
            raise InputError(unknown_name(what, name, valid))

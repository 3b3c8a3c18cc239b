"""A dimension of judging: prompt, JSON schema and parser of answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from vdebench.errors import InputError, VdeError
from vdebench.io.files import list_folder, read_bytes
from vdebench.net.addresses import excerpt
from vdebench.registry import added

PROMPT_FOLDER = Path(__file__).parent / "prompts"
_PLACE = re.compile(r"\{(instruction|operation|knowledge)\}")


class PromptFields(Protocol):
    """The fields that a prompt can contain."""

    @property
    def instruction(self) -> str:
        """The instruction of the editor."""

    @property
    def operation(self) -> str:
        """The operation."""

    @property
    def knowledge(self) -> str:
        """Expected consequences of the edit; often empty."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A graded property. `sees` selects the images that the judge gets."""

    key: str
    title: str
    low: int
    high: int
    sees: Literal["edit", "instruction"] = "edit"
    needs_knowledge: bool = False
    files: tuple[Path, ...] = ()
    """Prompt without and with a reference; a single prompt for dimensions of instructions."""

    def file(self, *, reference: bool) -> Path:
        """Return the file of the prompt."""
        return self.files[-1] if reference else self.files[0]

    @property
    def prompts(self) -> tuple[str, ...]:
        """The text of every prompt template."""
        return tuple(map(_text, self.files))

    def prompt(self, question: PromptFields, reference: bool) -> str:
        """Fill the prompt template; placeholders inside values are not replaced."""
        values = {
            "instruction": question.instruction,
            "operation": question.operation,
            "knowledge": question.knowledge,
        }
        return _PLACE.sub(lambda place: values[place[1]], _text(self.file(reference=reference)))

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of an answer: the rationale comes first, so that the grade follows from it."""
        return {
            "type": "object",
            "properties": {
                "rationale": {"type": "string"},
                "grade": {"type": "integer", "enum": list(range(self.low, self.high + 1))},
            },
            "required": ["rationale", "grade"],
            "additionalProperties": False,
        }

    def parse(self, text: str) -> tuple[int, str]:
        """Parse grade and rationale of an answer; raise an error if it does not match the schema.

        >>> DIMENSIONS["IF"].parse('Here it is: {"rationale": "done as asked", "grade": 5}')
        (5, 'done as asked')
        >>> DIMENSIONS["IF"].parse('{"rationale": "", "grade": 7}')
        Traceback (most recent call last):
        vdebench.errors.InputError: the grade is 7, expected a whole number from 0 to 5
        """
        objects = list(json_objects(text))
        if len(objects) != 1:
            count = "no JSON object" if not objects else f"{len(objects)} JSON objects"
            raise InputError(f"the answer has {count}, expected one: {excerpt(text) or 'it is empty'}")
        (answer,) = objects
        if set(answer) != {"rationale", "grade"}:
            keys = excerpt(", ".join(map(repr, answer)), 80) or "none"
            raise InputError(f"the answer's keys are {keys}, expected 'rationale' and 'grade'")
        grade, rationale = answer["grade"], answer["rationale"]
        if not isinstance(rationale, str):
            raise InputError(f"the rationale is {excerpt(repr(rationale), 60)}, expected text")
        if type(grade) is not int or not self.low <= grade <= self.high:
            value = excerpt(json.dumps(grade), 60)
            raise InputError(f"the grade is {value}, expected a whole number from {self.low} to {self.high}")
        return grade, rationale


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError) as error:
            if re.match(r"\{\s*\"", text[at:]):  # invalid JSON: objects inside it are not the answer
                raise InputError(f"the answer's JSON is broken ({excerpt(str(error), 60)}): {excerpt(text)}") from None
            end = at + 1
        at = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _of_edits(key: str, title: str, *, needs_knowledge: bool = False) -> Dimension:
    files = (PROMPT_FOLDER / f"{key}.without_reference.md", PROMPT_FOLDER / f"{key}.with_reference.md")
    return Dimension(key, title, 0, 5, needs_knowledge=needs_knowledge, files=files)


def _of_instructions(key: str, title: str) -> Dimension:
    return Dimension(key, title, 1, 5, sees="instruction", files=(PROMPT_FOLDER / f"ambiguity.{key}.md",))


_ALL = (
    _of_edits("IF", "Instruction following"),
    _of_edits("TA", "Text accuracy"),
    _of_edits("VC", "Visual consistency"),
    _of_edits("LP", "Layout preservation"),
    _of_edits("SE", "Semantic expectation", needs_knowledge=True),
    _of_instructions("target", "Target ambiguity"),
    _of_instructions("operation", "Operation ambiguity"),
    _of_instructions("spatial", "Spatial ambiguity"),
    _of_instructions("scope", "Scope ambiguity"),
    _of_instructions("conditional", "Conditional ambiguity"),
    _of_instructions("linguistic", "Linguistic ambiguity"),
)
DIMENSIONS: dict[str, Dimension] = {dimension.key: dimension for dimension in _ALL}
"""The papers' dimensions."""
EDIT_DIMENSIONS = tuple(each.key for each in _ALL if each.sees == "edit")
AMBIGUITY_DIMENSIONS = tuple(each.key for each in _ALL if each.sees == "instruction")


@cache
def all_dimensions() -> dict[str, Dimension]:
    """The papers' dimensions and those that other packages register in `vdebench.dimensions`."""
    others: list[Dimension] = list(added("dimensions").values())
    for each in others:
        if each.key in DIMENSIONS:
            raise VdeError(f"two dimensions are called {each.key!r}: rename the one of the other package")
    return DIMENSIONS | {each.key: each for each in others}


def chosen_dimensions(
    names: Iterable[str], known: Mapping[str, Dimension], sees: Literal["edit", "instruction"]
) -> list[Dimension]:
    """Return dimensions by name, in the order of the papers.

    >>> [each.key for each in chosen_dimensions(["TA", "if"], DIMENSIONS, "edit")]
    ['IF', 'TA']
    """
    usable = {key.lower(): each for key, each in known.items() if each.sees == sees}
    requested = [name.strip().lower() for name in names if name.strip()]
    available = ", ".join(each.key for each in usable.values())
    for name in requested:
        if name not in usable:
            raise VdeError(f"unknown dimension {name!r}; available: {available}")
    if not requested:
        raise VdeError(f"no dimension given; available: {available}")
    return [each for name, each in usable.items() if name in requested]


def load_prompts(folder: Path | None = None) -> dict[str, Dimension]:
    """Return all dimensions; prompts in a folder replace the built-in ones of the same name."""
    known = all_dimensions()
    if folder is None:
        return dict(known)
    built_in = {file.name for each in known.values() for file in each.files}
    names = [name for name in list_folder(folder) if name.endswith(".md")]
    unknown = [name for name in names if name not in built_in]
    if unknown or not names:
        problem = f"unknown prompt {unknown[0]}" if unknown else "contains no prompt"
        raise VdeError(f"{folder}: {problem}, expected some of {', '.join(sorted(built_in))}")
    return {
        each.key: replace(each, files=tuple(folder / file.name if file.name in names else file for file in each.files))
        for each in known.values()
    }


def prompts_hash(dimensions: Iterable[Dimension]) -> str:
    """Return the hash of the prompt files of some dimensions."""
    files = sorted({file for each in dimensions for file in each.files}, key=lambda file: file.name)
    contents = "\0".join(f"{file.name}\0{_text(file)}" for file in files)
    return hashlib.sha256(contents.encode()).hexdigest()[:12]


@lru_cache(64)
def _text(file: Path) -> str:
    """Read a prompt, once per process: all questions of a run use the same text."""
    try:
        return read_bytes(file).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a prompt as text") from None

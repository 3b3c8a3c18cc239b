"""A dimension of judging: its prompt, its JSON schema and the parser of its answers, in one object."""

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
    """What a prompt speaks of."""

    @property
    def instruction(self) -> str:
        """What the editor was told."""

    @property
    def operation(self) -> str:
        """The kind of edit."""

    @property
    def knowledge(self) -> str:
        """What follows from the edit elsewhere on the page; often nothing."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is graded. `sees` says which images a judge is shown."""

    key: str
    title: str
    low: int
    high: int
    sees: Literal["edit", "instruction"] = "edit"
    needs_knowledge: bool = False
    files: tuple[Path, ...] = ()
    """Prompt without and with a reference; or the one prompt of an instruction's dimension."""

    def file(self, *, reference: bool) -> Path:
        """The prompt's file."""
        return self.files[-1] if reference else self.files[0]

    @property
    def prompts(self) -> tuple[str, ...]:
        """The text of every prompt, before values are put in."""
        return tuple(map(_text, self.files))

    def prompt(self, question: PromptFields, reference: bool) -> str:
        """What the judge is told; values are put in all at once: a placeholder inside one stays as it is."""
        values = {
            "instruction": question.instruction,
            "operation": question.operation,
            "knowledge": question.knowledge,
        }
        return _PLACE.sub(lambda place: values[place[1]], _text(self.file(reference=reference)))

    @property
    def schema(self) -> dict[str, Any]:
        """What an answer must be: the rationale first, so that the grade follows from it."""
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
        """Grade and rationale of an answer; an error where it is not exactly what was asked for.

        >>> DIMENSIONS["IF"].parse('Here it is: {"rationale": "done as asked", "grade": 5}')
        (5, 'done as asked')
        >>> DIMENSIONS["IF"].parse('{"rationale": "", "grade": 7}')
        Traceback (most recent call last):
        vdebench.errors.InputError: the grade is 7, expected a whole number from 0 to 5
        """
        found = list(_objects(text))
        if len(found) != 1:
            count = "no JSON object" if not found else f"{len(found)} JSON objects"
            raise InputError(f"the answer has {count}, expected one: {excerpt(text) or 'it is empty'}")
        (answer,) = found
        if set(answer) != {"rationale", "grade"}:
            keys = excerpt(", ".join(map(repr, answer)), 80) or "none"
            raise InputError(f"the answer's keys are {keys}, expected 'rationale' and 'grade'")
        grade, rationale = answer["grade"], answer["rationale"]
        if not isinstance(rationale, str):
            raise InputError(f"the rationale is {excerpt(repr(rationale), 60)}, expected text")
        if type(grade) is not int or not self.low <= grade <= self.high:
            told = excerpt(json.dumps(grade), 60)
            raise InputError(f"the grade is {told}, expected a whole number from {self.low} to {self.high}")
        return grade, rationale


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects that stand in a text, outermost ones only."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError) as error:
            if re.match(r"\{\s*\"", text[at:]):  # meant as JSON: what is inside a broken object is not its answer
                raise InputError(f"the answer's JSON is broken ({excerpt(str(error), 60)}): {excerpt(text)}") from None
            end = at + 1
        at = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
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
    """Dimensions by name, in the order of the papers, each once.

    >>> [each.key for each in chosen_dimensions(["TA", "if"], DIMENSIONS, "edit")]
    ['IF', 'TA']
    """
    usable = {key.lower(): each for key, each in known.items() if each.sees == sees}
    wanted = [name.strip().lower() for name in names if name.strip()]
    for name in wanted:
        if name not in usable:
            raise VdeError(f"no dimension is called {name!r}; there are: {', '.join(d.key for d in usable.values())}")
    if not wanted:
        raise VdeError(f"no dimension given; there are: {', '.join(each.key for each in usable.values())}")
    return [each for name, each in usable.items() if name in wanted]


def load_prompts(folder: Path | None = None) -> dict[str, Dimension]:
    """All dimensions, with the prompts of a folder in place of ours of the same name."""
    known = all_dimensions()
    if folder is None:
        return dict(known)
    ours = {file.name for each in known.values() for file in each.files}
    given = [name for name in list_folder(folder) if name.endswith(".md")]
    strange = [name for name in given if name not in ours]
    if strange or not given:
        found = f"{strange[0]} is the name of no prompt" if strange else "no prompt here"
        raise VdeError(f"{folder}: {found}, expected some of {', '.join(sorted(ours))}")
    return {
        each.key: replace(each, files=tuple(folder / file.name if file.name in given else file for file in each.files))
        for each in known.values()
    }


def prompts_hash(dimensions: Iterable[Dimension]) -> str:
    """Hash of all prompt files that some dimensions use."""
    files = sorted({file for each in dimensions for file in each.files}, key=lambda file: file.name)
    told = "\0".join(f"{file.name}\0{_text(file)}" for file in files)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


@lru_cache(64)
def _text(file: Path) -> str:
    """A prompt, read once: all questions of a run are asked with the same."""
    try:
        return read_bytes(file).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a prompt as text") from None

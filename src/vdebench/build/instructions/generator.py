"""Who writes instructions: a model behind a server, or our own rules on the page's reading (`template`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.instructions.check import REASONS, checked
from vdebench.build.instructions.draw import TEMPLATE
from vdebench.build.records import Drawn, Instruction, Page, Rejection
from vdebench.errors import VdeError
from vdebench.reading import Reading

ATTEMPTS = 3
"""Answers to one draw, until one passes."""


class GeneratorError(VdeError):
    """No answer could be had: the server is away, refuses the key or answers what is no answer."""


class Asked(NamedTuple):
    """What a generator is asked."""

    drawn: Drawn
    page: Page
    reading: Reading
    image: Path | None = None
    attempt: int = 1
    complaint: str = ""
    """What was wrong with the answer before."""


class Answer(NamedTuple):
    """What a generator says."""

    text: str
    model: str = ""
    """As the server names it."""
    reason: str = ""
    """Why there is no text and will be none."""


class Generator(ABC):
    """Writes instructions."""

    name: str

    @property
    @abstractmethod
    def label(self) -> str:
        """Name, and what else changes its answers: for caches and ledgers. Never a key."""

    @abstractmethod
    def answer(self, asked: Asked) -> Answer:
        """An answer; a `GeneratorError` where none could be had."""


def obtain(
    drawn: Drawn,
    page: Page,
    reading: Reading,
    generator: Generator,
    *,
    image: Path | None = None,
    attempts: int = ATTEMPTS,
) -> Iterator[Instruction | Rejection]:
    """One step per answer, as it comes; the last is the instruction, or a rejection that is final."""
    complaint = ""
    for attempt in range(1, attempts + 1):
        answer = generator.answer(Asked(drawn, page, reading, image, attempt, complaint))
        if answer.reason:
            yield Rejection("instruct", drawn.id, answer.reason, REASONS[answer.reason], True, drawn.generator, attempt)
            return
        step = checked(answer.text, drawn, page, reading, model=answer.model, attempt=attempt)
        if isinstance(step, Instruction):
            yield step
            return
        yield step._replace(final=attempt >= attempts)
        complaint = _complaint(step)


def _complaint(rejection: Rejection) -> str:
    """What a model is told about its last answer."""
    return f"{REASONS.get(rejection.reason, rejection.reason)} ({rejection.words})"


OPTIONS = ("url", "key_variable", "model", "temperature", "timeout", "longest_side")
"""Of a model; `template` has none."""


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a generator does not have."""
    if name == TEMPLATE and options:
        raise VdeError(f"the generator template has no options, got {', '.join(options)}")
    for option in options:
        if option not in OPTIONS:
            raise VdeError(f"the generator {name} has no option {option!r}; it has: {', '.join(OPTIONS)}")


def generator(name: str, options: Mapping[str, Any] | None = None) -> Generator:
    """`template`, or a model on a server with `OPTIONS`."""
    require_options(name, options or {})
    if name == TEMPLATE:
        from vdebench.build.instructions.template import TemplateGenerator

        return TemplateGenerator()
    from vdebench.build.instructions.model import ModelGenerator

    return ModelGenerator(name, **dict(options or {}))

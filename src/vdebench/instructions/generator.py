"""Who writes instructions: a model behind a server, or our own rules on the page's reading (`template`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vdebench.core.page_text import PageText
from vdebench.errors import VdeError
from vdebench.instructions.check import REASONS, checked
from vdebench.instructions.records import Instruction, InstructionDraw, Rejection, SourcePageRecord

ATTEMPTS = 3
"""Answers to one draw, until one passes."""


class GeneratorError(VdeError):
    """No answer could be had: the server is away, refuses the key or answers what is no answer."""


class GenerationRequest(NamedTuple):
    """What a generator is asked."""

    drawn: InstructionDraw
    page: SourcePageRecord
    reading: PageText
    image: Path | None = None
    attempt: int = 1
    complaint: str = ""
    """What was wrong with the answer before."""


class GeneratedAnswer(NamedTuple):
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
    def answer(self, asked: GenerationRequest) -> GeneratedAnswer:
        """An answer; a `GeneratorError` where none could be had."""


def obtain(
    drawn: InstructionDraw,
    page: SourcePageRecord,
    reading: PageText,
    generator: Generator,
    *,
    image: Path | None = None,
    attempts: int = ATTEMPTS,
) -> Iterator[Instruction | Rejection]:
    """One step per answer, as it comes; the last is the instruction, or a rejection that is final."""
    complaint = ""
    for attempt in range(1, attempts + 1):
        answer = generator.answer(GenerationRequest(drawn, page, reading, image, attempt, complaint))
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

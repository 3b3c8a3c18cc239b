"""The interface of instruction generators: models behind a server, or rules on the page's text (`template`)."""

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
"""Maximum number of answers per draw."""


class GeneratorError(VdeError):
    """No answer: the server is unreachable, rejects the key, or returns an invalid response."""


class GenerationRequest(NamedTuple):
    """Input of a generator."""

    drawn: InstructionDraw
    page: SourcePageRecord
    page_text: PageText
    image: Path | None = None
    attempt: int = 1
    complaint: str = ""
    """Why the previous answer was rejected."""


class GeneratedAnswer(NamedTuple):
    """Answer of a generator."""

    text: str
    model: str = ""
    """Name of the model as reported by the server."""
    reason: str = ""
    """Why no text can be generated."""


class Generator(ABC):
    """Writes instructions."""

    name: str

    @property
    @abstractmethod
    def label(self) -> str:
        """Name and all settings that change answers, for caches and the ledger; never contains a key."""

    @abstractmethod
    def answer(self, request: GenerationRequest) -> GeneratedAnswer:
        """Return an answer; raise `GeneratorError` if there is none."""


def obtain(
    drawn: InstructionDraw,
    page: SourcePageRecord,
    page_text: PageText,
    generator: Generator,
    *,
    image: Path | None = None,
    attempts: int = ATTEMPTS,
) -> Iterator[Instruction | Rejection]:
    """Yield one result per answer; the last is the instruction or a final rejection."""
    complaint = ""
    for attempt in range(1, attempts + 1):
        answer = generator.answer(GenerationRequest(drawn, page, page_text, image, attempt, complaint))
        if answer.reason:
            yield Rejection("instruct", drawn.id, answer.reason, REASONS[answer.reason], True, drawn.generator, attempt)
            return
        step = checked(answer.text, drawn, page, page_text, model=answer.model, attempt=attempt)
        if isinstance(step, Instruction):
            yield step
            return
        yield step._replace(final=attempt >= attempts)
        complaint = _complaint(step)


def _complaint(rejection: Rejection) -> str:
    """Return the feedback on a rejected answer for the model."""
    return f"{REASONS.get(rejection.reason, rejection.reason)} ({rejection.words})"

"""The interface of instruction generators: models behind a server (`model.py`) or rules (`template.py`)."""

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
"""Maximum number of answers requested for one draw (an operation to be written for a page)."""


class GeneratorError(VdeError):
    """The generator did not answer: its server is unreachable, rejects the key, or returns an invalid response."""


class GenerationRequest(NamedTuple):
    """Input of a generator: the drawn operation, the page, and the rejection of the previous answer."""

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
    """Why there is no text, a key of `check.REASONS`; then the draw is rejected without another attempt."""


class Generator(ABC):
    """Writes the instruction for a drawn operation on a page."""

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
    """Request answers until one passes the checks; yield a `Rejection` for each other answer, the instruction last.

    If no answer passes, the last result is a `Rejection` with `final` set.
    """
    complaint = ""
    for attempt in range(1, attempts + 1):
        answer = generator.answer(GenerationRequest(drawn, page, page_text, image, attempt, complaint))
        if answer.reason:
            yield Rejection("instruct", drawn.id, answer.reason, REASONS[answer.reason], True, drawn.generator, attempt)
            return
        result = checked(answer.text, drawn, page, page_text, model=answer.model, attempt=attempt)
        if isinstance(result, Instruction):
            yield result
            return
        yield result._replace(final=attempt >= attempts)
        complaint = _complaint(result)


def _complaint(rejection: Rejection) -> str:
    """Return the feedback on a rejected answer for the model."""
    return f"{REASONS.get(rejection.reason, rejection.reason)} ({rejection.words})"

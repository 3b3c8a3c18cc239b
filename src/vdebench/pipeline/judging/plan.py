"""The plan of a judged run: its questions, and an estimate of tokens and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.io.cache import Digest
from vdebench.judges.dimension import Dimension
from vdebench.judges.judge import Judge
from vdebench.judges.questions import JudgedSample, Question, questions_of
from vdebench.net.answer import Usage
from vdebench.net.image_payloads import limit_size
from vdebench.net.prices import Price
from vdebench.net.tokens import estimate, image_rule
from vdebench.pipeline.judging.folder import PlannedGrade

IsKnown = Callable[[PlannedGrade], bool]


@dataclass(frozen=True)
class Plan:
    """Judge, dimensions, repetitions and samples of a run."""

    judge: Judge
    dimensions: Sequence[Dimension]
    repeat: int
    limit: int
    """Longest side of images, 0 for full resolution."""
    subjects: Sequence[JudgedSample]
    price: Price | None = None

    @property
    def images(self) -> str:
        """The image size, for signatures."""
        return str(self.limit) if self.limit else "full"

    def grades(self) -> Iterator[PlannedGrade]:
        """Yield all questions in order, with the digest of each, or the reason why it cannot be asked."""
        judge = "\n".join(f"{key}={value}" for key, value in sorted(self.judge.identity.items()))
        for subject in self.subjects:
            for question in questions_of(subject, self.dimensions, self.repeat):
                if subject.absent:
                    yield PlannedGrade(question, state=subject.state, reason=subject.absent)
                else:
                    yield PlannedGrade(question, Digest(question.digest(judge, self.images)))

    def usage(self, question: Question) -> Usage:
        """Estimate the tokens of a question."""
        sizes = [limit_size(page.size, self.limit) for page in question.subject.pages]
        return estimate(self.judge.model, question.prompt, sizes)

    def cost(self, question: Question) -> float:
        """Estimate the cost of a question in dollars; 0 if no price is known."""
        return self.price.of(self.usage(question)) if self.price else 0.0


@dataclass(frozen=True)
class Estimate:
    """Estimated calls, tokens and cost of a run."""

    questions: int
    """Number of rows of the table."""
    calls: int
    """Questions to ask."""
    kept: int
    """Questions that are answered already."""
    absent: int
    """Questions without an output."""
    canary: int
    """Calls for the canary."""
    input_tokens: int
    output_tokens: int
    cost: float | None
    rule: str
    """Rule for the tokens of images."""

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as a JSON object."""
        return {**self.__dict__}


def estimate_plan(plan: Plan, is_known: IsKnown) -> Estimate:
    """Estimate calls, tokens and cost; `is_known` tells whether a question is answered already."""
    questions = calls = kept = absent = canary = 0
    total = Usage(0, 0)
    for grade in plan.grades():
        questions += 1
        if grade.state:
            absent += 1
        elif is_known(grade):
            kept += 1
        else:
            calls += 1
            canary += grade.question.subject.sample.group == "canary"
            total += plan.usage(grade.question)
    cost = plan.price.of(total) if plan.price else None
    rule, _ = image_rule(plan.judge.model)
    return Estimate(questions, calls, kept, absent, canary, total.input or 0, total.output or 0, cost, rule)

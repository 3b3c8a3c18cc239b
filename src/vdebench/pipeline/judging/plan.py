"""What a judged run will ask, before anything is asked: the questions, and an estimate of tokens and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.io.cache import Digest
from vdebench.judges.dimension import Dimension
from vdebench.judges.judge import Judge
from vdebench.judges.questions import JudgedSample, Question, questions_of
from vdebench.net.answer import Usage
from vdebench.net.image_payloads import limited
from vdebench.net.prices import Price
from vdebench.net.tokens import estimate, image_rule
from vdebench.pipeline.judging.folder import WantedGrade

Known = Callable[[WantedGrade], bool]


@dataclass(frozen=True)
class Plan:
    """Who is asked what, how often, with which images."""

    judge: Judge
    dimensions: Sequence[Dimension]
    repeat: int
    limit: int
    """Longest side of images, 0 for full resolution."""
    subjects: Sequence[JudgedSample]
    price: Price | None = None

    @property
    def images(self) -> str:
        """The policy of images, as signatures say it."""
        return str(self.limit) if self.limit else "full"

    def wanted(self) -> Iterator[WantedGrade]:
        """All questions, in order, with the digest of each, or why it cannot be asked."""
        asker = "\n".join(f"{key}={value}" for key, value in sorted(self.judge.identity.items()))
        for subject in self.subjects:
            for question in questions_of(subject, self.dimensions, self.repeat):
                if subject.absent:
                    yield WantedGrade(question, state=subject.state, reason=subject.absent)
                else:
                    yield WantedGrade(question, Digest(question.digest(asker, self.images)))

    def usage(self, question: Question) -> Usage:
        """Tokens of one question, estimated."""
        sizes = [limited(page.size, self.limit) for page in question.subject.pages]
        return estimate(self.judge.model, question.prompt, sizes)

    def cost(self, question: Question) -> float:
        """Dollars for one question, estimated; 0 where no price is known."""
        return self.price.of(self.usage(question)) if self.price else 0.0


@dataclass(frozen=True)
class Estimate:
    """What is to come."""

    questions: int
    """All rows of the table."""
    calls: int
    """Those that are still to be asked."""
    kept: int
    """Those that are answered already."""
    absent: int
    """Those that cannot be asked, because there is no output."""
    canary: int
    """Calls for the canary."""
    input_tokens: int
    output_tokens: int
    cost: float | None
    rule: str
    """How tokens of images were counted."""

    def to_json(self) -> dict[str, Any]:
        """As `--json` shows it."""
        return {**self.__dict__}


def estimated(plan: Plan, known: Known) -> Estimate:
    """Calls, tokens and cost of what is still to be asked; `known` says whether a question is answered."""
    questions = calls = kept = absent = canary = 0
    total = Usage(0, 0)
    for wanted in plan.wanted():
        questions += 1
        if wanted.state:
            absent += 1
        elif known(wanted):
            kept += 1
        else:
            calls += 1
            canary += wanted.question.subject.sample.group == "canary"
            total += plan.usage(wanted.question)
    cost = plan.price.of(total) if plan.price else None
    rule, _ = image_rule(plan.judge.model)
    return Estimate(questions, calls, kept, absent, canary, total.input or 0, total.output or 0, cost, rule)

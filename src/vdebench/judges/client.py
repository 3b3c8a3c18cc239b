"""A judge with retries, rate limit and price; invalid answers are repaired once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from vdebench.errors import InputError
from vdebench.judges.dimension import Dimension
from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.judges.outcome import JudgeOutcome
from vdebench.net.addresses import excerpt
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.pacing import RequestWindow
from vdebench.net.prices import Price
from vdebench.net.retries import RetryPolicy

RETRIES = RetryPolicy(tries=6, timeouts=3, rate_limits=8, pause=1.0)
"""Half a minute for a server that restarts; fewer attempts after timeouts, which take longer."""
_QUOTED = 2000
"""Characters of an invalid answer that are quoted in the repair request."""


class JudgeUnusableError(Exception):
    """Every other question would fail too; `outcome` has the reason."""

    def __init__(self, outcome: JudgeOutcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


@dataclass
class _Usage:
    """Requests and tokens of one question so far."""

    usage: Usage = field(default_factory=Usage)
    tries: int = 0
    unpriced: int = 0

    def add(self, answer: ModelAnswer) -> None:
        self.usage += answer.usage
        self.tries += 1
        self.unpriced += answer.lost or (answer.state == "answered" and answer.usage.input is None)


class JudgeClient:
    """A judge with its rate limit and price."""

    def __init__(self, judge: Judge, pace: RequestWindow, price: Price | None = None, *, pause: float = 1.0) -> None:
        self.judge = judge
        self.pace = pace
        self.price = price
        self.retries = replace(RETRIES, pause=pause)

    async def outcome(
        self, dimension: Dimension, request: JudgeRequest, may_repair: Callable[[], bool] = lambda: True
    ) -> JudgeOutcome:
        """Ask a question; raises only `JudgeUnusableError`, for failures that every question would have."""
        start = time.monotonic()
        spent = _Usage()
        answer = await self._ask_with_retries(request, spent)
        repaired = False
        problem = ""
        if answer.state == "answered":
            problem = _problem(dimension, answer)
            if problem and may_repair():
                repaired = True
                turns = (answer.text[:_QUOTED] or "(nothing)", _repair(dimension, problem))
                again = await self._ask_with_retries(replace(request, turns=turns), spent)
                answer = replace(again, model=again.model or answer.model)
        outcome = self._graded(dimension, answer, problem, repaired=repaired)
        cost = None if self.price is None else self.price.of(spent.usage)
        outcome = replace(
            outcome,
            model=answer.model,
            usage=spent.usage,
            cost=cost,
            seconds=round(time.monotonic() - start, 3),
            tries=spent.tries,
            unpriced=spent.unpriced,
            asked_for=answer.asked_for,
            repaired=repaired,
        )
        if answer.fatal:
            raise JudgeUnusableError(outcome)
        return outcome

    def _graded(self, dimension: Dimension, answer: ModelAnswer, first_problem: str, *, repaired: bool) -> JudgeOutcome:
        if answer.state != "answered":
            before = f" (asked again because {first_problem})" if first_problem else ""
            return JudgeOutcome(answer.state, reason=answer.reason + before)
        try:
            grade, rationale = dimension.parse(answer.text)
        except InputError as error:
            repair = "also when asked again" if repaired else "not asked again: the budget is spent"
            return JudgeOutcome("invalid", reason=f"{error} ({repair})")
        return JudgeOutcome("graded", grade, rationale)

    async def _ask_with_retries(self, request: JudgeRequest, spent: _Usage) -> ModelAnswer:
        """Send a request, with retries."""

        async def attempt() -> ModelAnswer:
            async with self.pace.turn() as sent:
                answer = await self._once(request)
                if answer.state == "rate_limited":
                    self.pace.rejected(answer.wait)
                elif answer.state == "timed_out":
                    self.pace.timed_out(sent)
                elif answer.state in ("answered", "refused"):
                    self.pace.answered(sent)
            spent.add(answer)
            return answer

        return await self.retries.call_async(attempt)

    async def _once(self, request: JudgeRequest) -> ModelAnswer:
        try:
            return await self.judge.ask(request)
        except Exception as error:  # an unexpected error fails its question, not the run
            reason = f"{type(error).__name__}: {excerpt(self.judge.secret.redact(str(error)))}"
        return ModelAnswer("failed", reason=reason)


def _problem(dimension: Dimension, answer: ModelAnswer) -> str:
    try:
        dimension.parse(answer.text)
    except InputError as error:
        return str(error)
    return ""


def _repair(dimension: Dimension, problem: str) -> str:
    return (
        f"Your answer cannot be used: {problem}\n"
        'Answer again with exactly one JSON object, {"rationale": "…", "grade": N}, and nothing around it; '
        f"N is a whole number from {dimension.low} to {dimension.high}."
    )

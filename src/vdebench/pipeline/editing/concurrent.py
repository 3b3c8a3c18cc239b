"""Editors that wait for others: asked from threads of one process, at their pace, as long as there is money."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue

from vdebench.net.budget import Budget
from vdebench.net.pacing import RateLimit
from vdebench.pipeline.editing.jobs import BatchResult, JobBatch, failed, run_task
from vdebench.pipeline.editing.stopping import Stop


def ask(
    units: Iterable[JobBatch],
    at_once: int,
    *,
    per_minute: float = 0,
    budget: Budget | None = None,
    charges: bool = False,
    stop: Stop,
) -> Iterator[BatchResult]:
    """Outcomes as they come. Nothing is begun that the budget may not pay: the dearest edit so far is the estimate.

    Of an editor that `charges`, what an edit costs must be known where there is a budget.
    """
    purse = budget or Budget(None)
    careful = charges and purse.limit < math.inf
    rate, waiting = RateLimit(per_minute), iter(stop.until(units))
    dearest: float | None = None
    asked: SimpleQueue[tuple[JobBatch, float] | None] = SimpleQueue()
    answered: SimpleQueue[tuple[BatchResult | None, float]] = SimpleQueue()
    under_way = 0
    for _ in range(at_once):  # nobody waits for them after a second Ctrl-C
        threading.Thread(target=_asker, args=(asked, answered, rate, stop), daemon=True).start()
    try:
        while True:
            # What an edit costs is known after the first: with a ceiling, that one is asked for alone.
            room = 1 if careful and dearest is None else at_once
            while under_way < room and not stop.asked:
                estimate = dearest or 0.0
                costs = careful or estimate > 0
                if costs and (purse.spent >= purse.limit or not purse.take(estimate)):
                    if not under_way:  # else they may turn out cheaper
                        stop.now(_no_money(purse))
                    break
                if (unit := next(waiting, None)) is None:
                    purse.settle(estimate, 0.0)
                    break
                asked.put((unit, estimate))
                under_way += 1
            if not under_way:
                return
            outcome, estimate = answered.get()
            under_way -= 1
            if outcome is None:
                purse.settle(estimate, 0.0)
                continue
            known = [made.parameters.get("dollars") for made in outcome.made]
            dollars, edited = sum(filter(None, known)), any(made.state == "edited" for made in outcome.made)
            if careful and edited and None in known:
                stop.now(_NO_PRICE)
            unanswered = sum(made.parameters.get("unanswered") or 0 for made in outcome.made)
            purse.settle(estimate, dollars, unknown=unanswered or (0 if edited or any(known) else 1))
            dearest = max(dearest or 0.0, dollars) if edited or dollars else dearest
            yield outcome
    finally:
        for _ in range(at_once):
            asked.put(None)


def _asker(
    asked: SimpleQueue[tuple[JobBatch, float] | None],
    answered: SimpleQueue[tuple[BatchResult | None, float]],
    rate: RateLimit,
    stop: Stop,
) -> None:
    """The life of a thread that asks."""
    while (task := asked.get()) is not None:
        unit, estimate = task
        try:
            outcome = run_task(unit) if not stop.wait(rate.delay()) else None
        except BaseException as error:  # such as a library's SystemExit: it must not end as a sample without a word
            outcome = failed(unit, f"{type(error).__name__}: {error}")
        answered.put((outcome, estimate))


_NO_PRICE = (
    "a budget is given, and neither the server nor our list says what an edit costs"
    "\n  name the price: --editor-option EDITOR.price=0.04 (dollars an image), or 10,40 (per million tokens in and out)"
)


def _no_money(purse: Budget) -> str:
    return (
        f"the budget of ${purse.limit:,.2f} does not allow one more edit: ${purse.spent:,.2f} are spent"
        "\n  what was made is kept; run the same command again with a larger --budget"
    )

"""Concurrent requests to editors behind servers: threads of one process, with rate limit and budget."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue

from vdebench.net.budget import Budget
from vdebench.net.pacing import RateLimit
from vdebench.pipeline.editing.jobs import BatchResult, JobBatch, failed, run_batch
from vdebench.pipeline.editing.stopping import Stop


def run_in_threads(
    batches: Iterable[JobBatch],
    concurrency: int,
    *,
    per_minute: float = 0,
    budget: Budget | None = None,
    charges: bool = False,
    stop: Stop,
) -> Iterator[BatchResult]:
    """Yield results as they arrive. The most expensive edit so far is the estimate for the budget.

    With a budget, the cost of each edit of an editor that `charges` must be known.
    """
    budget = budget or Budget(None)
    check_budget = charges and budget.limit < math.inf
    rate, pending = RateLimit(per_minute), iter(stop.until(batches))
    highest: float | None = None
    requests: SimpleQueue[tuple[JobBatch, float] | None] = SimpleQueue()
    results: SimpleQueue[tuple[BatchResult | None, float]] = SimpleQueue()
    running = 0
    for _ in range(concurrency):  # daemons: not joined after a second Ctrl-C
        threading.Thread(target=_worker, args=(requests, results, rate, stop), daemon=True).start()
    try:
        while True:
            # The first edit shows the cost: with a budget, it runs alone.
            limit = 1 if check_budget and highest is None else concurrency
            while running < limit and not stop.requested:
                estimate = highest or 0.0
                costs = check_budget or estimate > 0
                if costs and (budget.spent >= budget.limit or not budget.take(estimate)):
                    if not running:  # otherwise the running edits may be cheaper than estimated
                        stop.now(_no_money(budget))
                    break
                if (batch := next(pending, None)) is None:
                    budget.settle(estimate, 0.0)
                    break
                requests.put((batch, estimate))
                running += 1
            if not running:
                return
            result, estimate = results.get()
            running -= 1
            if result is None:
                budget.settle(estimate, 0.0)
                continue
            costs_known = [record.parameters.get("dollars") for record in result.records]
            dollars, edited = sum(filter(None, costs_known)), any(each.state == "edited" for each in result.records)
            if check_budget and edited and None in costs_known:
                stop.now(_NO_PRICE)
            unanswered = sum(record.parameters.get("unanswered") or 0 for record in result.records)
            budget.settle(estimate, dollars, unknown=unanswered or (0 if edited or any(costs_known) else 1))
            highest = max(highest or 0.0, dollars) if edited or dollars else highest
            yield result
    finally:
        for _ in range(concurrency):
            requests.put(None)


def _worker(
    requests: SimpleQueue[tuple[JobBatch, float] | None],
    results: SimpleQueue[tuple[BatchResult | None, float]],
    rate: RateLimit,
    stop: Stop,
) -> None:
    """Run batches from a queue until it yields None."""
    while (request := requests.get()) is not None:
        batch, estimate = request
        try:
            result = run_batch(batch) if not stop.wait(rate.delay()) else None
        except BaseException as error:  # such as SystemExit of a library
            result = failed(batch, f"{type(error).__name__}: {error}")
        results.put((result, estimate))


_NO_PRICE = (
    "a budget is set, but the cost of an edit is unknown: neither the server nor the price list states it"
    "\n  set the price: --editor-option EDITOR.price=0.04 (dollars an image), or 10,40 (per million tokens in and out)"
)


def _no_money(budget: Budget) -> str:
    return (
        f"the budget of ${budget.limit:,.2f} does not allow one more edit: ${budget.spent:,.2f} are spent"
        "\n  finished edits are kept; run the same command again with a larger --budget"
    )

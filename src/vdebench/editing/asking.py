"""Editors that wait for others: asked from threads of one process, at their pace, as long as there is money."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from vdebench.editing.jobs import Outcome, Unit, carry_out
from vdebench.editing.stopping import Stop
from vdebench.judges.budget import Budget


class Rate:
    """So many beginnings in a minute, evenly spread; 0 for any."""

    def __init__(self, per_minute: float) -> None:
        self._gap = 60 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def turn(self, stop: Stop) -> bool:
        """Wait for one's turn; False where it is time to stop instead."""
        if not self._gap:
            return not stop.asked
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._gap
        return not stop.wait(max(0.0, at - now))


def ask(
    units: Iterable[Unit], at_once: int, *, per_minute: float = 0, budget: Budget | None = None, stop: Stop
) -> Iterator[Outcome]:
    """Outcomes as they come. Nothing is begun that the budget may not pay: the dearest edit so far is the estimate."""
    purse = budget or Budget(None)
    rate, waiting = Rate(per_minute), iter(stop.until(units))
    dearest: float | None = None
    with ThreadPoolExecutor(at_once) as pool:
        under_way: dict[Future[Outcome | None], float] = {}
        while True:
            # What an edit costs is known after the first: with a ceiling, that one is asked for alone.
            room = 1 if dearest is None and purse.limit < math.inf else at_once
            while len(under_way) < room and not stop.asked:
                if purse.spent >= purse.limit or not purse.take(dearest or 0.0):
                    if not under_way:  # else they may turn out cheaper
                        stop.now(_no_money(purse))
                    break
                if (unit := next(waiting, None)) is None:
                    purse.settle(dearest or 0.0, 0.0)
                    break
                under_way[pool.submit(_in_turn, unit, rate, stop)] = dearest or 0.0
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                outcome, estimate = future.result(), under_way.pop(future)
                if outcome is None:
                    purse.settle(estimate, 0.0)
                    continue
                known = [made.parameters.get("dollars") for made in outcome.made]
                dollars, edited = sum(filter(None, known)), any(made.state == "edited" for made in outcome.made)
                if edited and None in known and purse.limit < math.inf:
                    stop.now(_NO_PRICE)
                purse.settle(estimate, dollars, unknown=0 if edited or any(known) else 1)
                dearest = max(dearest or 0.0, dollars) if edited else dearest
                yield outcome


_NO_PRICE = (
    "a budget is given, and neither the server nor our list says what an edit costs"
    "\n  name the price: --editor-option EDITOR.price=0.04 (dollars an image), or 10,40 (per million tokens in and out)"
)


def _in_turn(unit: Unit, rate: Rate, stop: Stop) -> Outcome | None:
    return carry_out(unit) if rate.turn(stop) else None


def _no_money(purse: Budget) -> str:
    return (
        f"the budget of ${purse.limit:,.2f} does not allow one more edit: ${purse.spent:,.2f} are spent"
        "\n  what was made is kept; run the same command again with a larger --budget"
    )

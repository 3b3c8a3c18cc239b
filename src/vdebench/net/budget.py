"""Money: what was spent, what is under way, and whether one more question can be afforded."""

from __future__ import annotations

import math

from vdebench.errors import VdeError


class Budget:
    """A limit in dollars for all that a run costs, over all the times it is gone on with.

    A question is asked only if it and all under way can be paid. Estimates are corrected by the dearest answer so far.

    >>> budget = Budget(1.0, spent=0.5)
    >>> budget.take(0.3), budget.take(0.3)
    (True, False)
    >>> budget.settle(0.3, 0.1)
    >>> budget.take(0.3), round(budget.spent, 2)
    (True, 0.6)
    """

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self.limit = math.inf if limit is None else limit
        self.spent = spent
        self._under_way = 0.0
        self._unknown = 0.0
        self._factor = 1.0

    def take(self, estimate: float) -> bool:
        """Set the price of a question aside; False where there is not enough left."""
        if self.spent + self._unknown + (self._under_way + estimate) * self._factor > self.limit:
            return False
        self._under_way += estimate
        return True

    def affords(self, estimate: float) -> bool:
        """Whether one more could be paid."""
        return self.spent + self._unknown + (self._under_way + estimate) * self._factor <= self.limit

    def settle(self, estimate: float, cost: float, unknown: int = 0, requests: int = 1) -> None:
        """Put the real price in place of what was set aside; requests of unknown cost count as estimated."""
        self._under_way -= estimate
        self.spent += cost
        self._unknown += unknown * estimate
        if estimate > 0:
            self._factor = max(self._factor, cost / estimate / max(1, requests))


def parse_budget(given: float | None) -> float | None:
    """A budget, or an error that says what one is."""
    if given is not None and not 0 <= given < math.inf:
        raise VdeError(f"--budget is {given}, expected dollars, as in 5.00")
    return given

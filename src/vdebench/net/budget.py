"""Budgets: money spent, money reserved for requests in progress, and whether one more request fits."""

from __future__ import annotations

import math

from vdebench.errors import VdeError


class Budget:
    """A limit in dollars for a run, over all its sessions.

    A request is sent only if its estimate and those of all requests in progress fit into the budget. Estimates are
    scaled by the highest ratio of actual to estimated cost so far.

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
        self._reserved = 0.0
        self._unknown = 0.0
        self._correction = 1.0

    def take(self, estimate: float) -> bool:
        """Reserve the estimated cost of a request; return False if it does not fit into the budget."""
        if not self.affords(estimate):
            return False
        self._reserved += estimate
        return True

    def affords(self, estimate: float) -> bool:
        """Whether the estimated cost of one more request fits into the budget."""
        return self.spent + self._unknown + (self._reserved + estimate) * self._correction <= self.limit

    def settle(self, estimate: float, cost: float, unknown: int = 0, requests: int = 1) -> None:
        """Replace a reservation by the actual cost; requests of unknown cost count as estimated."""
        self._reserved -= estimate
        self.spent += cost
        self._unknown += unknown * estimate
        if estimate > 0:
            self._correction = max(self._correction, cost / estimate / max(1, requests))


def parse_budget(value: float | None) -> float | None:
    """Check the option --budget."""
    if value is not None and not 0 <= value < math.inf:
        raise VdeError(f"--budget is {value}, expected dollars, as in 5.00")
    return value

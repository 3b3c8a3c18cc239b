"""People who vote through a store, as `people.Review` has them vote in memory."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.review.people import GROUPS, MEMBERS, NINE
from vdebench.review.commands import Join
from vdebench.review.refusals import Refusal
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen


class Voting:
    """Fifteen people and an adjudicator in a review that is open."""

    def __init__(self, store, admin="root"):
        self.store = store
        for name, role, group in MEMBERS:
            if store.study().member(name) is None:
                self.must(Join(name, role, group), admin)

    def must(self, command, who):
        answer = self.store.submit(command, who=who, now=datetime.now(UTC))
        assert not isinstance(answer, Refusal), answer

    def round(self, sample):
        return self.store.view("judge", sample).round

    def score(self, sample, totals=(NINE, NINE, NINE)):
        for group, ratings in zip(GROUPS, totals, strict=True):
            self.must(Rate(sample, self.round(sample), group, ratings), f"{group}a")

    def draw(self, sample, boxes, others=()):
        """All groups the same, or the last ones something else."""
        round = self.round(sample)
        drawn = [boxes] * (3 - len(others)) + list(others)
        for group, each in zip(GROUPS, drawn, strict=True):
            self.must(Draw(sample, round, group, tuple(each)), f"{group}b")

    def screen(self, sample, says=(True, True, True)):
        for group, yes in zip(GROUPS, says, strict=True):
            self.must(Screen(sample, self.round(sample), group, yes), f"{group}c")

    def check(self, sample, verdict="correct", texts=()):
        self.must(Check(sample, self.round(sample), verdict, tuple(texts)), "2d")

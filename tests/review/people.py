"""Fifteen people in three groups, an adjudicator and an admin, for tests of the review."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from vdebench.core.box import Box
from vdebench.review.commands import Add, Join, Open, PoolSample
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.rules import decide
from vdebench.review.state import EMPTY, apply
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
GROUPS = ("1", "2", "3")
NINE = Ratings(3, 3, 3)
BOX = Box(10, 10, 310, 50)
"""300×40."""
MEMBERS = [(f"{group}{letter}", "annotator", group) for group in GROUPS for letter in "abcde"] + [
    ("judge", "adjudicator", "")
]


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def samples(count: int, width: int = 400, height: int = 300) -> Add:
    return Add(tuple(PoolSample(f"s{number}", f"edit{number}", width, height) for number in range(count)))


class Review:
    """A review in memory: the engine with a clock that goes on by a second for each command."""

    def __init__(self, count: int = 3, options: Options = Options(), pool: Add | None = None) -> None:  # noqa: B008
        self.state, self.log, self.seconds = EMPTY, [], 0
        self.must(Open(options), "root")
        for name, role, group in MEMBERS:
            self.must(Join(name, role, group), "root")
        self.must(pool or samples(count), "root")

    def do(self, command, who, lease=None):
        """Events or a refusal."""
        self.seconds += 1
        decided = decide(self.state, command, who=who, now=at(self.seconds), lease=lease)
        if not isinstance(decided, Refusal):
            for event in decided:
                self.state = apply(self.state, event)
                self.log.append(event)
        return decided

    def must(self, command, who):
        decided = self.do(command, who)
        assert not isinstance(decided, Refusal), decided
        return decided

    def refused(self, command, who, lease=None):
        before = self.state
        decided = self.do(command, who, lease)
        assert isinstance(decided, Refusal), decided
        assert self.state is before
        return decided.reason.value

    def item(self, sample="s0"):
        return self.state.items[sample]

    def score(self, sample="s0", totals=(NINE, NINE, NINE)):
        for group, ratings in zip(GROUPS, totals, strict=True):
            self.must(Rate(sample, self.item(sample).round, group, ratings), f"{group}a")

    def draw(self, sample="s0", drawn=((BOX,), (BOX,), (BOX,))):
        for group, boxes in zip(GROUPS, drawn, strict=True):
            self.must(Draw(sample, self.item(sample).round, group, tuple(boxes)), f"{group}b")

    def screen(self, sample="s0", says=(True, True, True)):
        for group, yes in zip(GROUPS, says, strict=True):
            self.must(Screen(sample, self.item(sample).round, group, yes), f"{group}c")

    def check(self, sample="s0", verdict="correct", texts=()):
        self.must(Check(sample, self.item(sample).round, verdict, tuple(texts)), "2d")

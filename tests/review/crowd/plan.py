"""What everybody will think of every sample, by a seed; and what must come of it, worked out without the engine.

What a group thinks does not hang on who of it votes, nor when: so the outcome of a whole review is known beforehand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from random import Random
from typing import Any

GROUPS = ("1", "2", "3")
PEOPLE = {f"{group}{letter}": group for group in GROUPS for letter in "abcde"}
"""Fifteen annotators, by their group."""
JUDGE, ADMIN = "judge", "root"
ROUNDS = 3
WIDTH, HEIGHT = 1240, 1754
VOTES = {
    "rate_pilot": "pilot_rated",
    "rate": "rated",
    "draw": "drawn",
    "screen": "screened",
    "check": "checked",
    "adjudicate": "adjudicated",
}
"""What a vote is called when it is sent, and when it is in the events."""
STEPS = dict(zip(VOTES, ("pilot", "score", "boxes", "screen", "ocr", "conflict"), strict=True))
Vote = dict[str, Any]


@dataclass(frozen=True)
class Fate:
    """What must become of a sample."""

    step: str
    reason: str = ""
    round: int = 1
    boxes: list[list[int]] = field(default_factory=list)
    votes: dict[tuple[str, int, str], Vote] = field(default_factory=dict)
    """By step, round and voter: what must be in the events, and nothing beside it."""


@dataclass(frozen=True)
class Plan:
    """A review that is still to be held."""

    count: int
    seed: int = 0
    piloted: int = 0
    """So many samples are scored by everybody first."""

    @cached_property
    def samples(self) -> list[str]:
        """Ids; some are hard to put into an address."""
        odd = {0: "a/b c", 1: "100%é?", 2: "q&=#+", 3: "../x"}
        return [f"page_{number:05}-{odd.get(number % 40, 'k')}" for number in range(self.count)]

    @cached_property
    def pilot(self) -> list[str]:
        """The first few."""
        return self.samples[: self.piloted]

    @cached_property
    def withdrawn(self) -> list[str]:
        """What an admin takes out before anybody has voted."""
        return [sample for sample in self.samples if self._dice(sample, "withdrawn").random() < 0.01]

    def _dice(self, *about: object) -> Random:
        return Random("|".join(map(str, (self.seed, *about))))

    def vote(self, sample: str, step: str, round: int, who: str) -> Vote:
        """What somebody says when they are asked."""
        about: Vote = {"sample": sample, "round": round}
        group = PEOPLE.get(who, "")
        if step == "pilot":
            dice = self._dice(sample, who, "pilot")
            return {"kind": "rate_pilot", **about, "ratings": _ratings([dice.randint(1, 3) for _ in range(3)])}
        if step == "score":
            low = self._dice(sample, group, step).random() < 0.08
            return {"kind": "rate", **about, "group": group, "ratings": _ratings([3, 3, 2] if low else [3, 3, 3])}
        if step == "boxes":
            return {"kind": "draw", **about, "group": group, "boxes": self._boxes(sample, round, group)}
        if step == "screen":
            yes = self._dice(sample, group, step).random() > 0.02
            return {"kind": "screen", **about, "group": group, "yes": yes, "note": "" if yes else f"no, says {group}"}
        if step == "ocr":
            return self._check(sample, about)
        assert step == "conflict", step
        return self._ruling(sample, about)

    def _boxes(self, sample: str, round: int, group: str) -> list[list[int]]:
        """Boxes of 300×40 that differ by pixels: exact, one group off by one (enough), all off (not enough), one gone."""
        dice, own = self._dice(sample, round, "boxes"), int(group) - 1
        places = [(100, 200), (500, 900)][: dice.choice([1, 1, 1, 2])]
        how = dice.choices(["same", "one off", "all off", "forgotten"], [45, 25, 24, 6])[0]
        off = {"one off": int(own == dice.randrange(3)), "all off": 2 * own}.get(how, 0)
        drawn = [[x + off, y + off, x + 300 + off, y + 40 + off] for x, y in places]
        if how == "forgotten" and own == 0:
            drawn.append([700, 1200, 800, 1230])
        return drawn[::-1] if own == 1 else drawn  # the order of drawing must not matter

    def _check(self, sample: str, about: Vote) -> Vote:
        verdict = self._dice(sample, "ocr").choices(["correct", "corrected", "wrong"], [85, 10, 5])[0]
        number = len(self.ground_truth(sample)[1]) if verdict == "corrected" else 0
        return {"kind": "check", **about, "verdict": verdict, "texts": ["Σ 1,024"] * number, "note": ""}

    def _ruling(self, sample: str, about: Vote) -> Vote:
        verdict = self._dice(sample, about["round"], "conflict").choice(["boxes", "again", "reject"])
        boxes = [[100, 200, 400, 240]] if verdict == "boxes" else []
        return {"kind": "adjudicate", **about, "verdict": verdict, "boxes": boxes, "note": "so be it"}

    def ground_truth(self, sample: str) -> tuple[int, list[list[int]], bool, dict[tuple[str, int, str], Vote]]:
        """Rounds that the boxes take, the boxes in the end, whether an adjudicator turned them down, and all votes."""
        votes, round, limit = {}, 1, ROUNDS
        while True:
            said = {f"group:{group}": self.vote(sample, "boxes", round, f"{group}a") for group in GROUPS}
            votes |= {("boxes", round, voter): vote for voter, vote in said.items()}
            if agreed := _agreed([vote["boxes"] for vote in said.values()]):
                return round, agreed, False, votes
            if round == limit:
                ruling = votes["conflict", round, "adjudicator"] = self.vote(sample, "conflict", round, JUDGE)
                if ruling["verdict"] != "again":
                    return round, ruling["boxes"], ruling["verdict"] == "reject", votes
                limit += ROUNDS
            round += 1

    def fate(self, sample: str) -> Fate:
        """The protocol as the paper tells it, once more in a few lines: an oracle for what the server comes to."""
        votes = {}
        if sample in self.pilot:
            votes = {("pilot", 1, f"member:{who}"): self.vote(sample, "pilot", 1, who) for who in PEOPLE}
        if sample in self.withdrawn:
            return Fate("withdrawn", votes=votes)

        def everybody(step: str, round: int) -> list[Vote]:
            said = {f"group:{group}": self.vote(sample, step, round, f"{group}a") for group in GROUPS}
            votes.update({(step, round, voter): vote for voter, vote in said.items()})
            return list(said.values())

        if any(sum(vote["ratings"].values()) < 9 for vote in everybody("score", 1)):
            return Fate("rejected", "low_score", votes=votes)
        round, boxes, rejected_count, drawn = self.ground_truth(sample)
        votes |= drawn
        if rejected_count:
            return Fate("rejected", "adjudicated", round, [], votes)
        if not all(vote["yes"] for vote in everybody("screen", round)):
            return Fate("rejected", "screened_out", round, boxes, votes)
        votes["ocr", round, "person"] = read = self.vote(sample, "ocr", round, "1a")
        misread = read["verdict"] == "wrong"
        return Fate("rejected" if misread else "passed", "misread" if misread else "", round, boxes, votes)

    @cached_property
    def fates(self) -> dict[str, Fate]:
        """Of all samples."""
        return {sample: self.fate(sample) for sample in self.samples}

    def funnel(self) -> tuple[Counter[str], Counter[str]]:
        """How many must end in which way, and rejected for which reason."""
        fates = self.fates.values()
        return Counter(fate.step for fate in fates), Counter(fate.reason for fate in fates if fate.reason)

    @cached_property
    def votes(self) -> int:
        """How many must be given in all."""
        return sum(len(fate.votes) for fate in self.fates.values())


def _ratings(scores: list[int]) -> dict[str, int]:
    return dict(zip(("compliance", "authenticity", "satisfaction"), scores, strict=True))


def _agreed(drawn: list[list[list[int]]]) -> list[list[int]]:
    """The largest box of each region where the worst region's mean IoU is above 0.95; else nothing. By trying all."""
    first, *others = drawn
    if any(len(boxes) != len(first) for boxes in others):
        return []
    ways = [
        list(zip(first, *order, strict=True)) for order in product(*(list(permutations(boxes)) for boxes in others))
    ]
    agreement, regions = max((min(map(_mean_iou, regions)), regions) for regions in ways)
    if not agreement > Fraction(95, 100):
        return []
    return sorted((max(region, key=lambda box: (_area(box), box)) for region in regions), key=lambda box: box[1::-1])


def _mean_iou(region: tuple[list[int], ...]) -> Fraction:
    return sum(_iou(one, other) for one, other in combinations(region, 2)) / Fraction(3)


def _iou(one: list[int], other: list[int]) -> Fraction:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(wide, 0) * max(high, 0)
    return Fraction(shared, _area(one) + _area(other) - shared)


def _area(box: list[int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])

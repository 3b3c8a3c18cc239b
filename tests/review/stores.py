"""Stores with people and samples in them, and a walk through the protocol that any of them can be taken on."""

from __future__ import annotations

from random import Random

from tests.review.people import BOX, MEMBERS, NINE, at, samples
from vdebench.core.box import Box
from vdebench.review.commands import Join, Open
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen
from vdebench.review.store import Store


def filled(place, count: int = 3, options: Options = Options()) -> Store:  # noqa: B008
    store = Store(place)
    must(store, Open(options), "root")
    for name, role, group in MEMBERS:
        must(store, Join(name, role, group), "root")
    must(store, samples(count), "root")
    return store


def must(store, command, who, seconds=0.0, key=""):
    answer = store.submit(command, who=who, now=at(seconds), key=key)
    assert not isinstance(answer, Refusal), answer
    return answer


def vote(item, group: str, random: Random):
    """What somebody of a group might say to a sample."""
    about = (item.sample, item.round)
    if item.step == "score":
        return Rate(*about, group, random.choice([NINE] * 12 + [Ratings(3, 3, 1)]))
    if item.step == "boxes":
        return Draw(*about, group, (Box(*BOX[:3], BOX.y2 + random.choice([0, 0, 0, 1, 20])),))
    if item.step == "screen":
        return Screen(*about, group, random.random() < 0.95)
    if item.step == "ocr":
        return Check(*about, random.choice(["correct", "correct", "wrong"]))
    return Adjudicate(*about, "boxes", (BOX,))


def walk(store, steps: int, seed: int = 0) -> int:
    """People take what they are given and vote at random; how many votes were given."""
    random, given = Random(seed), 0
    for number in range(steps):
        who, _, group = random.choice(MEMBERS)
        item = store.take(who, at(number))
        if item is not None:
            must(store, vote(item, group, random), who, number, key=f"{number}")
            given += 1
    return given

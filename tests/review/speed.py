"""How long a vote takes at the paper's size: `python -m tests.review.speed [PLACE] [VOTES]`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

from tests.review.people import MEMBERS, NINE, at
from tests.review.stores import filled, must, vote
from vdebench.review.rules import decide
from vdebench.review.state import replay
from vdebench.review.steps.score import Rate

ITEMS = 6499


def main(place: str = "", votes: int = 6000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with filled(place or Path(folder) / "review.sqlite", ITEMS) as store:
            print(f"{ITEMS} samples added in {time.perf_counter() - began:.1f} s")
            random, taken, voted = Random(0), [], []
            for number in range(votes):
                who, _, group = random.choice(MEMBERS[:-1])
                before = time.perf_counter()
                item = store.take(who, at(number))
                after = time.perf_counter()
                taken.append(after - before)
                if item is not None:
                    must(store, vote(item, group, random), who, number, key=f"{number}")
                    voted.append(time.perf_counter() - after)
            for name, found in (("take", taken), ("vote", voted)):
                low, high, last = np.quantile(found, [0.5, 0.95, 1]) * 1000
                print(
                    f"{name}: {len(found) / sum(found):.0f} a second; ms: median {low:.1f}, p95 {high:.1f}, longest {last:.0f}"
                )
            before = time.perf_counter()
            log = list(store.events())
            read = time.perf_counter() - before
            before = time.perf_counter()
            state = replay(log)
            print(f"{len(log)} events: read in {read:.1f} s, replayed in {time.perf_counter() - before:.2f} s")
            before = time.perf_counter()
            assert store.funnel().adds_up
            print(f"funnel in {1000 * (time.perf_counter() - before):.1f} ms; check: {store.check() or 'all is well'}")
            open_items = [item for item in state.items.values() if item.step == "score"][:2000]
            before = time.perf_counter()
            for item in open_items:
                decide(state, Rate(item.id, 1, "1", NINE), who="1a", now=at(votes))
            print(f"decide: {len(open_items) / (time.perf_counter() - before):.0f} a second, in memory")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))

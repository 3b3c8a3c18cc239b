"""SIGKILL at any moment: every vote that was acknowledged is there afterwards, once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")

from tests.review.stores import filled
from vdebench.review.store import Store

CHILD = """
import sys
from tests.review.people import NINE, at
from vdebench.review.steps.score import Rate
from vdebench.review.refusals import Refusal
from vdebench.review.store import Store

store, first = Store(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
for number in range(first, 100_000):
    answer = store.submit(Rate(f"s{number % 400}", 1, str(number // 400 + 1), NINE), who=f"{number // 400 + 1}a", now=at(number), key=str(number))
    assert not isinstance(answer, Refusal), answer
    print(number, flush=True)
"""


@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=pytest.mark.slow)])
def test_no_acknowledged_vote_is_lost(tmp_path, kills):
    place = tmp_path / "r.sqlite"
    filled(place, 400).close()
    acknowledged: set[int] = set()
    for kill in range(kills):
        first = max(acknowledged, default=-1) + 1  # asks again for the one whose answer was lost
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(place), str(first)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        ) as child:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.05 + 0.037 * kill % 0.2)
            child.send_signal(signal.SIGKILL)
            told = child.stdout.read()
        acknowledged |= {int(line) for line in told.split("\n")[:-1]}
    assert len(acknowledged) > kills
    with Store(place) as store:
        votes = [vote for item in store.state().items.values() for vote in item.votes("score", 1)]
        kept = {int(vote.what.sample[1:]) + 400 * (int(vote.what.group) - 1) for vote in votes}
        assert acknowledged <= kept
        assert len(votes) == len(kept) <= len(acknowledged) + kills  # at most one unanswered for each kill
        assert store.check() == []

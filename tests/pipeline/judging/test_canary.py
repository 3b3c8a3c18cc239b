"""The canary in a run, and judging of instructions."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest

from tests.judges.server import (
    always,
    at_random,
    judging,
    knowing,
    of_the_reference,
)
from tests.judges.suites import asker, judged, states, write_suite
from vdebench.core.png import encode_png
from vdebench.judges.canary import canary_cases
from vdebench.pipeline.judging.stage import AMBIGUITY_DIMENSIONS, JudgingOptions, judge_ambiguity, judge_suite

pytest.importorskip("httpx2")


# The canary.


def _right():
    """What a careful judge says of each of the canary's outputs."""
    return {
        (hashlib.sha256(encode_png(case.output)).hexdigest(), dimension): value
        for case in canary_cases()
        for dimension, value in case.right.items()
    }


@pytest.mark.parametrize(
    ("behaviour", "trusted"),
    [
        (lambda: knowing(_right()), True),
        (lambda: always(5), False),
        (lambda: at_random(1), False),
        (lambda: at_random(2), False),
        (of_the_reference, False),
    ],
)
def test_the_canary_tells_a_good_judge_from_others(tmp_path, behaviour, trusted):
    with judging(behaviour()) as server:
        result = judged(tmp_path, server, count=1, dimensions=["IF", "TA", "VC", "LP", "SE"], canary=True)
    quality = result.summary["canary"]
    assert quality["trusted"] is trusted
    assert result.summary["coverage"]["questions"] == 4  # of the suite alone: IF, TA, VC, LP of one sample
    canary = result.rows.filter(pl.col("group") == "canary")
    assert canary["sample"].n_unique() == len(canary_cases())


def test_the_canary_is_shown_as_the_suites_samples_are(tmp_path):
    suite, editor = write_suite(tmp_path, 1, reference=False)
    with judging(always(5)) as server:
        judge_suite(suite, editor, asker(server), tmp_path / "run", JudgingOptions(["IF"]))
    assert {len(ask.images) for ask in server.asks} == {2}


# Ambiguity.


def test_instructions_are_graded_by_the_page_before_the_edit(tmp_path):
    suite, _ = write_suite(tmp_path, 2)
    with judging(always(1)) as server:
        asked = JudgingOptions(AMBIGUITY_DIMENSIONS, canary=False)
        result = judge_ambiguity(suite, asker(server), tmp_path / "run", asked)
        assert len(server.asks) == 12
        assert {len(ask.images) for ask in server.asks} == {1}
        pages = {(tmp_path / f"suite/before/page_{index}.png").read_bytes() for index in (0, 1)}
        assert {ask.images[0] for ask in server.asks} == pages  # several are asked at once: any may come first
        server.behaviour = always(0)  # below the scale
        asked = JudgingOptions(["scope"], canary=False, prompts=None)
        low = judge_ambiguity(suite, asker(server, "other"), tmp_path / "low", asked)
    assert states(result) == {"graded": 12}
    assert states(low) == {"invalid": 2}

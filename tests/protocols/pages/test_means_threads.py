"""The last digit of a mean does not hang on how many threads there are."""

from __future__ import annotations

import os
import subprocess
import sys

SUMS = """
import hashlib, random
import polars as pl
from vdebench.metrics.registry import block_metrics
from vdebench.protocols.pages.means import _label_sums

rng = random.Random(1)
rows = [
    {"sample": f"s{i // 800}", "setting": "global", "label": rng.choice(["text", "table", None]),
     "state": rng.choice(["matched", "unmatched"]), "truth": rng.choice([i, None]), "iou": rng.random(),
     **{name: rng.choice([rng.random(), None]) for name in block_metrics()}}
    for i in range(4000)
]
found = _label_sums(pl.LazyFrame(rows))
assert found["gt_blocks"].sum() + found["unmatched_pred"].sum() == 4000
print(found.height, hashlib.sha256(repr(found.rows()).encode()).hexdigest())
"""


def test_sums_by_label_are_the_same_with_any_number_of_threads():
    outputs = set()
    for threads in (1, 2, 5):
        given = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
        outputs.add(
            subprocess.run([sys.executable, "-c", SUMS], env=given, capture_output=True, text=True, check=True).stdout
        )
    assert len(outputs) == 1
    assert outputs.pop().startswith("15 ")

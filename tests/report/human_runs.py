"""Runs of editors that err more and more, for the tests of studies with people."""

from __future__ import annotations

import json
from pathlib import Path

from tests import pages
from tests.report import site_runs
from tests.report.site_runs import BODY, FOOT, TRUTHS, StripeReader, paint
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader

EDITORS = ("quokka-9b", "wombat pro", "Numbat", "Ünïcode模型")
"""From the best to the worst, in text and in boxes."""
SAMPLES = 12


def make(root: Path, count: int = SAMPLES) -> tuple[Path, Path]:
    """A suite and a folder of runs: the third editor refuses the third sample, the others edit all."""
    suite = site_runs.make_suite(root / "suite", count)
    runs = root / "runs"
    reader = CachedReader(StripeReader())
    for worse, editor in enumerate(EDITORS):
        told = []
        for index in range(count):
            line = {"sample": f"text/{index}", "state": "edited", "reason": ""}
            if worse == 2 and index == 2:
                line |= {"state": "refused", "reason": f"{editor} will not"}
            else:
                page = [_worse(box, text, worse) for box, text in TRUTHS[index % len(TRUTHS)]]
                paint(runs / editor / f"images/text/page_{index}.png", page)
            told.append(json.dumps(line, ensure_ascii=False))
        (runs / editor / "edits.jsonl").write_text("\n".join(told) + "\n", encoding="utf-8")
        out = runs / editor / "strict"
        folder = runs / editor / "images"
        score(suite, folder, protocol="strict", out=out, editor=editor, reader=reader, metrics=["psnr"], workers=1)
    about = {"suite": str(suite), "reader": "stripe", "reader_options": {}, "protocols": ["strict"]}
    pages.write_json(
        runs / "run.json", about | {"ground_truth": "suite", "metrics": ["psnr"], "editors": list(EDITORS)}
    )
    return suite, runs


def _worse(box, text, worse):
    """A block with a few letters wrong and moved a little, the more the worse the editor is."""
    assert box in (BODY, FOOT)
    x1, y1, x2, y2 = box
    return [x1, y1 + 4 * worse, x2, y2 + 4 * worse], text[: len(text) - worse] + "#" * worse

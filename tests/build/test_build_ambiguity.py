"""The study of ambiguity on a benchmark that was built: package, its ambiguous form, an editor on both, the drop."""

from __future__ import annotations

from pathlib import Path

import pytest

from vdebench.analysis.ambiguity_drop import ambiguity_drop
from vdebench.analysis.ambiguity_runs import paired_runs
from vdebench.analysis.stored import read_run
from vdebench.api import score
from vdebench.build.ambiguous import write_ambiguous
from vdebench.build.package import package
from vdebench.files import write_json
from vdebench.suites.suite import load_suite


def test_from_a_package_to_the_drop(reviewed, tmp_path):
    package(reviewed)
    plain = load_suite(reviewed.package)
    assert write_ambiguous(plain, tmp_path / "vague") == {}
    vague = load_suite(tmp_path / "vague")
    assert [sample.key for sample in vague] == [sample.key for sample in plain]
    for one, other in zip(plain, vague, strict=True):
        assert other.instruction != one.instruction == other.extra["original_instruction"]
    done = {"plain": lambda number: True, "vague": lambda number: number % 3 == 0}  # all, and one in three
    runs = []
    for kind, suite in (("plain", plain), ("vague", vague)):
        for number, sample in enumerate(suite):
            said = suite.truth(sample) if done[kind](number) else suite.source(sample)
            name = Path(sample.reference_image).stem
            write_json(tmp_path / f"outputs/{kind}/{sample.group}/{name}.json", said.to_json())
        score(suite, tmp_path / f"outputs/{kind}", editor="e", out=tmp_path / f"runs/{kind}", workers=1)
        runs.append([read_run(tmp_path / f"runs/{kind}")])
    drops = {(each.setting, each.metric): each for each in ambiguity_drop(paired_runs(*runs), resamples=200).drops}
    overall = drops["global", "cdm"]
    lost = runs[1][0].summary["overall"]["global"]["cdm"]
    assert (overall.original, overall.samples, overall.pages) == (1, 9, 3)
    assert 0 < overall.drop == pytest.approx(1 - lost)
    assert overall.drop_low <= overall.drop <= overall.drop_high
    assert drops["global", "iou"].original == 1

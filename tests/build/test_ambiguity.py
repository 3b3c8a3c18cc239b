"""The ambiguity study on a built benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judges.server import grade, judging
from vdebench.build.ambiguous import write_ambiguous
from vdebench.build.package import package
from vdebench.io.files import write_json
from vdebench.judges.judge import get_judge
from vdebench.pipeline.judging.stage import judge_ambiguity
from vdebench.pipeline.score import score
from vdebench.stats.stored import read_run
from vdebench.studies.ambiguity_drop import ambiguity_drop
from vdebench.studies.ambiguity_runs import paired_runs
from vdebench.suites.suite import load_suite


def test_from_a_package_to_the_drop(reviewed, tmp_path, monkeypatch):
    package(reviewed)
    plain = load_suite(reviewed.package)
    assert write_ambiguous(plain, tmp_path / "vague") == {}
    vague = load_suite(tmp_path / "vague")
    assert [sample.key for sample in vague] == [sample.key for sample in plain]
    for one, other in zip(plain, vague, strict=True):
        assert other.instruction != one.instruction == other.extra["original_instruction"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    meant = {sample.instruction for sample in vague}
    # one editor does a third of what is asked vaguely, one needs no words; the judge gives 1, and 3 to what is vague
    done = {"lost": {"plain": 1, "vague": 3}, "sure": {"plain": 1, "vague": 1}}
    runs, graded = [], []
    for kind, suite in (("plain", plain), ("vague", vague)):
        for editor in done:
            for number, sample in enumerate(suite):
                said = suite.source(sample) if number % done[editor][kind] else suite.ground_truth(sample)
                name = Path(sample.reference_image).stem
                write_json(tmp_path / f"outputs/{kind}/{editor}/{sample.group}/{name}.json", said.to_json())
            outputs, out = tmp_path / f"outputs/{kind}/{editor}", tmp_path / f"runs/{kind}/{editor}"
            score(suite, outputs, editor=editor, out=out, workers=1)
        runs.append([read_run(tmp_path / f"runs/{kind}/{editor}") for editor in done])
        graded.append([tmp_path / f"graded/{kind}"])
        with judging(lambda ask: grade(3 if any(said in ask.prompt for said in meant) else 1)) as server:
            judge_ambiguity(suite, get_judge("j", base_url=server.url), graded[-1][0])
    found = ambiguity_drop(paired_runs(*runs), *graded, resamples=200).drops
    drops = {(each.editor, each.setting, each.metric): each for each in found}
    overall = drops["lost", "global", "cdm"]
    lost = runs[1][0].summary["overall"]["global"]["cdm"]
    assert (overall.original, overall.samples, overall.pages) == (1, 9, 3)
    assert 0 < overall.drop == pytest.approx(1 - lost)
    assert overall.drop_low <= overall.drop <= overall.drop_high
    assert (overall.ambiguity, overall.per_unit) == (2, pytest.approx((1 - lost) / 2))
    assert drops["lost", "global", "iou"].original == 1
    assert (drops["sure", "global", "cdm"].drop, drops["sure", "global", "cdm"].per_unit) == (0, 0)

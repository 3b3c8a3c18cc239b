"""Usable edits: each property alone, what the reader loses, what is unknown, and the counts."""

from __future__ import annotations

import polars as pl
import pytest

from tests.report import site_runs
from vdebench.errors import RunFolderError, VdeError
from vdebench.protocols.pages.columns import schema_of
from vdebench.stats.usable import PROPERTIES, Rows, Thresholds, usable_summary, verdicts
from vdebench.stats.usable_runs import judge_runs

ABOUT = {"group": "text", "operation": "text_replace", "edit_class": "modify", "language": "english", "source": "book"}


def rows_of(*samples, references=()):
    """Frames of samples that are right in everything, but for what each says; a sample's name is its place."""

    def frames(given):
        scores, regions = [], []
        for at, changed in enumerate(given):
            name = str(at)
            row = {"sample": name, **ABOUT, "page": changed.get("page", name), "state": "scored", "reason": ""}
            row |= {key: changed[key] for key in ("operation", "state", "reason") if key in changed}
            scores.append(
                {
                    **row,
                    "setting": "global",
                    "preservation": changed.get("preservation", 1.0),
                    "stray": changed.get("stray", 0.0),
                }
            )
            local = {"gt_blocks": 1, "unmatched_pred": 0, "iou_sum": changed.get("iou", 0.95)}
            if changed.get("blank"):
                local |= {"gt_blocks": 0, "iou_sum": 0.0}
            local |= {"visual_fidelity": changed.get("visual_fidelity", 0.95), "edited": changed.get("edited", 1.0)}
            scores.append({**row, "setting": "local", **local})
            region = {"outcome": changed.get("outcome", "done"), "cdm": changed.get("cdm", 1.0)}
            regions.append(
                {"sample": name, "setting": "local", "region": 0, "read": changed.get("read", "412.7"), **region}
                | {"wanted": changed.get("wanted"), "before": changed.get("before")}
            )
        return pl.DataFrame(scores, schema=schema_of("scores")), pl.DataFrame(regions, schema=schema_of("regions"))

    return Rows(*frames(samples), *(frames(references) if references else ()))


def verdict(sample, *references, **thresholds):
    return next(verdicts(rows_of(sample, references=references), Thresholds(**thresholds)))


def test_an_edit_that_is_right_in_everything_is_usable():
    found = verdict({})
    assert found.usable is True
    assert set(found.properties.values()) == {True}
    assert found.fails_at == ""


@pytest.mark.parametrize(
    ("fault", "fails"),
    [
        ({"outcome": "not_done"}, {"completeness", "textual_correctness"}),
        ({"edited": 0.2}, {"completeness"}),
        ({"stray": 0.01}, {"completeness"}),
        ({"outcome": "partly", "cdm": 0.97}, {"textual_correctness"}),
        ({"outcome": "wrong_text", "cdm": 0.1}, {"textual_correctness"}),
        ({"outcome": "done", "cdm": 0.85}, {"textual_correctness"}),
        ({"outcome": "text_changed", "cdm": 0.5}, {"textual_correctness"}),
        ({"outcome": "text_changed", "cdm": 0.995}, set()),
        ({"iou": 0.2}, {"spatial_precision"}),
        ({"visual_fidelity": 0.4}, {"visual_fidelity"}),
        ({"preservation": 0.98}, {"preservation"}),
        ({"blank": True}, set()),
    ],
)
def test_each_property_fails_for_its_own_fault_alone(fault, fails):
    found = verdict(fault)
    assert {name for name, passed in found.properties.items() if passed is False} == fails
    assert found.usable is not (bool(fails))
    assert all(found.evidence.values())


def test_what_the_reader_loses_on_the_right_answer_is_not_held_against_the_editor():
    misread = {"outcome": "partly", "cdm": 0.8, "read": "412.1", "iou": 0.5}
    assert verdict(misread).usable is False
    assert verdict(misread, misread).usable is True
    assert (
        verdict({**misread, "read": "418.7", "cdm": 0.7}, misread).fails_at == "textual_correctness"
    )  # worse than the reader's
    # as near to the right answer as the reader's own misreading, but not the same: the number may be wrong
    assert verdict({**misread, "read": "412.", "cdm": 0.8}, misread).fails_at == "textual_correctness"
    assert verdict({**misread, "outcome": "wrong_text", "read": "x"}, misread).fails_at == "textual_correctness"
    assert verdict({"iou": 0.45}, {"iou": 0.5}).fails_at == "spatial_precision"


def test_a_missing_output_fails_and_a_failure_of_ours_is_unknown():
    missing = verdict({"state": "missing", "reason": "refused: no"})
    assert (missing.usable, missing.fails_at) == (False, "completeness")
    assert missing.evidence["completeness"] == "refused: no"
    failed = verdict({"state": "failed", "reason": "page.png: is broken"})
    assert failed.usable is None
    assert set(failed.evidence.values()) == {"page.png: is broken"}


def test_without_images_nothing_is_called_usable():
    without = dict.fromkeys(("preservation", "stray", "visual_fidelity", "edited"))
    found = verdict(without)
    assert found.usable is None
    assert {name for name, passed in found.properties.items() if passed is None} == {
        "completeness",
        "visual_fidelity",
        "preservation",
    }
    failing = verdict({**without, "outcome": "wrong_text"})
    assert failing.properties["textual_correctness"] is False
    assert failing.usable is False
    found = usable_summary(rows_of(without, {**without, "outcome": "wrong_text"}), Thresholds())
    assert (found["rate"], found["interval"]) == (None, None)  # a rate of the samples that can only fail would be 0
    assert (found["bounds"], found["n"], found["unknown"]) == ([0, 1], 1, 1)


def test_where_the_right_answer_reads_as_before_the_pixels_tell():
    unseen = {"outcome": "not_done", "read": "0", "before": "0"}  # the reader takes O for 0
    assert verdict(unseen, unseen).usable
    assert verdict({**unseen, "edited": 0.1}, unseen).fails_at == "completeness"
    assert verdict({**unseen, "edited": None}, {**unseen, "edited": None}).usable is None
    assert verdict({**unseen, "read": "O"}, unseen).fails_at == "completeness"


def test_a_change_that_nothing_shows_is_unknown():
    assert verdict({"outcome": "text_kept", "edited": None}).properties["completeness"] is None
    assert verdict({"outcome": "text_kept", "edited": 1.0}).usable
    assert verdict({"outcome": "done", "edited": None}).usable


def test_counts_waterfall_and_slices():
    """Of five: one usable, one fails at text and look, one at kept, one is missing, one is unknown."""
    samples = [
        {},
        {"outcome": "partly", "visual_fidelity": 0.1, "operation": "text_insert"},
        {"preservation": 0.5},
        {"state": "missing", "reason": "no output"},
        {"state": "failed", "reason": "broken"},
    ]
    found = usable_summary(rows_of(*samples), Thresholds())
    assert (found["rate"], found["interval"], found["n"], found["unknown"]) == (None, None, 4, 1)
    assert found["bounds"] == [1, 2]
    known = usable_summary(rows_of(*samples[:4]), Thresholds())
    assert known["rate"] == 0.25
    low, high = known["interval"]
    assert 0 < low < 0.25 < high < 1
    steps = {step["property"]: (step["failed"], step["left"]) for step in found["waterfall"]}
    assert steps == {
        "completeness": (1, 3),
        "textual_correctness": (1, 2),
        "spatial_precision": (0, 2),
        "visual_fidelity": (0, 2),
        "preservation": (1, 1),
    }
    assert found["properties"]["visual_fidelity"] == {"passed": 2, "failed": 2, "unknown": 1}
    by = known["by"]["operation"]
    assert (by["text_insert"]["rate"], by["text_replace"]["rate"]) == (0, pytest.approx(1 / 3))
    assert found["signature"].startswith("usable:rules-3,traces-")
    assert list(found["properties"]) == list(PROPERTIES)


def test_thresholds_are_options():
    assert verdict({"cdm": 0.85}, textual_correctness=0.8).usable
    assert Thresholds().changed(["textual_correctness=0.5", "preservation=1"]) == Thresholds(
        textual_correctness=0.5, preservation=1
    )
    for given, told in (
        ("preservation", "NAME=NUMBER"),
        ("text=1", "there are: textual_correctness, spatial_precision"),
        ("preservation=7", "from 0 to 1"),
    ):
        with pytest.raises(VdeError, match=told):
            Thresholds().changed([given])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("usable")
    site_runs.make_suite(root / "suite")
    return site_runs.make_runs(root / "runs", root / "suite", protocols=("strict", "vde-release"))


def test_kept_runs_are_judged_and_the_oracle_is_usable(runs):
    oracle, other = judge_runs([runs / "oracle/strict", runs / "my editor/strict"]).runs
    assert oracle.summary["rate"] == 1
    assert other.summary["rate"] == 0
    assert [each.usable for each in other.verdicts] == [False, False, False, False]
    # the file is broken: nobody can use it
    assert "cannot be opened" in other.verdicts[3].evidence["textual_correctness"]
    samples = other.to_json()["samples"]
    assert samples[1]["completeness"]["evidence"].startswith("no prediction")


def test_what_cannot_be_judged_is_refused(runs, tmp_path):
    with pytest.raises(RunFolderError, match=r"scored by vde-release \(pages\), which judges no properties"):
        judge_runs([runs / "oracle/vde-release"])
    with pytest.raises(VdeError, match="--by colour: expected operation"):
        judge_runs([runs / "oracle/strict"], by="colour")
    old = tmp_path / "old"
    old.mkdir()
    (old / "summary.json").write_text((runs / "oracle/strict/summary.json").read_text())
    for name in ("scores", "regions"):
        frame = pl.read_parquet(runs / f"oracle/strict/{name}.parquet")
        frame.drop("page" if name == "scores" else "read").write_parquet(old / f"{name}.parquet")
        (old / "reference").mkdir(exist_ok=True)
        frame.write_parquet(old / f"reference/{name}.parquet")
    with pytest.raises(RunFolderError, match="without the columns of usable edits; score again"):
        judge_runs([old])

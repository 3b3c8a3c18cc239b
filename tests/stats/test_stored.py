"""Matrices from run folders give the means that scoring wrote down, to the last digits."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests import pages
from tests.report import masked_runs, site_runs
from vdebench import load_suite, score
from vdebench.errors import RunFolderError, SuiteError, VdeError
from vdebench.metrics.registry import facts
from vdebench.protocols import PROTOCOLS, get_mask_protocol
from vdebench.protocols.masks.summary import summarise
from vdebench.report.compare import compare_table
from vdebench.report.rendering import render
from vdebench.stats.comparison import compare_runs
from vdebench.stats.pages import clusters, pages_beside, pages_for
from vdebench.stats.stored import differing_parts, intervals, matrix, read_run
from vdebench.suites.pages import pages_of

TINY = "examples/tiny"


@pytest.fixture(scope="module")
def runs(tmp_path_factory, _cache):
    """Runs of every protocol: of readings, of images, around masks."""
    root = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        for editor in ("careful", "sloppy"):
            for protocol in PROTOCOLS:
                score(TINY, f"{TINY}/editors/{editor}", protocol=protocol, out=root / f"tiny/{editor}/{protocol}")
        site_runs.make_runs(root / "images", site_runs.make_suite(root / "suite"), protocols=("strict", "vde-v3"))
        masked_runs.make_runs(root / "masked", masked_runs.make_suite(root / "masks"))
    return root


def folders(runs):
    return [file.parent for file in sorted(runs.rglob("scores.parquet")) if file.parent.name != "reference"]


def test_every_mean_is_the_summarys(runs):
    checked = 0
    for folder in folders(runs):
        run = read_run(folder)
        for setting in run.settings:
            summary = run.summary["overall"][setting]
            found = matrix(run, setting)
            for name, value in zip(found.metrics, found.means(), strict=True):
                if np.isinf(value):
                    assert summary[name] is None, (folder, setting, name)
                    assert summary["identical"] == summary["images"]
                else:
                    assert value == pytest.approx(summary[name], abs=1e-12), (folder, setting, name)
                checked += 1
            absent = {name for name, value in summary.items() if isinstance(value, float)} - set(found.metrics)
            assert absent <= {"mask_share", "redrawn"}, (folder, setting)
    assert checked > 250


def test_the_means_of_a_part_of_the_samples(runs):
    run = read_run(runs / "tiny/sloppy/strict")
    whole = matrix(run, "global", ["cdm", "iou"])
    part = whole.of(whole.samples[4:1:-1])
    assert part.samples == whole.samples[4:1:-1]
    assert part.means().tolist() == pytest.approx(whole.numerators[2:5].mean(axis=0).tolist())


def test_micro_means_keep_sums_and_macro_means_values(runs):
    micro = matrix(read_run(runs / "tiny/sloppy/vde-release"), "global", ["cdm"])
    macro = matrix(read_run(runs / "tiny/sloppy/strict"), "global", ["cdm"])
    assert micro.denominators.max() > 1
    assert micro.each == [False]
    assert set(np.unique(macro.denominators)) <= {0.0, 1.0}
    assert macro.each == [True]


def test_a_missing_output_has_done_nothing(runs):
    """`my editor` gave no image: both samples with a reference score 0, the one without is in no mean."""
    found = matrix(read_run(runs / "masked/my editor/strict"), "outside", ["score", "done"])
    assert found.denominators.tolist() == [[1, 1], [1, 1], [0, 0]]
    assert found.means().tolist() == [0, 0]


def test_runs_around_masks_compare_too(runs):
    """`shift` gives the right answer, three pixels aside; `copy` does nothing: the score tells, on both samples with one."""
    both = [read_run(runs / f"masked/{editor}/strict") for editor in ("copy", "shift")]
    compared = compare_runs(both, metrics=["score", "psnr"], by="split", pages=pages_beside(both[0]))
    manual = [one for one in compared.findings if (one.slice, one.metric) == ("manual", "score")]
    assert [one.mean for one in manual] == pytest.approx(
        [run.summary["by"]["group"]["manual"]["outside"]["score"] for run in both]
    )
    assert (manual[1].samples, manual[1].wins, manual[1].ties, manual[1].losses) == (2, 2, 0, 0)
    assert manual[1].p == 0.5  # of two samples, both or neither
    assert "outside: Score, manual" in render(compare_table(compared, [run.summary for run in both]), "terminal")


def test_intervals_for_any_table(runs):
    run = read_run(runs / "tiny/sloppy/strict")
    found = intervals(run, "global", ["cdm", "iou"], resamples=500)
    assert list(found) == ["cdm", "iou"]
    for name, (low, high) in found.items():
        assert low < run.summary["overall"]["global"][name] < high
    assert intervals(run, "global", ["cdm"], dict.fromkeys(run.rows["sample"], "page")) == {"cdm": None}
    assert found == intervals(
        run, "global", ["cdm", "iou"], pages_for(TINY, [run]), resamples=500
    )  # pages of their own


def test_unknown_metrics_are_named_with_those_there_are(runs):
    with pytest.raises(VdeError, match=r"no 'ssim' in the setting global; there are: iou, .*text_correctness"):
        matrix(read_run(runs / "tiny/sloppy/strict"), "global", ["ssim"])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda run: (run / "scores.parquet").unlink(), r"no scores\.parquet here; expected a folder written by"),
        (lambda run: (run / "scores.parquet").write_bytes(b"PAR1"), "cannot be read"),
        (lambda run: (run / "summary.json").write_text("[]"), "expected an object, found list"),
        (lambda run: (run / "summary.json").write_text('{"editor": 3}'), "'signature' is None, expected text"),
        (lambda run: pl.DataFrame({"sample": ["a"]}).write_parquet(run / "scores.parquet"), "cannot be read"),
        (
            lambda run: pl.DataFrame({"sample": ["a"] * 2, "setting": ["global"] * 2}).write_parquet(
                run / "scores.parquet"
            ),
            "two rows for a sample and setting",
        ),
    ],
)
def test_what_is_no_run_is_named(runs, tmp_path, spoil, says):
    shutil.copytree(runs / "tiny/careful/strict", tmp_path / "run")
    spoil(tmp_path / "run")
    with pytest.raises(RunFolderError, match=says):
        read_run(tmp_path / "run")


def test_a_folder_of_runs_is_told_what_is_meant(runs):
    with pytest.raises(RunFolderError, match=r"did you mean .*careful/strict"):
        read_run(runs / "tiny")


def test_signatures_differ_part_by_part():
    one = "vde|p:strict|reader:a@1#x|suite:s@sha256:0f|n:12"
    assert differing_parts([one, one]) == {}
    assert differing_parts([one, one + "|editor:other"]) == {}
    two = "vde|p:strict|reader:a@1#y|suite:s@sha256:1f|n:12|judge:j"
    assert differing_parts([one, two]) == {
        "reader": ["a@1#x", "a@1#y"], "suite": ["s@sha256:0f", "s@sha256:1f"], "judge": ["nothing", "j"],
    }  # fmt: skip


def test_which_way_is_better():
    assert {name: facts(name).best for name in ("cdm", "psnr_raw", "lpips", "mse_raw", "untouched", "clip")} == {
        "cdm": "higher", "psnr_raw": "higher", "lpips": "lower", "mse_raw": "lower", "untouched": "lower", "clip": "higher",
    }  # fmt: skip


def test_samples_share_a_page_by_the_content_of_their_source(tmp_path):
    """Samples 0 and 1 name one file, 2 is a copy of it, 3 another page, 4 another page of as many bytes."""
    suite = site_runs.make_suite(tmp_path / "suite", 5)
    entries = json.loads((suite / "text.json").read_text())
    entries[1]["image_input"] = entries[0]["image_input"]
    pages.write_json(suite / "text.json", entries)
    sources = suite / "sources"
    shutil.copy(sources / "page_0.png", sources / "page_2.png")
    site_runs.paint(sources / "page_3.png", [(site_runs.BODY, "another")])
    content = bytearray((sources / "page_3.png").read_bytes())
    (sources / "page_4.png").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    found = pages_of(load_suite(suite))
    assert found["text/0"] == found["text/1"] == found["text/2"]
    assert len({found[f"text/{at}"] for at in (0, 3, 4)}) == 3


def test_rows_name_their_page(runs):
    run = read_run(runs / "images/oracle/strict")
    assert pages_beside(run) == pages_of(load_suite(runs / "suite"))
    tiny = pages_beside(read_run(runs / "tiny/sloppy/strict"))
    assert tiny["text/2"] == "text/inputs/harbour_2.png"  # the suite has no such file: its name tells


def test_of_rows_without_pages_the_suite_is_asked_where_it_is_still_there(runs):
    run, other = (read_run(runs / name) for name in ("images/oracle/strict", "tiny/sloppy/strict"))
    without = replace(run, rows=run.rows.drop("page"))
    assert pages_beside(without) == pages_beside(run)
    assert pages_beside(replace(other, rows=other.rows.drop("page"))) is None


def test_another_suite_is_refused(runs):
    run = read_run(runs / "tiny/sloppy/strict")
    with pytest.raises(SuiteError, match="was scored with the suite tiny, not with stripes"):
        pages_for(runs / "suite", [run])
    with pytest.raises(SuiteError, match="sample text/1 of the runs"):
        clusters(["text/1"], {})


def test_the_intervals_of_every_summary_are_those_of_its_rows(runs):
    """Also of slices: as if their rows were a run."""
    checked = 0
    for folder in folders(runs):
        run = read_run(folder)
        paged = run.summary["interval"]["clusters"] == "page"
        pages = pages_beside(run) if paged else None
        parts = [(run.summary["overall"], run.rows)]
        for value, means in run.summary["by"]["operation"].items() if "sloppy" not in str(folder) else ():
            parts.append((means, run.rows.filter(pl.col("operation") == value)))
        for found, rows in parts:
            for setting in (setting for setting, means in found.items() if means):
                expected = intervals(replace(run, rows=rows), setting, pages=pages)
                kept = {name: tuple(bounds) for name, bounds in found[setting]["intervals"].items()}
                there = {
                    name: bounds for name, bounds in expected.items() if bounds and found[setting][name] is not None
                }
                assert kept.keys() == there.keys(), (folder, setting)
                for name, bounds in there.items():
                    assert kept[name] == pytest.approx(bounds, abs=1e-9), (folder, setting, name)
                    checked += 1
    assert checked > 300


def test_around_masks_without_ssim_what_is_done_is_known_and_the_score_is_not(runs):
    """As the summary has it: a missing output's 0 does not stand alone."""
    run = read_run(runs / "masked/shift/strict")
    rows = run.rows.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("ssim", "ssim_raw", "score"))
    found = matrix(replace(run, rows=rows), "outside")
    expected = summarise(rows, get_mask_protocol("strict"))["overall"]["outside"]
    assert expected["score"] is None
    assert "score" not in found.metrics
    assert dict(zip(found.metrics, found.means(), strict=True))["done"] == pytest.approx(expected["done"])

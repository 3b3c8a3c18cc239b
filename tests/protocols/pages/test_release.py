"""`vde-release` equals the release: an independent implementation on random pages, to 1e-9."""

from __future__ import annotations

import pytest

from tests import pages
from tests.oracle import release
from vdebench import score

NAMES = (
    "iou",
    "iou_matched",
    "cdm",
    "bleu",
    "teds",
    "text_similarity",
    "matched_blocks",
    "unmatched_gt",
    "unmatched_pred",
)


def assert_equal(found, expected):
    for name in NAMES:
        if expected[name] is None:
            assert found[name] is None, name
        else:
            assert found[name] == pytest.approx(expected[name], abs=1e-9), name


@pytest.mark.parametrize("seed", range(6))
def test_global_equals_the_oracle_overall_and_by_label(tmp_path, seed):
    pairs = pages.random_pairs(seed, 25)
    suite = pages.write_suite(tmp_path, pairs)
    summary = score(suite, tmp_path / "pred", protocol="vde-release", setting="global").summary
    expected = release.score(pairs)
    assert_equal(summary["overall"]["global"], expected["overall"])
    assert summary["by"]["label"].keys() == expected["label"].keys()
    for label, means in expected["label"].items():
        assert_equal(summary["by"]["label"][label]["global"], means)


@pytest.mark.parametrize("setting", ["local", "both"])
@pytest.mark.parametrize("seed", range(3))
def test_local_keeps_the_blocks_that_share_area_with_a_region(tmp_path, seed, setting):
    """Blocks are chosen first and matched then, also where the whole page is matched in the same run."""
    pairs = pages.random_pairs(seed, 25)
    suite = pages.write_suite(tmp_path, pairs)
    summary = score(suite, tmp_path / "pred", protocol="vde-release", setting=setting).summary
    region = [100, 140, 500, 420]  # 10,10 + 40×20 percent of 1000×1400
    local = [[release.local_blocks(blocks, [region]) for blocks in pair] for pair in pairs]
    assert_equal(summary["overall"]["local"], release.score(local)["overall"])


def test_region_success_equals_the_oracle(tmp_path):
    pairs = pages.random_pairs(7, 30)
    kinds = ["text replacement", "text deletion", "text addition"]
    entries = [pages.entry(i, **{"instruction type": kinds[i % 3]}) for i in range(30)]
    suite = pages.write_suite(tmp_path, pairs, entries)
    result = score(suite, tmp_path / "pred", protocol="vde-release")
    box = [100, 140, 500, 420]
    expected = [release.region(*pair, box, kinds[i % 3] == "text deletion") for i, pair in enumerate(pairs)]
    regions = result.summary["regions"]
    assert regions["n"] == 30
    assert regions["rate"] == pytest.approx(sum(row["success"] for row in expected) / 30)
    for name in ("text_similarity", "cdm", "bleu"):
        assert regions[name] == pytest.approx(sum(row[name] for row in expected) / 30, abs=1e-9)
    deletions = expected[1::3]
    assert regions["by"]["kind"]["deletion"]["rate"] == pytest.approx(sum(r["success"] for r in deletions) / 10)
    assert regions["by"]["operation"]["text_delete"] == regions["by"]["kind"]["deletion"]


def test_entries_without_original_size_are_left_out_of_local_and_named(tmp_path):
    bare = {"x": 10, "y": 10, "width": 40, "height": 20}
    pairs = pages.random_pairs(1, 2)
    suite = pages.write_suite(tmp_path, pairs, [pages.entry(0), pages.entry(1, label_output=[bare])])
    summary = score(suite, tmp_path / "pred", protocol="vde-release").summary
    assert summary["overall"]["local"]["samples"] == {"scored": 1, "missing": 0, "failed": 0, "left_out": 1}
    exact = score(suite, tmp_path / "pred").summary  # the page's own size does as well
    assert exact["overall"]["local"]["samples"]["scored"] == 2


def test_a_missing_prediction_is_left_out_of_the_means_but_its_regions_are_judged_empty(tmp_path):
    truth = [{"block_bbox": [100, 140, 500, 420], "block_label": "text", "block_content": "gone"}]
    entries = [pages.entry(0), pages.entry(1, **{"instruction type": "text deletion"})]
    suite = pages.write_suite(tmp_path, [(truth, truth), (truth, None)], entries)
    summary = score(suite, tmp_path / "pred", protocol="vde-release").summary
    assert summary["coverage"] == {"samples": 2, "scored": 1, "missing": 1, "failed": 0}
    assert summary["overall"]["global"]["gt_blocks"] == 1
    assert summary["overall"]["global"]["iou"] == 1.0
    assert summary["regions"]["by"]["kind"]["deletion"]["rate"] == 1.0  # the release's fault, kept

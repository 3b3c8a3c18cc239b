"""`strict` equals an independent implementation of its definition; region outcomes of edits."""

from __future__ import annotations

import pytest

from tests import pages
from tests.oracle import exact as oracle
from vdebench import score
from vdebench.protocols.pages.strict import outcome


@pytest.mark.parametrize("seed", range(4))
def test_means_equal_the_plain_computation(tmp_path, seed):
    pairs = pages.random_pairs(seed, 20)
    suite = pages.write_suite(tmp_path, pairs)
    found = score(suite, tmp_path / "pred", setting="global").summary["overall"]["global"]
    expected = oracle.score([(*pair, (pages.WIDTH, pages.HEIGHT)) for pair in pairs])
    for name, value in expected["macro"].items():
        assert found[name] == pytest.approx(value, abs=1e-9), name
    for name, value in expected["micro"].items():
        assert found["micro"][name] == pytest.approx(value, abs=1e-9), name


def test_real_pages_against_themselves_score_one(tmp_path, shared):
    toml = f'format = "omnidoc"\nname = "real"\n[groups.pages]\ninfo = "{shared}/data/omnidocbench/OmniDocBench_demo.json"\n'
    (tmp_path / "suite.toml").write_text(toml, encoding="utf-8")
    from vdebench import load_suite

    suite = load_suite(tmp_path)
    for sample in suite:
        pages.write_json(tmp_path / "pred" / f"{sample.id}.json", suite.ground_truth(sample).to_json())
    means = score(suite, tmp_path / "pred", setting="global").summary["overall"]["global"]
    assert all(
        means[name] == 1.0 for name in ("iou", "cdm", "bleu", "teds", "teds_like", "text_similarity", "page_text")
    )
    release = score(suite, tmp_path / "pred", setting="global", protocol="vde-release").summary["by"]["language"]
    # FAULTS: the release's BLEU of ground truth against itself
    assert release["simplified_chinese"]["global"]["bleu"] < 0.3
    assert release["english"]["global"]["bleu"] < 0.9


@pytest.mark.parametrize(
    ("read", "wanted", "before", "expected"),
    [
        ("Total: 412.7", "Total: 412.7", None, "done"),
        ("Total: 418.7", "Total: 412.7", None, "wrong_text"),  # without the source page, not_done is undecidable
        ("Total: 418.7", "Total: 412.7", "Total: 418.7", "not_done"),
        ("Total: 999.9", "Total: 412.7", "Total: 418.7", "wrong_text"),
        ("Total: 418.7", "Total: 418.7", "Total: 418.7", "text_kept"),  # the edit was of another kind
        ("Tot: 418.7", "Total: 418.7", "Total: 418.7", "text_changed"),
        ("a new word here now", "a brand new word here now", "a word here now", "partly"),
        ("Keep this.", "Keep this.", "Keep this. Drop that.", "done"),
        ("Keep this. Drop that.", "Keep this.", "Keep this. Drop that.", "not_done"),
        ("Keep this. Drop", "Keep this.", "Keep this. Drop that.", "partly"),
        ("", "Keep this.", "Keep this. Drop that.", "wrong_text"),  # the rest was lost
        ("", "", "Drop that.", "done"),  # the whole region goes
        ("Drop that.", "", "Drop that.", "not_done"),
        ("读者请携带有效证件和一寸照片", "读者请携带有效证件和一寸照片", "读者请携带有效证件", "done"),
        ("读者请携带有效证件", "读者请携带有效证件和一寸照片", "读者请携带有效证件", "not_done"),
        (
            "读者请携帯有效证件和一寸照片",
            "读者请携带有效证件和一寸照片",
            "读者请携带有效证件",
            "done",
        ),  # misread beside it
    ],
)
def test_outcome(read, wanted, before, expected):
    assert outcome(read, wanted, before) == expected

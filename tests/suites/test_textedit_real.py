"""The faults of the real TextEditBench folders."""

from __future__ import annotations

import re

import pytest

from tests.suites.textedit_folders import MANUAL, load
from vdebench.suites.textedit_vocabulary import TOPICS

# The real data: each kind of fault, found by looking through the 79 folders.

MANUAL_FAULTS = {
    "field 'knowledge prompt'": {"manual/Art_Creative_Expression/016", "manual/Art_Creative_Expression/019"},
    "has spaces around it": {"manual/Art_Creative_Expression/016", "manual/Art_Creative_Expression/019"},
    "input_image '23.jpg' is not in the folder": {"web/Merchandise_Apparel/048"},
    "but the folder is": {"web/Merchandise_Apparel/048"},
    "expected 'Business & Advertising'": {f"manual/Business_Advertising/{number}" for number in ("006", "016", "038")},
    "expected 'Digital": {f"manual/Digtial_Interfaces_Reports/{number}" for number in ("005", "041", "047")},
    "expected 'Crafts": {"web/Crafts_Personal_Creations/026"},
    "topic is misspelt": {""},
    "editing_method 'scalling'": {"web/Environmental_Spatial_Signage/018"},
    "', taken as medium": {"manual/Digtial_Interfaces_Reports/047", "manual/Professional_Documents_Reports/015"},
    "'esay', taken as easy": {"web/Art_Creative_Expression/014", "web/Art_Creative_Expression/015"},
    "; taken as": {"manual/Crafts_Personal_Creations/003", "web/Media_Publishing/005"},
    "invalid white space in JSON: U+00A0": {"manual/Packaging_Logistics/004"},  # after a comma
}


@pytest.fixture
def real(shared):
    root = shared / "data/textedit"
    if not root.exists():
        pytest.skip(f"no {root}: set VDE_SHARED to a folder with TextEditBench's sample")
    return root


def test_the_real_faults_are_named_and_no_others(real):
    suite = load(real)
    faults = list(suite.faults())
    assert len(suite) == 79
    assert [fault.sample for fault in faults if fault.severity == "error"] == []
    for what, samples in MANUAL_FAULTS.items():
        assert {fault.sample for fault in faults if what in fault.what} == samples, what
    scores = _plain_score_faults(real)
    assert len(scores) == 7
    assert {
        (fault.sample, _kind(fault.what)) for fault in faults if fault.what.startswith("difficulty_score")
    } == scores
    assert len(faults) == sum(map(len, MANUAL_FAULTS.values())) + len(scores)


def _kind(what):
    return next(kind for kind in ("add up", "no total", "expected 10", "parts of") if kind in what)


def _plain_score_faults(root):
    """What is wrong with the scores, the plain way: by the text of the files."""
    found = set()
    for file in root.glob("*/*/*/*.json"):
        written = re.search(r'"difficulty_score"\s*:\s*"(\d*)\(([^)]*)\)"', file.read_text(encoding="utf-8-sig"))
        total, parts = written[1], [int(part) for part in written[2].split(",")]
        split = "manual" if file.parts[-4] == MANUAL else "web"
        key = "/".join((split, *file.parts[-3:-1]))
        found |= {(key, "no total")} if not total else set()
        found |= {(key, "expected 10")} if len(parts) != 10 else set()
        found |= {(key, "parts of")} if set(parts) - {0, 1, 2} else set()
        found |= {(key, "add up")} if total and sum(parts) != int(total) else set()
    return found


def test_the_real_samples(real):
    suite = load(real)
    suite.require_distinct_keys()
    assert {sample.source for sample in suite} == set(TOPICS)
    assert len(TOPICS) == 14
    assert {sample.operation.value for sample in suite} == {
        "text_delete", "text_insert", "text_replace", "text_relocation", "scaling", "text_attribute",
    }  # fmt: skip
    tiers = [sample.extra["tier"] for sample in suite]
    assert [tiers.count(tier) for tier in ("easy", "medium", "hard", "unknown")] == [
        49,
        28,
        2,
        0,
    ]  # with 004, which is easy
    assert (
        sum(bool(sample.reference_image) for sample in suite) == sum(sample.group == "manual" for sample in suite) == 40
    )
    assert all(len(suite.mask_files(sample)) == 2 for sample in suite)
    assert sum(sample.extra["difficulty"] is None for sample in suite) == 4

"""Every fault of the release, with what the release says and what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import faults_masked
from tests.faults import CASES, page


@pytest.mark.parametrize(
    ("release", "case"),
    [*(("vde-release", case) for case in CASES), *(("textedit-release", case) for case in faults_masked.CASES)],
    ids=lambda value: value if isinstance(value, str) else f"{value.input} {value.number}",
)
def test_fault(release, case):
    for protocol, expected in ((release, case.release), ("strict", case.exact)):
        found = case.found(protocol)
        if isinstance(expected, float):
            assert found == pytest.approx(expected, rel=0.02, abs=5e-4 if expected > 0.01 else 1e-8), protocol
        else:
            assert found == expected, protocol


def test_the_docs_page_is_up_to_date():
    assert Path("docs/faults.md").read_text(encoding="utf-8") == page(), "run: python -m tests.faults > docs/faults.md"

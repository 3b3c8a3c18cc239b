"""Invariants of two thousand samples."""

from __future__ import annotations

import pytest

from tests.suites.typeset.many import faults
from vdebench.parallel.local import map_tasks, usable_processors


@pytest.mark.slow
def test_two_thousand_instructions_are_unambiguous_and_lead_to_their_references():
    found = [fault for page in map_tasks(faults, range(500), usable_processors()) for fault in page]
    assert found == []

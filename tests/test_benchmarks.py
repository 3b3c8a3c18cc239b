"""The benchmarks run and compare equal numbers. Their speed is for reading (docs/benchmarks.md), not for passing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def printed(shared, *command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    print(done.stdout)
    return done.stdout


def test_scoring_equals_the_plain_way_on_real_pages(shared):
    text = printed(shared, "benchmarks/scoring.py", "--seeds", "2")
    differences = [float(value) for value in re.findall(r"any mean (\S+)", text)]
    assert len(differences) == 2
    assert max(differences) < 1e-9


def test_memory_does_not_follow_the_number_of_samples(shared):
    ratios = [float(value) for value in re.findall(r"(\S+) times", printed(shared, "benchmarks/memory.py"))]
    assert len(ratios) == 2
    assert max(ratios) < 1.3  # ten times the pages; 1.17 as measured, with room for the allocator


def test_exact_matching_finds_more_true_pairs_than_the_papers(shared):
    scores = [float(value) for value in re.findall(r"F1 (\S+)", printed(shared, "benchmarks/matching.py"))]
    assert scores[-1] == max(scores)
    assert scores[-1] > 0.98

"""What all tests share."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("project", deadline=None, derandomize=True)  # the same cases on every machine
hypothesis.settings.load_profile("project")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # `tests.oracle` and `tests.pages`, also for doctests of the package


LONGEST = (
    "build/test_real.py",
    "test_benchmarks.py",
    "pipeline/test_run.py",
    "parallel/test_ray.py",
    "suites/typeset/test_many.py",
    "studies/validity/test_ladder_statistics.py",
    "studies/validity/test_ladder.py",
    "io/stores/test_s3.py",
    "review/test_kill.py",
    "suites/typeset/test_make.py",
)
"""Files of tests that take longest, the longest first."""


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items):
    """Start the longest files first, as a worker runs a whole file; mark tests that `make test` may skip."""
    tests = ROOT / "tests"
    order = {tests / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))
    for item in items:
        if tests / "review" in item.path.parents:
            item.add_marker(pytest.mark.packages)


@pytest.fixture(scope="session")
def _cache(tmp_path_factory):
    """One for all workers: what one of them has read, the others find."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch, _cache):
    """Examples in the docs name files from the project's folder; what tests keep is not the user's."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("VDE_CACHE", str(_cache))
    monkeypatch.delenv("COLUMNS", raising=False)  # nobody's terminal, also where the tests run in one


@pytest.fixture
def shared_cache(monkeypatch, _cache):
    """The cache of all tests, for a test whose package has another by default: OCR of real pages runs once."""
    monkeypatch.setenv("VDE_CACHE", str(_cache))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real pages that are beside the project in its workplace, and nowhere else."""
    path = Path(os.environ.get("VDE_SHARED", ROOT.parent / "shared"))
    if not (path / "data/omnidocbench/OmniDocBench_demo.json").exists():
        pytest.skip(f"no shared data at {path}: set VDE_SHARED to run the tests on real pages")
    return path


@pytest.fixture
def datasets(monkeypatch):
    """That package, offline. Its switches are read from the environment once, at import: set so, they would stay set."""
    module = pytest.importorskip("datasets")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(module.config, "HF_HUB_OFFLINE", True)
    return module


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes a suite of coloured pages and a folder for an editor's images (see `tests.colours`), with a cache of its own."""
    from tests.colours import write_colours

    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    return partial(write_colours, tmp_path)

"""One site that all attacks are tried on: nothing they do may change it, so that they can share it."""

from __future__ import annotations

from pathlib import Path

import pytest

PACKAGES = ("sqlalchemy", "alembic", "fastapi", "uvicorn", "argon2", "httpx2")


@pytest.fixture(scope="session")
def attacked_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which some instructions have no edit."""
    for package in PACKAGES:
        pytest.importorskip(package)
    from tests.review.tiny_workspace import REFUSED, make_workspace

    return make_workspace(tmp_path_factory.mktemp("attacked"), refuse=REFUSED)


@pytest.fixture(scope="session")
def site(attacked_workspace: Path):
    """A review in which samples are at all steps."""
    from tests.review.crowd.site import opened_site

    with opened_site(attacked_workspace, attacked_workspace / "review.sqlite") as opened:
        yield opened


@pytest.fixture
def unchanged(site):
    """The test changes nothing."""
    with site.unchanged():
        yield site

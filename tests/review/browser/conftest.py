"""A browser for all, and for each test a review and people who close their pages."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="module")
def browser():
    """For one file: as long as it lives, playwright's loop runs in this thread, and no other can."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def review(tmp_path):
    for name in ("sqlalchemy", "alembic", "fastapi", "uvicorn", "argon2"):
        pytest.importorskip(name, reason='pip install "vdebench[review]"')
    from tests.review.browser.served import Pages, Served

    served = Served(tmp_path, Pages(tmp_path, 4))
    yield served
    served.close()


@pytest.fixture
def person(browser, review):
    """Somebody at the page; closed, and looked at for troubles, at the end."""
    from tests.review.browser.people import Person

    there = []

    def come(name="", address="", **options):
        there.append(Person(browser, review.url, name, address, **options))
        return there[-1]

    yield come
    for each in there:
        each.close()

"""A step that was added by one `Step` object appears on the page, with the widget it names."""

from __future__ import annotations

import shutil

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
pytest.importorskip("uvicorn", reason='pip install "vdebench[review]"')

from tests.review.browser.served import CHANGED  # noqa: E402
from tests.review.browser.test_reviewing import FIRST, draw, score, step_of  # noqa: E402
from tests.review.test_steps import LAYOUT, ScreenLayout  # noqa: E402
from vdebench.core.box import Box  # noqa: E402
from vdebench.review.steps.screen import Screen  # noqa: E402
from vdebench.review.workflow import WORKFLOW  # noqa: E402


def test_the_page_shows_the_new_step(review, person):
    with WORKFLOW.extended(LAYOUT):
        review.people()
        score(review)
        draw(review, [Box(*CHANGED)])
        for group in "123":
            review.do(f"bob{group}", Screen(FIRST, 1, group, True))
        assert step_of(review) == ("layout", 1)
        one = person("ann1", f"/#work/{FIRST}")
        one.step("Layout screening", "round 1 of 3")
        one.page.get_by_text(LAYOUT.hint).wait_for()
        one.press("y", "Enter")
        one.says("Layout screening: Yes")
        for group in "23":
            review.do(f"bob{group}", ScreenLayout(FIRST, 1, group, True))
        assert step_of(review) == ("ocr", 1)

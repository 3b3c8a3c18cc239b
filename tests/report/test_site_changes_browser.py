"""Changes in the report, in a real browser: the list of a sample, its boxes, filters, and changed facts."""

from __future__ import annotations

import shutil

import pytest

from tests.report import site_runs
from tests.report.changed_runs import CHANGES, plant_changes
from tests.report.test_site_browser import Page, browser, texts  # noqa: F401
from vdebench.readers.reader import READERS
from vdebench.report.site import write_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")


@pytest.fixture(scope="module")
def report(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("changes-browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        runs = site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
        (runs / "oracle/editor.json").write_text('{"name": "jpeg"}')  # a ceiling, by its identity
        plant_changes(runs / "oracle/strict", {"text/0": CHANGES})
        return write_report(runs, root / "report")


@pytest.fixture
def opened(browser, report):  # noqa: F811
    page = Page(browser, report)
    yield page
    page.check()
    page.context.close()


def boxes(page, pane):
    return page.eval_on_selector_all(
        f'[data-pane="{pane}"] rect[data-change]', "all => all.map((one) => one.dataset.kind)"
    )


def test_a_sample_shows_its_changes_as_a_list_and_as_boxes(opened):
    page = opened.open("#sample=text/0&editor=oracle")
    page.wait_for_selector("#changes .change")
    assert texts(page, "#changes .head b") == ["replaced", "added", "lost"]
    assert texts(page, "#changes .words")[0] == "59.00 → 69.00"
    assert boxes(page, "reference") == ["replaced", "lost"]
    assert boxes(page, "prediction") == ["replaced", "added"]
    page.click("#facts-only")
    assert page.inner_text("#change-count") == "2 of 3 changes"
    assert boxes(page, "prediction") == ["replaced"]
    page.click("#outside-only")
    assert texts(page, "#changes .head b") == ["replaced"]
    page.click("#changes .change")
    assert page.get_attribute("#changes .change", "aria-current") == "true"
    assert page.inner_text("#zoom") != "100 %"
    page.click('[data-over="change"]')
    assert boxes(page, "reference") == []


def test_changed_facts_have_a_tab_and_samples_a_filter(opened):
    page = opened.open("#tab=facts")
    page.wait_for_selector("#facts")
    assert page.inner_text("#facts-count") == "1 changed fact"
    assert texts(page, ".crop figcaption") == ["Reference", "Output"]
    assert page.locator(".crop svg image").count() == 2
    page.click(".fact-entry a")
    page.wait_for_selector("#changes .change")
    assert page.inner_text("h2") == "text/0"
    page.click("#tab-samples")
    page.select_option("#filter-changed_facts", "yes")
    assert page.inner_text("#count") == "1 of 8 edits"
    assert "1 changed fact" in page.inner_text(".card .tags")
    page.select_option("#filter-changed_facts", "")
    page.select_option("#filter-change_kind", "lost")
    assert page.inner_text("#count") == "1 of 8 edits"


def test_the_leaderboard_shows_counts_once_and_what_a_ceiling_explains(opened):
    page = opened.open()
    page.wait_for_selector("#explained")
    heads = texts(page, "#leaderboard thead button")
    assert heads.count("Changed facts / 100 edits (low)") == 1  # not in the local setting
    assert texts(page, "#explained tbody tr") == ["my editor\t4\t1\n25 %"]


def test_the_leaderboard_shows_words_lost_by_type_height(opened):
    page = opened.open()
    page.wait_for_selector("#heights")
    assert texts(page, "#heights tbody tr") == ["oracle\nceiling: jpeg\n\t2.0", "my editor\t–"]
    assert page.get_attribute("#heights td.loss.some", "title") == "150 words: 2 changed, 0 illegible, 1 weakened"

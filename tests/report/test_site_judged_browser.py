"""Grades in the report in a real browser."""

from __future__ import annotations

import shutil

import pytest

from tests.report import masked_runs, site_runs
from tests.report.judged_runs import GIVEN, PERFECT, make_judged
from tests.report.site_runs import EVIL
from tests.report.test_site_browser import Page, browser, texts  # noqa: F401
from tests.report.test_site_masked_browser import until
from vdebench.readers.reader import READERS
from vdebench.report.site import write_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
LONG = "The headline now says 2024, as asked; its weight and colour are those of the words around it. " * 6
ADDRESSES = ["#tab=board", "#tab=samples&sort=judge.0.lowest", "#sample=text/1&editor=my%20editor"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory, _cache):
    """Of pages, graded by two judges, the second of whom is not to be trusted; and around masks, with one editor graded."""
    root = tmp_path_factory.mktemp("judged browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        runs = site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
        make_judged(runs / "my editor/judged", "my editor", GIVEN)
        make_judged(runs / "oracle/judged", "oracle", PERFECT)
        said = {"text/0": {"IF": [(2, LONG)], "TA": [(4, EVIL)], "VC": [3], "LP": [3], "SE": ["too_large"]}}
        other = make_judged(root / "other", "my editor", said, judge="x:other", model="other-1", repeat=1, wrong=5)
        masked = masked_runs.make_runs(root / "masked", masked_runs.make_suite(root / "textedit"), ["strict"])
        make_judged(masked / "shift/judged", "shift", {masked_runs.KEYS[0]: GIVEN["text/0"]})
        pages = write_report(runs, root / "report", judged=[other])
        return {"pages": pages, "pixels": write_report(masked, root / "masked report")}


@pytest.fixture
def site(browser, reports):  # noqa: F811
    page = Page(browser, reports["pages"])
    yield page
    page.check()
    page.context.close()


def test_tables_stand_below_the_leaderboard(site):
    page = site.open()
    page.wait_for_selector("#judged .grades")
    assert texts(page, "#judged .judge > h2") == ["Judged by gpt-x-2026", "Judged by other-1"]
    first = page.locator("#judged .grades").first
    assert first.locator("thead th").all_inner_texts() == [
        *("Editor", "Graded", "IF", "TA", "VC", "LP", "SE", "Overall /25"),
    ]
    oracle, mine = (line.split("\t") for line in first.locator("tbody").inner_text().replace("\n", " ").split(" my "))
    assert [part.strip() for part in oracle[:4]] == ["oracle", "32/32", "5.00 ± 0.00", "5.00 ± 0.00"]
    assert oracle[6].strip() == "–"  # SE was asked of none: no number
    assert "of 20" in oracle[7]
    assert mine[1].strip() == "23/26 2 refused, 1 timed out"
    assert mine[2].strip() == "2.00 ± 0.47"  # draws of 5 / 3 and 7 / 3
    assert first.locator("td.best").count() == 4
    assert page.locator("#judged .verdict:not(.warning)").inner_text().startswith("canary: tells them apart")
    assert "do not trust these grades" in page.locator("#judged .verdict.warning").inner_text()
    assert "±" not in page.locator("#judged .grades").last.inner_text()  # one draw has no spread
    assert page.locator("#judged .signature").count() == 2
    below = page.locator("#leaderboard").bounding_box(), page.locator("#judged").bounding_box()
    assert below[0]["y"] + below[0]["height"] < below[1]["y"]
    assert "not judged: 1 sample of these runs" in page.inner_text("#judged")
    first.locator("tbody a", has_text="my editor").click()
    page.wait_for_selector("text=4 of 8 edits")
    assert page.locator("#sort").input_value() == "judge.0.lowest"


def test_grades_stand_beside_the_pages(site):
    page = site.open("#sample=text/0&editor=my%20editor")
    page.wait_for_selector("#grades .block")
    assert texts(page, "#grades h3") == ["Judged by gpt-x-2026", "Judged by other-1"]
    assert texts(page, "#grades .overall") == ["Overall 15.50 of 25", "Overall – of 25: no grade in SE"]
    at_a_glance = page.locator("#grades .overall + .hint").all_inner_texts()
    assert at_a_glance[0].replace("\u00a0", " ") == "IF 4.50 · TA 2 · VC 3.50 · LP 5 · SE 0.50"
    assert at_a_glance[1].endswith("SE\u00a0–")
    blocks = page.locator("#grades .block")
    assert blocks.count() == 10
    told = blocks.nth(0).inner_text()
    for part in ("IF", "4.50 /5", "Draw 1: 4", "Draw 2: 5", "IF of text/0, draw 1: seen & weighed"):
        assert part in told
    assert LONG.strip() in blocks.nth(5).inner_text()
    assert "Draw" not in blocks.nth(5).inner_text()
    assert blocks.nth(6).locator("p").inner_text() == EVIL
    lost = blocks.nth(9).inner_text()
    assert "no grade" in lost
    assert "too large" in lost
    assert "it was too_large <b>here</b>" in lost
    assert page.locator("main script, main img[src=x], #grades .block p b").count() == 0
    panel, pane = page.locator("#grades").bounding_box(), page.locator(".panes").bounding_box()
    assert panel["x"] >= pane["x"] + pane["width"]
    assert panel["height"] <= pane["height"] + 2
    page.click("#show-grades")
    assert not page.locator("#grades").is_visible()
    assert page.locator(".panes").bounding_box()["width"] > pane["width"] + 200
    page.click("#next")  # stays as it was chosen
    page.wait_for_selector("h2:text-is('text/1')")
    assert not page.locator("#grades").is_visible()


def test_what_is_not_graded(site):
    page = site.open("#sample=text/1&editor=my%20editor")
    page.wait_for_selector("#grades .block")
    assert texts(page, "#grades .overall") == ["Overall – of 20: no grade in TA"]
    blocks = page.locator("#grades .block")
    assert f"said {EVIL}" in blocks.nth(0).inner_text()
    assert blocks.nth(1).inner_text().count("refused") == 4  # a state and a reason for each draw
    assert "2 /5" in blocks.nth(2).inner_text()  # of the one draw that came
    assert "timed out" in blocks.nth(2).inner_text()
    assert "not asked for this sample" in blocks.nth(4).inner_text()
    assert "This sample was not judged." in page.inner_text("#grades")
    page = site.open("#sample=text/3&editor=oracle")
    page.wait_for_selector("#grades .block")
    assert "oracle was not judged." in page.inner_text("#grades")  # by the second


def test_samples_in_the_order_of_grades(site):
    page = site.open("#tab=samples")
    page.wait_for_selector("text=8 of 8 edits")
    orders = texts(page, "#sort option")
    assert "worst dimension by gpt-x-2026" in orders
    assert "worst TA grade by other-1" in orders
    page.select_option("#sort", "judge.0.mean")
    until(page, "document.querySelector('.card .numbers').innerText.includes('mean grade')")
    names = [name.split("\n") for name in texts(page, ".card .name")]
    assert names[:3] == [["text/2", "my editor"], ["text/0", "my editor"], ["text/0", "oracle"]]
    assert "mean grade 1.75" in page.locator(".card .numbers").first.inner_text()
    assert sorted(names[-2:]) == [["text/1", "my editor"], ["text/3", "my editor"]]  # those without one are last
    assert "–" in page.locator(".card .numbers").last.inner_text()
    page.select_option("#sort", "judge.0.TA")
    until(page, "document.querySelector('.card .numbers').innerText.includes('TA grade')")
    page.locator(".card").first.click()
    page.wait_for_selector("#grades .block")
    assert page.inner_text("h2") == "text/2"
    page.keyboard.press("]")
    page.wait_for_selector("h2:text-is('text/0')")


def test_grades_are_loaded_when_they_are_looked_at(site):
    page = site.open()
    page.wait_for_selector("#judged .grades")
    assert not any("/data/judged/" in url for url in site.requests)
    page.click("#tab-samples")
    page.wait_for_selector(".card")
    assert sorted(url.rsplit("/", 1)[1] for url in site.requests if "/data/judged/" in url) == ["index.js"] * 2
    page.locator(".card").first.click()
    page.wait_for_selector("#grades .block")
    assert sum(url.endswith("/0.js") for url in site.requests if "/data/judged/" in url) == 1


def test_around_masks(browser, reports):  # noqa: F811
    site = Page(browser, reports["pixels"])
    page = site.open(f"#sample={masked_runs.KEYS[0]}&editor=shift")
    page.wait_for_selector("#grades .block")
    assert "Overall 15.50 of 25" in page.inner_text("#grades")
    page.select_option("#sample-editor", "copy")
    page.wait_for_selector("text=copy was not judged.")
    page = site.open("#tab=samples&sort=judge.0.lowest")
    page.wait_for_selector("text=9 of 9 edits")
    assert page.locator(".card .name").first.inner_text().split("\n") == [masked_runs.KEYS[0], "shift"]
    assert "worst dimension 0.50" in page.locator(".card .numbers").first.inner_text()
    page.click("#tab-board")
    page.wait_for_selector("#judged .grades")
    assert "not judged: 2 samples of these runs" in page.inner_text("#judged")
    site.check()
    site.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_wider_than_the_window(browser, reports, width, address, scheme):  # noqa: F811
    site = Page(browser, reports["pages"], viewport={"width": width, "height": 860}, color_scheme=scheme)
    page = site.open(address)
    page.wait_for_selector("main h2")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    site.check()
    site.context.close()

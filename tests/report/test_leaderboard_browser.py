"""The leaderboard in a real browser, opened from a file."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.report.leaderboard_runs import MEANS, USABLE, signature, summary, write_run
from tests.report.site_runs import EVIL
from tests.report.test_site_browser import Page, browser, sync_api, texts  # noqa: F401
from vdebench.report.leaderboard import write_leaderboard

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
EDITORS = [f"editor {at}" for at in range(9)]


def about(name, at, **parts):
    local = {**MEANS, "cdm": at / 10, "iou": 0.9 - at / 10, "lpips": at / 20, "intervals": {"cdm": [at / 20, at / 9]}}
    means = {"local": local, "global": {**local, "cdm": 1 - at / 10}}
    inserted = {"text_insert": {"local": {**local, "cdm": 0.05 * at}}}
    verdicts = {**USABLE, "rate": (at * 7 % 9) / 10}
    return summary(name, overall=means, by={"operation": inserted}, usable=verdicts, **parts)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("board browser")
    for at, name in enumerate(EDITORS):
        write_run(root / "runs" / name, about(name, at))
    write_run(root / "runs/evil", about(EVIL, 9))
    write_run(root / "runs/other", summary("other", {"reader": "another@2"}))
    write_run(root / "runs/paper", summary("paper", {"p": "vde-v3"}))
    return write_leaderboard([root / "runs"], root / "a board #1", published=True, title="Nightly")


@pytest.fixture
def site(browser, report):  # noqa: F811
    page = Page(browser, report)
    yield page
    page.check()
    page.context.close()


FIRST = "[data-table='1'] tbody tr:not(.signed)"


def editors(page, where=FIRST):
    # `content-visibility: auto` leaves a table without text until the first frame after loading
    sync_api.expect(page.locator(f"{where} th").first).to_have_text(re.compile(r"\S"), use_inner_text=True)
    return [text.split("\n")[0] for text in texts(page, f"{where} th")]


def test_first_view_is_sorted_by_usable_edits_and_shows_coverage(site):
    page = site.open()
    assert page.title() == "Nightly · vdebench"
    rates = texts(page, f"{FIRST} td:nth-of-type(1) b")
    assert rates[:3] == ["80.0 %", "70.0 %", "60.0 %"]
    assert "7/8 scored, 1 missing" in texts(page, f"{FIRST} th")[0]
    assert EVIL in editors(page)
    heads = texts(page, "[data-table='1'] thead th")
    assert heads[1].startswith("Usable edits")
    assert "LPIPS (low)" in heads


def test_nothing_is_said_to_be_missing_while_the_page_is_drawn(site):
    site.context.add_init_script(
        "window.seen = []; new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach((node) =>"
        " window.seen.push(node.textContent || '')))).observe(document, { childList: true, subtree: true });"
    )
    page = site.open()
    page.wait_for_selector(FIRST)
    seen = page.evaluate("window.seen")
    assert any("editor 8" in text for text in seen)
    assert [text for text in seen if "data/board.js is missing" in text] == []


def test_tables_that_are_not_comparable_say_so(site):
    page = site.open()
    assert len(page.locator("[data-table]").all()) == 3
    said = page.locator("section", has=page.locator("[data-table='2']")).locator(".differs summary").inner_text()
    assert "Not comparable with Table 1 (reader, usable edits); Table 3 (protocol, reader)" in said
    page.locator(".differs summary").nth(1).click()
    assert "reader another@2 here, r@1 there" in texts(page, ".differs li")[3 - 1]


def test_any_column_sorts_both_ways_and_stays_in_the_address(site):
    page = site.open()
    page.click("[data-table='1'] [data-sort=cdm]")
    assert editors(page)[:2] == [EVIL, "editor 8"]
    page.click("[data-table='1'] [data-sort=cdm]")
    assert editors(page)[:2] == ["editor 0", "editor 1"]
    page.click("[data-table='1'] [data-sort=lpips]")  # lower is better
    assert editors(page)[0] == "editor 0"
    page.click("[data-table='1'] [data-sort=editor]")
    assert editors(page)[0] == EVIL
    page.reload()
    assert editors(page)[:2] == [EVIL, "editor 0"]
    assert page.locator("[data-table='1'] th[aria-sort=ascending]").count() == 1


def test_settings_slices_and_names_choose_numbers(site):
    page = site.open("#sort=cdm&down=1")
    row = f"{FIRST} >> nth=1"
    assert "0.800" in page.locator(row).inner_text()
    page.click("#Setting-global")
    assert editors(page)[0] == "editor 0"
    page.select_option("#by-slice", "operation")
    page.wait_for_selector("#by-value")
    page.click("#Setting-local")
    assert "0.400" in page.locator(row).inner_text()
    assert "in all 7/8 scored" in page.locator(row).inner_text()
    page.fill("#find", "editor 3")
    assert editors(page) == ["editor 3"]
    assert page.evaluate("document.activeElement.id") == "find"


def test_a_row_shows_its_signature_and_it_can_be_copied(browser, report):  # noqa: F811
    site = Page(browser, report, permissions=["clipboard-read", "clipboard-write"])
    page = site.open()
    page.locator(f"{FIRST} button", has_text="signature").first.click()
    assert page.locator("tr.signed:visible code").inner_text() == signature()
    page.locator("tr.signed:visible button").click()
    page.locator("#said", has_text="Signature copied").wait_for(state="attached")  # written once the copy is done
    assert page.evaluate("navigator.clipboard.readText()") == signature()
    site.check()
    site.context.close()


def test_published_rows_stand_under_a_warning(site):
    page = site.open()
    assert page.locator("tbody.printed").count() == 1
    printed = page.locator("[data-table='3'] tbody.printed")
    assert "not measured here" in printed.locator(".warning").inner_text()
    assert "LongCat-Image-Edit †" in printed.inner_text()
    page.click("#tab-printed")
    assert "not measured by vdebench" in page.locator(".warning").first.inner_text()
    page.select_option("#paper", "textedit")
    assert texts(page, "h2") == ["textedit, table 3 Outside the masks"]


def test_plots_have_words_and_numbers(site):
    page = site.open("#tab=plots&metric=cdm")
    assert page.locator("svg.plot[role=img]").get_attribute("aria-label").startswith("Intervals of CDM: <")
    assert page.locator("svg.plot .whisker").count() == 10
    page.click("#Plot-bars")
    assert page.locator("svg.plot .bar").count() == 4
    page.click("#who-5")
    assert page.locator("svg.plot .bar").count() == 5
    page.click("#Plot-radar")
    assert page.locator("svg.plot .area").count() == 5
    assert "Lower is better for LPIPS" in page.locator("figcaption").inner_text()
    page.click("#Plot-falls")
    assert texts(page, ".legend li") == [
        "usable",
        "fails first at completeness",
        "fails first at textual correctness",
        "fails first at visual fidelity",
    ]
    page.click("figure details summary")
    assert texts(page, "figure tbody tr")[0].split("\t")[1:] == ["4", "1", "2", "0", "1", "0", "0"]


def test_files_of_the_table_that_is_shown_are_offered(site, report):
    page = site.open("#by=operation")
    links = [link.get_attribute("href") for link in page.locator("section >> nth=0").locator(".files a").all()]
    assert links == [f"exports/1-strict-by-operation.{end}" for end in ("csv", "md", "tex")]
    assert all((report.parent / link).exists() for link in links)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "address", ["", "#tab=plots", "#tab=plots&plot=radar", "#tab=plots&plot=falls", "#tab=printed"]
)
def test_nothing_is_wider_than_a_phone(browser, report, scheme, address):  # noqa: F811
    site = Page(browser, report, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = site.open(address)
    page.wait_for_selector("main :is(h2, figure)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    site.check()
    site.context.close()


def test_light_and_dark_can_be_chosen(site):
    page = site.open()
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"

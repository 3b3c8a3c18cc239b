"""The report in a real browser, opened from a file."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.report import site_runs
from tests.report.site_runs import EVIL
from vdebench.pipeline.score import score
from vdebench.readers.reader import READERS
from vdebench.report.site import write_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
SAMPLES = 60  # more than a page of cards holds, by two editors


@pytest.fixture(scope="module")
def report(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        suite = site_runs.make_suite(root / "suite", SAMPLES)
        runs = site_runs.make_runs(root / "runs", suite, SAMPLES, protocols=("strict", "vde-release"))
        return write_report(runs, root / "a report #1")  # a name that must be escaped in an address


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield found
        found.close()


class Page:
    """The report's page; whatever goes wrong in it, or leaves it, fails the test."""

    def __init__(self, browser, report, **options):
        self.url = report.resolve().as_uri()
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("console", lambda message: self.troubles.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("requestfailed", lambda request: self.troubles.append(f"failed: {request.url}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        for action in ("click", "select_option", "fill"):
            setattr(self.page, action, self.then_drawn(getattr(self.page, action)))

    def then_drawn(self, action):
        """The action, then wait until the view it asks for is drawn: a link draws in a later task of the browser."""

        def run(*arguments, **options):
            action(*arguments, **options)
            self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            self.page.wait_for_selector("main:not([aria-busy])", state="attached")

        return run

    def open(self, address=""):
        self.page.goto("about:blank")
        self.page.goto(self.url + address)
        return self.page

    def check(self):
        assert self.troubles == []
        inside = (self.url.rsplit("/", 1)[0], "about:", "data:", "blob:")
        assert [url for url in self.requests if not url.startswith(inside)] == []
        assert "owned" not in self.page.title()


@pytest.fixture
def site(browser, report):
    page = Page(browser, report)
    yield page
    page.check()
    page.context.close()


def texts(page, where):
    return page.locator(where).all_inner_texts()


def test_leaderboard_sorts_and_shows_the_floor(site):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    names = "#leaderboard tbody tr:not(.reference) th"
    assert texts(page, names) == ["oracle", "my editor"]
    assert "(reference)" in page.locator("#leaderboard tbody th").last.inner_text()
    button = page.locator('[data-sort="global.cdm"]')
    button.click()
    assert texts(page, names) == ["oracle", "my editor"]  # the best first
    button.click()
    assert texts(page, names) == ["my editor", "oracle"]
    assert "(reference)" in page.locator("#leaderboard tbody th").last.inner_text()  # the floor stays below
    assert page.locator("#leaderboard th[aria-sort=ascending]").count() == 1
    assert page.evaluate("document.activeElement.dataset.sort") == "global.cdm"
    assert page.locator("#leaderboard tbody tr:not(.reference)", has_text="oracle").locator("td.best").count() > 3
    row = page.locator("#leaderboard tbody tr:not(.reference)", has_text="my editor").inner_text()
    assert "15/60" in row
    for state in ("15 refused", "15 missing", "15 failed"):
        assert state in row
    columns = page.locator("#leaderboard thead tr").nth(1).locator("th").count()
    page.get_by_text("All metrics").click()
    assert page.locator("#leaderboard thead tr").nth(1).locator("th").count() > columns


def test_intervals_are_bars_or_numbers_or_hidden(site):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    mine = page.locator("#leaderboard tbody tr:not(.reference)", has_text="my editor")
    cell = mine.locator("td:has(.whisker)").nth(1)  # the first is the rate of usable edits, 0 here
    assert re.fullmatch(r"0\.\d{3}, 95 % interval 0\.\d{3} to 0\.\d{3}", cell.get_attribute("title"))
    assert re.fullmatch(r"0\.\d{3}", cell.inner_text().strip())
    low, mean, high = (float(cell.locator("line").nth(at).get_attribute("x1")) for at in (1, 3, 2))
    assert 2 <= low < mean < high <= 98
    assert page.locator("#leaderboard tr.reference .whisker").count() == 0
    assert "10,000 resamples of pages, seed 0" in page.locator(".notes", has_text="intervals").inner_text()
    page.select_option("#intervals", "numbers")
    assert page.locator(".whisker").count() == 0
    assert "–" in mine.locator(".interval").first.inner_text()
    assert page.evaluate("document.activeElement.id") == "intervals"
    page.click("#tab-slices")
    page.wait_for_selector("#breakdown .interval")  # as chosen on the leaderboard
    page.select_option("#intervals", "bars")
    assert page.locator("#breakdown .whisker").count() > 0
    page.select_option("#intervals", "none")
    assert page.locator("#breakdown .whisker, #breakdown .interval").count() == 0
    assert page.locator("#breakdown td[title]").count() > 0
    page.reload()
    page.wait_for_selector("#breakdown")
    assert page.locator("#intervals").input_value() == "none"  # remembered


def test_protocols_and_breakdowns(site):
    page = site.open()
    page.select_option("#protocol", "vde-release")
    page.wait_for_selector("text=Leaderboard by vde-release")
    page.click("#tab-slices")
    page.select_option("#slice", "language")
    page.wait_for_selector("text=By language")
    assert texts(page, "#breakdown tbody th") == ["english", "simplified chinese"]
    page.select_option("#slice-editor", "oracle")
    page.wait_for_selector("text=All metrics of oracle")
    assert "protocol=vde-release" in page.url


def test_filters_order_and_pages(site):
    page = site.open("#tab=samples")
    page.wait_for_selector("#count")
    assert page.inner_text("#count") == "120 of 120 edits"
    assert page.locator(".card").count() == 48
    page.click("text=Next →")
    page.wait_for_selector("text=2 / 3")
    page.select_option("#filter-editor", "my editor")
    page.wait_for_selector("text=60 of 120 edits")
    page.select_option("#filter-state", "refused")
    page.wait_for_selector("text=15 of 120 edits")
    assert EVIL in page.locator(".card .why").first.inner_text()
    page.select_option("#filter-state", "")
    page.select_option("#filter-editor", "")
    page.locator("#text").press_sequentially("十月")
    page.wait_for_selector("text=30 of 120 edits")
    assert page.evaluate("document.activeElement.id") == "text"  # who types keeps the cursor
    page.fill("#text", "")
    page.select_option("#sort", "global.cdm")
    page.wait_for_function("document.querySelector('.card .name').innerText.includes('my editor')")
    assert set(texts(page, ".card .numbers")[:15]) == {texts(page, ".card .numbers")[0]}  # 15 equal ones are the worst
    assert "0.286" in texts(page, ".card .numbers")[0]  # 6/7 of one of three blocks
    page.fill("#text", "nothing like this")
    page.wait_for_selector("text=No sample matches all filters")


def stages(page):
    """Where each pane shows the page: left, top, width, in pixels of the frame."""
    return page.evaluate(
        """[...document.querySelectorAll('.frame')].filter((f) => f.querySelector('.stage')).map((f) => {
          const a = f.getBoundingClientRect(), b = f.querySelector('.stage').getBoundingClientRect();
          return [b.left - a.left, b.top - a.top, b.width].map(Math.round); })"""
    )


def test_panes_zoom_and_move_as_one(site):
    page = site.open("#sample=text/0&editor=my%20editor")
    page.wait_for_selector(".stage img")
    before = stages(page)
    assert len(before) == 3
    assert before[0] == before[1] == before[2]
    frame = page.locator("[data-pane=source] .frame").bounding_box()
    page.mouse.move(frame["x"] + 40, frame["y"] + 80)
    page.mouse.wheel(0, -600)
    page.wait_for_function("document.querySelector('#zoom').textContent !== '100 %'")
    zoomed = stages(page)
    assert zoomed[0] == zoomed[1] == zoomed[2]
    assert zoomed[0][2] > 2 * before[0][2]
    # what was under the pointer is there still: its share of the page's width is the same
    share = [(40 - left) / width for left, _, width in (before[0], zoomed[0])]
    assert share[0] == pytest.approx(share[1], abs=0.01)
    page.mouse.down()
    page.mouse.move(frame["x"] + 70, frame["y"] + 95)
    page.mouse.up()
    moved = stages(page)
    assert [moved[2][0] - zoomed[2][0], moved[2][1] - zoomed[2][1]] == pytest.approx([30, 15], abs=1)
    page.locator("[data-pane=reference] .frame").focus()
    page.keyboard.press("0")
    assert stages(page) == before
    page.keyboard.press("+")
    assert stages(page)[1][2] == pytest.approx(before[1][2] * 1.4, abs=2)
    page.click("text=Whole page")
    page.click("#to-region")
    assert stages(page)[0][2] > before[0][2]


def test_two_fingers(browser, report):
    site = Page(browser, report, has_touch=True)
    page = site.open("#sample=text/0&editor=oracle")
    page.wait_for_selector(".stage img")
    before = stages(page)
    page.evaluate(
        """() => { const f = document.querySelector('.frame'), b = f.getBoundingClientRect();
          f.setPointerCapture = () => {};
          const fire = (type, id, x, y) => f.dispatchEvent(new PointerEvent(type, {pointerId: id, clientX: b.left + x, clientY: b.top + y, bubbles: true}));
          fire('pointerdown', 1, 100, 200); fire('pointerdown', 2, 140, 200);
          fire('pointermove', 2, 180, 200); fire('pointerup', 1, 100, 200); fire('pointerup', 2, 180, 200); }"""
    )
    assert stages(page)[2][2] == pytest.approx(2 * before[2][2], abs=2)  # 40 pixels apart, then 80
    site.check()
    site.context.close()


def test_blocks_are_drawn_and_listed(site):
    page = site.open("#sample=text/0&editor=my%20editor")
    page.wait_for_selector("#units .block")
    page.select_option("#sample-setting", "global")
    assert texts(page, "#units .block .head b") == ["missed", "invented", "matched"]
    assert (page.inner_text(".block.matched del"), page.inner_text(".block.matched ins")) == ("4", "3")

    def drawn(pane, kind):
        return page.locator(f"[data-pane={pane}] rect.{kind}").count()

    assert [drawn("reference", kind) for kind in ("matched", "missed", "invented", "region")] == [1, 1, 0, 1]
    assert [drawn("prediction", kind) for kind in ("matched", "missed", "invented", "region")] == [1, 1, 1, 1]
    assert [drawn("source", kind) for kind in ("matched", "region")] == [0, 1]
    box = page.locator("[data-pane=reference] rect.missed").bounding_box()
    stage = page.locator("[data-pane=reference] .stage").bounding_box()
    # the footer stands at 20 to 180 of 200, 200 to 230 of 300 pixels; the line is as wide as it is
    assert (box["x"] - stage["x"]) / stage["width"] == pytest.approx(0.1, abs=0.01)
    assert (box["y"] - stage["y"]) / stage["height"] == pytest.approx(2 / 3, abs=0.01)
    page.click("[data-over=missed]")
    assert [drawn("reference", "missed"), drawn("prediction", "missed")] == [0, 0]
    page.click(".block.invented button")
    assert page.locator("rect.invented.chosen").count() == 1
    assert page.inner_text("#zoom") != "100 %"


def test_difference_is_black_where_pages_agree(site, tmp_path):
    from PIL import Image

    page = site.open("#sample=text/0&editor=my%20editor")
    page.wait_for_selector(".stage img")
    for name in ("source", "prediction", "reference"):
        page.click(f"[data-show={name}]")
    page.click("[data-show=difference]")
    page.wait_for_function("[...document.querySelectorAll('.stage img')].every((image) => image.complete)")
    page.locator(".stage").screenshot(path=str(tmp_path / "stage.png"))
    with Image.open(tmp_path / "stage.png") as shot:
        picture = shot.convert("L")
        at = lambda x, y: picture.getpixel((round(x / 200 * picture.width), round(y / 300 * picture.height)))  # noqa: E731
        assert at(100, 180) < 8  # paper on both
        assert at(100, 75) < 8  # the body, grey on both
        assert at(100, 215) > 240  # the footer that is not there: 255 − 90, four times as bright
        assert at(60, 140) > 240  # the invented block


def test_what_others_wrote_stays_text(site):
    page = site.open("#sample=text/1&editor=oracle")
    page.wait_for_selector("#units .block")
    assert page.inner_text(".instruction") == f"Write {EVIL}"
    page.select_option("#sample-setting", "global")
    assert EVIL in "".join(texts(page, "#units .block p"))
    assert page.locator("main script, main img[src=x]").count() == 0
    page.select_option("#sample-editor", "my editor")
    page.wait_for_selector(".warning")
    assert page.inner_text(".warning") == f"refused: cannot parse {EVIL}"
    assert "No numbers" in page.inner_text("#sample")


def test_usable_edits_lead_to_their_samples_and_evidence(site):
    """Of every four, `my editor` invents on one, has no output for two, and one file is broken: 60 that all fail."""
    page = site.open()
    page.wait_for_selector("#usable")
    cells = page.locator("#usable tbody tr", has_text="my editor").locator("td")
    assert cells.all_inner_texts() == ["60", "60", "0", "0", "0", "0", "0", "0"]  # judged, fails, usable, unknown
    cells.nth(1).locator("a").click()
    page.wait_for_selector(".card")
    assert page.inner_text("#count") == "60 of 120 edits"
    assert page.input_value("#filter-usable") == "fails: Completeness"
    page.locator(".card").first.click()
    page.wait_for_selector("#properties")
    told = page.inner_text("#properties")
    assert "✗ fails new content on 4.07% of the page" in told
    assert "✓ passes" in told
    page = site.open("#tab=samples&usable=usable")
    page.wait_for_selector(".card")
    assert page.inner_text("#count") == "60 of 120 edits"


def test_odd_words_of_an_editor(browser, tmp_path, monkeypatch):
    """Parameters that are no JSON, halves of characters, line ends that only scripts know."""
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
    runs = site_runs.make_runs(tmp_path / "runs", site_runs.make_suite(tmp_path / "suite", 1), 1)
    line = '{"sample": "text/0", "state": "edited", "parameters": {"loss": NaN, "odd": "a\\ud800b\\u2028c", "deep": {"a": [1]}}}'
    with (runs / "oracle/edits.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    site = Page(browser, write_report(runs, tmp_path / "report"))
    page = site.open("#sample=text/0&editor=oracle")
    about = ".facts:not(#properties)"
    page.wait_for_selector(about)
    assert '{"a":[1]}' in page.inner_text(about)
    site.check()
    site.context.close()


def test_to_the_data_set_and_back(site):
    page = site.open()
    page.click("text=Data set")
    assert page.inner_text("h1").startswith("Statistics of")
    assert page.locator("figure svg").count() >= 4
    page.click("text=back to the report")
    page.wait_for_selector("#main table")


def test_next_previous_and_links(site):
    page = site.open("#tab=samples&editor=my%20editor&state=scored&sort=global.cdm")
    page.wait_for_selector(".card")
    page.locator(".card").first.click()
    page.wait_for_selector("text=1 / 15")
    assert page.locator("#previous").is_disabled()
    page.click("#next")
    page.wait_for_selector("text=2 / 15")
    page.wait_for_selector("h2:text-is('text/4')")
    assert page.evaluate("document.activeElement.id") == "next"
    page.keyboard.press("]")
    page.wait_for_selector("h2:text-is('text/8')")
    page.go_back()
    page.wait_for_selector("h2:text-is('text/4')")
    link = page.url
    page.click("#back")
    page.wait_for_selector("text=15 of 120 edits")
    page.goto("about:blank")
    page.goto(link)  # who was sent the link sees the same
    page.wait_for_selector("h2:text-is('text/4')")
    page.goto("about:blank")
    page.goto(site.url + "#sample=text/999")
    page.wait_for_selector("text=This report has no sample text/999")


def test_data_is_loaded_when_it_is_needed(site):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    loaded = [url for url in site.requests if "/data/" in url]
    assert [url.rpartition("/data/")[2] for url in loaded] == ["board.js"]
    page.goto(site.url + "#sample=text/30&editor=oracle")
    page.wait_for_selector("#units .block")
    chunks = [url.rpartition("/")[2] for url in site.requests if "oracle/" in url and "/data/" in url]
    assert sorted(chunks) == ["1.js", "index.js"]  # samples 25 to 49
    assert not any("/images/" in url and "000030" not in url for url in site.requests)


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("address", ["#tab=board", "#tab=slices", "#tab=samples", "#sample=text/0&editor=my%20editor"])
def test_nothing_is_wider_than_the_window(browser, report, width, address):
    site = Page(browser, report, viewport={"width": width, "height": 860})
    page = site.open(address)
    page.wait_for_selector("main h2")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    site.check()
    site.context.close()


def test_light_and_dark(browser, report):
    site = Page(browser, report, color_scheme="dark")
    page = site.open()
    page.wait_for_selector("#leaderboard")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.click("#theme")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.reload()
    page.wait_for_selector("#leaderboard")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"  # kept
    page.click("#theme")
    assert page.evaluate(paper) == dark
    site.check()
    site.context.close()


def test_focus_is_seen(site):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_run_of_ready_ocr_output_shows_its_boxes_on_blank_pages(browser, tmp_path):
    suite = site_runs.make_suite(tmp_path / "suite")
    score(suite, suite / "readings", out=tmp_path / "run", editor="mine")
    shutil.rmtree(suite / "images")  # the suite's own pictures may be absent too
    site = Page(browser, write_report(tmp_path / "run", tmp_path / "report"))
    page = site.open("#sample=text/0&editor=mine")
    page.wait_for_selector("#units .block")
    for pane in ("prediction", "reference"):
        assert page.locator(f'[data-pane="{pane}"] figcaption').inner_text().startswith(pane.capitalize())
        assert "no image: boxes alone" in page.locator(f'[data-pane="{pane}"] figcaption').inner_text()
        assert page.locator(f'[data-pane="{pane}"] rect.matched').count() == 1  # local: the one block in the region
        stage = page.locator(f'[data-pane="{pane}"] .stage').bounding_box()
        assert stage["height"] / stage["width"] == pytest.approx(site_runs.HEIGHT / site_runs.WIDTH, rel=0.02)
    site.check()
    site.context.close()

"""The report of runs around masks in a real browser."""

from __future__ import annotations

import shutil

import cv2
import numpy as np
import pytest
from PIL import Image

from tests.report import masked_runs
from tests.report.masked_runs import FIRST, HEIGHT, KEYS, SHIFT, WIDTH
from tests.report.site_runs import EVIL
from tests.report.test_site_browser import Page, browser, stages, texts  # noqa: F401
from vdebench.report.site import write_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("masked browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        runs = masked_runs.make_runs(root / "runs", masked_runs.make_suite(root / "suite"))
        return write_report(runs, root / "report")


@pytest.fixture
def site(browser, report):  # noqa: F811
    page = Page(browser, report)
    yield page
    page.check()
    page.context.close()


def until(page, expression):
    """Wait until something is so; the page's policy forbids what `wait_for_function` does when it has to wait."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"never so: {expression}")


def only(page, *names):
    """Show these panes alone, and wait for their images."""
    for button in page.locator("[data-show]").all():
        if (button.get_attribute("aria-pressed") == "true") != (button.get_attribute("data-show") in names):
            button.click()
    until(page, "[...document.querySelectorAll('.stage img')].every((image) => image.complete)")
    page.wait_for_timeout(100)


def seen(page, pane, tmp_path):
    """What a pane shows, in the page's pixels."""
    page.locator(f"[data-pane={pane}] .stage").screenshot(path=str(tmp_path / "stage.png"))
    with Image.open(tmp_path / "stage.png") as shot:
        return np.asarray(shot.convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.BOX)).astype(int)


def test_leaderboard_and_breakdowns(site):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    heads = texts(page, "#leaderboard thead tr:last-child th")
    assert heads[:4] == ["Editor", "Scored", "Score", "Done"]
    assert heads[-2:] == ["raw SSIM", "raw PSNR"]
    assert texts(page, "#leaderboard th.group") == ["Around the masks"]
    row = page.locator("#leaderboard tbody tr", has_text="copy")
    assert "∞" in row.locator("td.best").all_inner_texts()
    assert "(reference)" not in page.inner_text("main")  # no reader, no floor
    page.click("#tab-slices")
    page.wait_for_selector("text=By split")
    assert page.locator("#slice-setting").count() == 0
    assert texts(page, "#slice option") == ["split", "operation", "topic", "tier"]
    page.select_option("#slice", "source")
    page.wait_for_selector("h2:text-is('By topic')")
    assert texts(page, "#breakdown thead th") == ["topic", "copy", "shift", "my editor", "samples"]
    assert texts(page, "#breakdown tbody th") == ["Packaging & Logistics"]
    page.select_option("#slice-editor", "shift")
    page.wait_for_selector("text=All metrics of shift")
    page.select_option("#protocol", "textedit")
    until(page, "!document.querySelector('#breakdown').innerText.includes('Score')")


def test_filters_and_order(site):
    page = site.open("#tab=samples")
    page.wait_for_selector("text=9 of 9 edits")
    for key, value, left in (
        ("group", "web", 3),
        ("tier", "medium", 3),
        ("operation", "text_insert", 9),
        ("source", "Packaging & Logistics", 9),
        ("outcome", "untouched", 4),  # all copies, and what the other made of a sample without reference
        ("alignment", "in_place", 3),
        ("state", "refused", 1),
    ):
        page.select_option(f"#filter-{key}", value)
        page.wait_for_selector(f"text={left} of 9 edits")
        page.select_option(f"#filter-{key}", "")
        page.wait_for_selector("text=9 of 9 edits")
    assert page.locator("#filter-language").count() == 0
    orders = texts(page, "#sort option")
    assert {"worst Score", "worst Done", "worst SSIM", "worst PSNR", "worst raw SSIM"} < set(orders)
    assert "worst Untouched" not in orders
    page.select_option("#sort", "outside.score")
    until(page, "document.querySelector('.card .numbers').innerText.includes('Score 0.000')")
    page.select_option("#sort", "outside.mse")
    until(page, "document.querySelector('.card .name').innerText.includes('shift')")  # the largest first
    page.select_option("#filter-alignment", "aligned")
    page.wait_for_selector("text=3 of 9 edits")
    page.locator(".card").first.click()
    page.wait_for_selector("text=1 / 3")
    page.click("#back")
    page.wait_for_selector("text=3 of 9 edits")


def test_masks_are_drawn_over_every_page(site, tmp_path):
    page = site.open(f"#sample={KEYS[0]}&editor=shift")
    page.wait_for_selector(".stage image.mask")
    only(page, "source", "prediction", "reference", "difference", "aligned")
    assert page.locator(".stage image.mask").count() == 5
    assert texts(page, "[data-over]") == ["Masks"]
    before = stages(page)
    assert len({tuple(stage) for stage in before}) == 1
    only(page, "reference")
    with_mask = seen(page, "reference", tmp_path)
    page.click("[data-over=mask]")
    assert page.locator(".stage image.mask").count() == 0
    without = seen(page, "reference", tmp_path)
    changed = np.abs(with_mask - without).sum(axis=2) > 6
    x1, y1, x2, y2 = FIRST
    assert changed[y1 + 2 : y2 - 2, x1 + 2 : x2 - 2].all()
    assert np.abs(with_mask - without)[y1 + 2 : y2 - 2, x1 + 2 : x2 - 2].mean() < 60  # what is below stays to be seen
    assert changed[y1 - 1, x1:x2].all()  # the line
    assert not changed[:20].any()
    assert not changed[70:].any()
    page.click("[data-over=mask]")
    page.click("#to-region")
    assert stages(page)[0][2] > 1.5 * before[0][2]


@pytest.mark.parametrize("sample", [0, 1, 2])  # of the page's size; twice as large; without a reference
def test_differences_raw_and_aligned(site, tmp_path, sample):
    page = site.open(f"#sample={KEYS[sample]}&editor=shift")
    page.wait_for_selector(".stage img")
    only(page, "difference", "aligned")
    page.click("[data-over=mask]")
    page.select_option("#amplify", "1")
    only(page, "difference", "aligned")
    named = ["Raw difference (input)", "Aligned difference (input)"]
    assert texts(page, "figcaption span:first-child") == (
        named if sample == 2 else [name.replace("input", "reference") for name in named]
    )
    raw, whole = (seen(page, pane, tmp_path) for pane in ("difference", "aligned"))
    raw, aligned = raw[8:-8, 8:-8], whole[8:-8, 8:-8]
    of = masked_runs.canvas(sample) if sample == 2 else masked_runs.edited(masked_runs.canvas(sample))
    wanted = cv2.absdiff(masked_runs.page(of), masked_runs.page(of, *SHIFT))[8:-8, 8:-8]
    assert raw.mean() == pytest.approx(wanted.mean(), rel=0.08)
    assert np.corrcoef(raw.ravel(), wanted.ravel())[0, 1] > 0.9
    assert aligned.mean() < wanted.mean() / 8
    # moved back by three pixels it does not reach the right edge: nothing is compared there, the mat is seen
    assert whole[20:-20, -2] == pytest.approx(np.broadcast_to((198, 204, 211), (HEIGHT - 40, 3)), abs=3)
    assert stages(page)[0] == stages(page)[1]


@pytest.mark.parametrize(
    ("transform", "size", "wanted"),
    [
        ([[1, 0, -3], [0, 1, -2]], [200, 150], [-3, -2, 197, 148]),
        ([[1, 0, 0], [0, 1, 0]], [100, 75], [0, 0, 100, 75]),
        # every page's pixel is four of the output: those in the middle of 0 and 1 lie at 0
        ([[0.5, 0, -0.25], [0, 0.5, -0.25]], [400, 300], [0, 0, 200, 150]),
        # a quarter turn: the output's left lower pixel, 0 and 199, comes to 0 and 0
        ([[0, -1, 199], [1, 0, 0]], [150, 200], [0, 0, 200, 150]),
    ],
)
def test_images_are_laid_by_the_middles_of_pixels(site, transform, size, wanted):
    page = site.open()
    page.wait_for_selector("#leaderboard")
    dot = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
    found = page.evaluate(
        """([dot, transform, size]) => {
          const panes = new Vde.Panes(() => {});
          document.getElementById('main').replaceChildren(panes.element);
          const pane = panes.add('aligned', 'Aligned', [dot, dot], [200, 150]);
          panes.lay(pane, transform, size);
          panes.look(0.5, 0.5, 1.5);
          const a = pane.stage.getBoundingClientRect(), b = pane.layers.lastChild.getBoundingClientRect(), k = 200 / a.width;
          return [(b.left - a.left) * k, (b.top - a.top) * k, (b.right - a.left) * k, (b.bottom - a.top) * k]; }""",
        [dot, transform, size],
    )
    assert found == pytest.approx(wanted, abs=0.01)


def test_panel_lists_numbers_and_alignment(site):
    page = site.open(f"#sample={KEYS[0]}&editor=shift")
    page.wait_for_selector("#numbers")
    assert texts(page, "#numbers thead th") == ["Metric", "as scored", "raw"]
    rows = dict(zip(texts(page, "#numbers tbody th"), texts(page, "#numbers tbody tr"), strict=True))
    assert list(rows) == ["Score", "Done", "SSIM", "PSNR", "MSE (low)"]
    scored, raw = map(float, rows["SSIM"].split()[1:])
    assert scored > raw
    assert rows["Score"].split()[2] == "–"  # there is no raw one
    told = page.inner_text("#sample")
    for part in ("Alignment", "Shift", "Residual", "of which", "Inside the masks", "Done, in pixels", "Split", "Tier"):
        assert part in told
    assert "Text by block" not in told
    assert "Language" not in told
    page.select_option("#protocol", "textedit")
    until(page, "document.querySelectorAll('#numbers thead th').length === 2")


def test_outputs_in_place_have_no_aligned_difference(site):
    page = site.open(f"#sample={KEYS[0]}&editor=copy")
    page.wait_for_selector(".stage img")
    only(page, "difference", "aligned")
    assert "in place: the raw output is closer" in page.inner_text("[data-pane=aligned]")
    assert page.locator("[data-pane=difference] .stage").count() == 1
    page.select_option("#sample-editor", "my editor")
    page.wait_for_selector(".warning")
    assert "needs both images" in page.inner_text("[data-pane=aligned]")
    assert "No numbers" in page.inner_text("#sample")


def test_what_others_wrote_stays_text(site):
    page = site.open(f"#sample={KEYS[1]}&editor=my%20editor")
    page.wait_for_selector(".warning")
    assert page.inner_text(".instruction") == f"Write {EVIL}"
    assert page.inner_text(".warning") == f"refused: cannot parse {EVIL}"
    assert page.locator("main script, main img[src=x]").count() == 0


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("address", ["#tab=board", "#tab=slices", "#tab=samples", f"#sample={KEYS[0]}&editor=shift"])
def test_nothing_is_wider_than_the_window(browser, report, width, address):  # noqa: F811
    site = Page(browser, report, viewport={"width": width, "height": 860})
    page = site.open(address)
    page.wait_for_selector("main h2")
    if "sample=" in address:
        only(page, "source", "prediction", "reference", "difference", "aligned")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    site.check()
    site.context.close()

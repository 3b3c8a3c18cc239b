"""The page of one edit in a real browser, opened from a file."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from PIL import Image

from tests.report.edit_pairs import INSTRUCTION, OUTPUT, PAGE, draw_page, make_pair
from tests.report.site_runs import EVIL
from tests.report.test_site_browser import Page, browser, texts  # noqa: F401
from vdebench.changes.change import Geometry
from vdebench.report.edit_page import write_edit_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
KINDS = ["cropped", "replaced", "replaced", "lost", "restyled", "ink added", "ink lost", "replaced"]
"""Kinds of the changes as listed."""
READY = "[...document.images].every((image) => image.complete && image.naturalWidth)"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("browser")
    pair = make_pair(root / "pair")
    why = f"{pair.check.why} {EVIL}"
    check = replace(pair.check, why=why)
    return write_edit_page(check, pair.before, pair.after, root / "a page #1.html", instruction=f"{INSTRUCTION} {EVIL}")


def opened(browser, made, **options):  # noqa: F811
    site = Page(browser, made, **{"viewport": {"width": 1400, "height": 900}, **options})
    page = site.open()
    page.wait_for_selector(".change")
    page.wait_for_function(READY)
    return site


@pytest.fixture
def site(browser, made):  # noqa: F811
    site = opened(browser, made)
    yield site
    site.check()
    site.context.close()


def place(page, where, inside):
    """Centre of an element and its width, in pixels of another."""
    return page.evaluate(
        """([where, inside]) => { const box = (one) => document.querySelector(one).getBoundingClientRect(), a = box(where), b = box(inside);
          return [a.left + a.width / 2 - b.left, a.top + a.height / 2 - b.top, a.width]; }""",
        [where, inside],
    )


def test_verdict_and_list(site):
    page = site.page
    assert page.inner_text("#edit") == "done"
    assert page.inner_text("#usable").startswith("no: 59.00 → 69.00 was not asked for")
    assert "92 % of the width" in page.inner_text("#geometry")
    assert texts(page, ".change b") == KINDS
    assert page.inner_text("#count") == "8 changes"
    assert texts(page, "#change-1 .words") == ["59.00 → 69.00"]
    assert page.locator("[data-pane=before] rect").count() == 7
    assert page.locator("[data-pane=after] rect").count() == 5
    assert page.locator("rect.asked[data-kind=replaced]").count() == 2


def test_what_others_wrote_stays_text(site):
    page = site.page
    for where in ("#instruction", "#usable", "#change-4 .words"):
        assert EVIL in page.inner_text(where)
    assert page.locator("main script, main img[src=x]").count() == 0
    assert page.title() == "Changes: edited.jpg"


def test_filters(site):
    page = site.page
    page.click("#facts-only")
    assert texts(page, ".change b") == ["cropped", "replaced", "replaced"]
    assert page.inner_text("#count") == "3 of 8 changes"
    page.click("#unasked-only")
    assert texts(page, ".change b") == ["cropped", "replaced"]
    page.click("[data-filter=replaced]")
    assert texts(page, ".change b") == ["cropped"]
    assert page.locator(".stage rect").count() == 1
    page.click("[data-filter=cropped]")
    assert page.is_visible("text=No change matches the filters.")
    for name in ("#facts-only", "#unasked-only", "[data-filter=replaced]", "[data-filter=cropped]"):
        page.click(name)
    assert page.inner_text("#count") == "8 changes"
    page.click("#boxes")
    assert page.locator(".stage rect").count() == 0
    page.click("#change-1")
    assert page.locator(".stage rect").count() == 2  # the selected change alone


def test_a_selected_change_is_in_the_middle_of_both_images(site):
    page = site.page
    page.click("#change-1")
    assert page.get_attribute("#change-1", "aria-current") == "true"
    assert page.inner_text("#zoom") != "100 %"
    frame = page.locator("[data-pane=before] .frame").bounding_box()
    for pane in ("before", "after"):
        assert page.locator(f"[data-pane={pane}] rect.chosen").count() == 1
        x, y, _ = place(page, f"[data-pane={pane}] rect.chosen", f"[data-pane={pane}] .frame")
        assert [x, y] == pytest.approx([frame["width"] / 2, frame["height"] / 2], abs=3)
    assert "likelihood before -14.25" in page.inner_text("#change-1 .evidence")
    page.click("#change-3")  # the output has no box of a lost word: it shows the same place of the page
    assert page.locator("[data-pane=after] rect.chosen").count() == 0
    box = draw_page(False)[1]["35.50"]  # in the same row
    left = page.evaluate(
        """() => ['before', 'after'].map((pane) => { const get = (one) => document.querySelector(`[data-pane=${pane}] ${one}`).getBoundingClientRect();
          const stage = get('.stage'), frame = get('.frame'); return [stage.left - frame.left, stage.top - frame.top, stage.width, stage.height]; })"""
    )
    row = (box.y1 + box.y2) / 2
    on_before = left[0][1] + row / PAGE.height * left[0][3]
    on_after = left[1][1] + row * OUTPUT.height / 1104 / OUTPUT.height * left[1][3]
    assert on_before == pytest.approx(frame["height"] / 2, abs=20)
    assert on_after == pytest.approx(frame["height"] / 2, abs=20)
    page.click("#whole")
    assert page.inner_text("#zoom") == "100 %"


def test_images_move_together(site):
    page = site.page
    page.click("#change-1")
    before = [
        place(page, f"[data-pane={pane}] rect.chosen", f"[data-pane={pane}] .frame") for pane in ("before", "after")
    ]
    frame = page.locator("[data-pane=after] .frame").bounding_box()
    page.mouse.move(frame["x"] + 50, frame["y"] + 50)
    page.mouse.down()
    page.mouse.move(frame["x"] + 110, frame["y"] + 80)
    page.mouse.up()
    moved = [
        place(page, f"[data-pane={pane}] rect.chosen", f"[data-pane={pane}] .frame") for pane in ("before", "after")
    ]
    assert moved[1][0] - before[1][0] == pytest.approx(60, abs=2)  # it follows the pointer
    assert moved[0][0] - before[0][0] == pytest.approx(60 * 828 / 900, abs=2)  # the page is smaller there


def test_keys(site):
    page = site.page
    for key, chosen in (("j", 0), ("j", 1), ("k", 0), ("k", 7), ("j", 0)):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"change-{chosen}"
    page.click("#facts-only")
    for chosen in (1, 7, 0):
        page.keyboard.press("j")
        assert page.locator("[aria-current]").get_attribute("id") == f"change-{chosen}"
    page.keyboard.press("b")
    assert page.get_attribute("[data-mode=blink]", "aria-pressed") == "true"
    page.keyboard.press("b")
    assert page.get_attribute("[data-mode=side]", "aria-pressed") == "true"


def test_a_click_on_a_box_selects_its_change(site):
    page = site.page
    box = page.locator("[data-pane=after] rect[data-kind=ink_added]").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.inner_text("[aria-current] b") == "ink added"


def test_blink_alternates_in_the_coordinates_of_the_page(site):
    page = site.page
    page.click("[data-mode=blink]")
    assert page.locator(".frame").count() == 1
    for shown in ("after", "before", "after"):
        page.wait_for_selector(f"[data-shown={shown}]")
    page.click("#hold-before")
    assert page.inner_text("[data-pane=both] figcaption span:first-child") == "Before: page.png"
    assert page.inner_text("#pause") == "Continue"
    page.wait_for_timeout(900)
    assert page.get_attribute("[data-pane=both]", "data-shown") == "before"
    page.click("#hold-after")
    assert page.get_attribute("#hold-after", "aria-pressed") == "true"
    page.locator("#interval").fill("350")
    assert page.inner_text("#interval-text") == "0.35 s"
    places = page.evaluate(
        """() => [...document.querySelectorAll('.layer')].map((layer) => { const box = layer.querySelector('rect[data-change="1"]').getBoundingClientRect(); return [box.left, box.top, box.bottom]; })"""
    )
    assert places[0] == pytest.approx(places[1], abs=1)  # 59.00 and 69.00 start at the same place of the page
    page.click("#pause")
    page.wait_for_selector("[data-shown=before]")
    page.wait_for_selector("[data-shown=after]")


def test_blinking_waits_for_those_who_prefer_no_motion(browser, made):  # noqa: F811
    site = opened(browser, made, reduced_motion="reduce")
    site.page.keyboard.press("b")
    assert site.page.inner_text("#pause") == "Continue"
    site.check()
    site.context.close()


def test_swipe(site, tmp_path):
    page = site.page
    page.click("#boxes")
    page.click("[data-mode=swipe]")
    shot = tmp_path / "shot.png"

    def ink(name):
        """Dark pixels where the ellipse was added, or the rule lost."""
        page.locator("[data-pane=both] .stage").screenshot(path=str(shot))
        with Image.open(shot) as picture:
            grey, by = picture.convert("L"), picture.width / PAGE.width
        parts = {"ellipse": (555, 815, 705, 935), "rule": (200, 310, 400, 320)}
        part = grey.crop([round(side * by) for side in parts[name]])
        return sum(part.histogram()[:200])

    handle = page.locator(".divider")
    assert handle.get_attribute("aria-valuenow") == "50"
    frame = page.locator("[data-pane=both] .frame").bounding_box()
    assert (ink("ellipse") > 100, ink("rule") > 20) == (True, True)  # after on the right, before on the left
    page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + 30)
    page.mouse.down()
    page.mouse.move(frame["x"] + frame["width"], frame["y"] + 30, steps=4)
    page.mouse.up()
    assert int(handle.get_attribute("aria-valuenow")) >= 99
    assert (ink("ellipse"), ink("rule") > 20) == (0, True)
    handle.focus()
    page.keyboard.press("Home")
    assert handle.get_attribute("aria-valuenow") == "0"
    assert (ink("ellipse") > 100, ink("rule")) == (True, 0)
    page.keyboard.press("ArrowRight")
    assert handle.get_attribute("aria-valuenow") == "2"
    page.click("#change-1")
    assert page.locator("[data-pane=both] .frame rect.chosen").count() == 2


def test_a_page_that_was_drawn_anew_is_stretched_and_says_so(browser, tmp_path):  # noqa: F811
    pair = make_pair(tmp_path)
    check = replace(pair.check, page=replace(pair.check.page, geometry=Geometry("reframed", PAGE, OUTPUT)))
    site = opened(browser, write_edit_page(check, pair.before, pair.after, tmp_path / "page.html"))
    page = site.page
    assert page.locator("#instruction").count() == 0
    assert page.is_hidden("#stretched")
    page.click("[data-mode=swipe]")
    assert page.is_visible("#stretched")
    site.check()
    site.context.close()


def test_no_changes(browser, tmp_path):  # noqa: F811
    pair = make_pair(tmp_path)
    check = replace(pair.check, page=replace(pair.check.page, changes=()))
    site = Page(browser, write_edit_page(check, pair.before, pair.after, tmp_path / "page.html"))
    page = site.open()
    page.wait_for_selector("text=No changes.")
    for key in "jkb":
        page.keyboard.press(key)
    site.check()
    site.context.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_window(browser, made, width):  # noqa: F811
    site = opened(browser, made, viewport={"width": width, "height": 860})
    for mode in ("side", "blink", "swipe"):
        site.page.click(f"[data-mode={mode}]")
        assert site.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    site.check()
    site.context.close()


def test_light_dark_and_focus(browser, made):  # noqa: F811
    site = opened(browser, made, color_scheme="dark")
    page = site.page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) != "rgb(255, 255, 255)"
    page.click("#theme")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    names = "[...document.querySelectorAll('button')].filter((one) => !(one.getAttribute('aria-label') || one.textContent).trim()).length"
    assert page.evaluate(names) == 0
    site.check()
    site.context.close()

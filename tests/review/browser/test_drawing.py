"""Boxes, zoom and marks in a real browser: exact to the pixel, by mouse and by keys."""

from __future__ import annotations

import json
import re
import shutil

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
pytest.importorskip("uvicorn", reason='pip install "vdebench[review]"')
expect = sync_api.expect

from tests.review.browser.served import CHANGED  # noqa: E402
from vdebench.review.ratings import Ratings  # noqa: E402
from vdebench.review.steps.score import Rate  # noqa: E402

COLOURS = """async ([x, y]) => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const pictures = [...document.querySelectorAll(".pane-box canvas:first-child")];
  return pictures.map((canvas) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3));
}"""
"""What both panes show at a point of theirs, when they are drawn."""

BLUE = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const canvas = document.querySelector("[data-pane=after] canvas"), { width, height } = canvas;
  const colours = canvas.getContext("2d").getImageData(0, 0, width, height).data, x = [], y = [];
  for (let pixel = 0; pixel < width * height; pixel++)
    if (colours[4 * pixel + 2] === 255 && colours[4 * pixel] === 0) x.push(pixel % width), y.push(Math.floor(pixel / width));
  const { left, top } = canvas.getBoundingClientRect(), least = (all) => all.reduce((a, b) => Math.min(a, b));
  const most = (all) => all.reduce((a, b) => Math.max(a, b)) + 1;
  return [left + least(x) / 2, top + least(y) / 2, left + most(x) / 2, top + most(y) / 2];
}"""
"""Where on the screen what was changed is seen, of two pixels for one."""


@pytest.fixture
def drawer(review, person):
    review.people()
    for group in "123":
        review.do(f"bob{group}", Rate("page_0-0", 1, group, Ratings(3, 3, 3)))
    one = person("ann1")
    one.open("page_0-0")
    one.step("Boxes")
    return one


def test_boxes_by_mouse_and_keys(drawer, review):
    one, page = drawer, drawer.page
    one.draw(50, 60, 150, 80)
    assert one.boxes() == [[50, 60, 150, 80]]
    one.press("ArrowRight", "Shift+ArrowDown")
    assert one.boxes() == [[51, 70, 151, 90]]
    one.press("Alt+ArrowRight", "Alt+Shift+ArrowUp", "Control+ArrowRight")
    assert one.boxes() == [[52, 60, 152, 90]]
    one.press("e", "ArrowLeft", "ArrowUp")  # the left edge alone; it does not go up
    page.get_by_text("Arrow keys move the left edge.").wait_for()
    assert one.boxes() == [[51, 60, 152, 90]]
    one.press("Escape", "Control+z")
    assert one.boxes() == [[50, 60, 150, 80]]  # nudges of one box are undone together
    one.press("Control+y")
    assert one.boxes() == [[51, 60, 152, 90]]

    one.drag(one.at("after", 152, 90), one.at("after", 160.4, 95.4))  # by its corner
    assert one.boxes() == [[51, 60, 160, 95]]
    one.drag(one.at("after", 100, 78), one.at("after", 90, 78))  # as a whole
    assert one.boxes() == [[41, 60, 150, 95]]
    one.draw(300, 200, 500, 500)  # over the edge of the page
    assert one.boxes()[1] == [300, 200, 400, 300]
    one.press("ArrowRight")
    assert one.boxes()[1] == [300, 200, 400, 300]
    page.locator(".stage").focus()
    one.press("Shift+Tab", "Delete")
    assert one.boxes() == [[300, 200, 400, 300]]

    field = page.get_by_label("Box 1: Bottom")
    field.fill("219")
    field.press("Enter")
    assert one.boxes() == [[300, 200, 400, 219]]
    page.get_by_text("Tolerance: 1 px in total, if the other groups draw the same.").wait_for()
    field.fill("213")
    field.press("Tab")
    page.get_by_text("Tolerance: none").wait_for()
    page.locator(".stage").focus()
    one.press("b")
    assert len(one.boxes()) == 2
    page.get_by_role("button", name="Add").click()
    one.press("Space", "ArrowRight")  # for the sample: the button is not pressed again
    assert len(one.boxes()) == 3
    page.reload()  # what was drawn is kept
    one.step("Boxes")
    assert one.boxes()[0] == [300, 200, 400, 213]

    # what is sent is what is seen: not while a number is wrong, and with the number that is just typed
    field.fill("150")  # above the top
    for send in (lambda: field.press("Control+Enter"), page.locator(".send").click):
        page.evaluate("document.querySelector('#say').textContent = ''")
        send()
        one.says("Enter integers on the page")
        expect(field).to_be_focused()
    assert not review.store.state().items["page_0-0"].votes("boxes", 1)
    field.fill("250")
    field.press("Control+Enter")
    one.says("Sent: 3 boxes")
    assert review.store.state().items["page_0-0"].votes("boxes", 1)[0].what.boxes[0] == (300, 200, 400, 250)


def test_boxes_by_keys_at_the_corner_of_the_page(drawer):
    one = drawer
    one.press("z")
    one.drag(one.at("after", 200, 150), one.at("after", -300, -250), button="middle")  # as far as it goes
    one.press("b", "b")
    assert one.boxes() == [[340, 280, 400, 300], [336, 276, 396, 296]]


def test_a_box_is_where_the_pointer_is_on_screens_with_finer_pixels(review, person):
    review.people()
    for group in "123":
        review.do(f"bob{group}", Rate("page_0-0", 1, group, Ratings(3, 3, 3)))
    one = person("ann1", device_scale_factor=2, viewport={"width": 1281, "height": 801})
    one.expected = ("401", "willReadFrequently")
    one.open("page_0-0")
    one.step("Boxes")
    one.press("z", "-", "-", "-")
    expect(one.page.locator(".tools .scale")).to_have_text("50 %")  # a pixel of the page is one of the screen
    left, top, right, bottom = one.page.evaluate(BLUE)
    one.drag((left, top), (right, bottom))
    assert one.boxes() == [list(CHANGED)]


def test_both_pictures_are_zoomed_and_moved_together_and_marked(drawer, review):
    one, page = drawer, drawer.page
    one.press("z")
    x, y = one.at("before", 130, 110)
    page.mouse.move(x + 0.5, y + 0.5)
    expect(page.locator(".cursor")).to_have_text("x 130, y 110")
    for _ in range(4):
        page.mouse.wheel(0, -120)
    expect(page.locator(".tools .scale")).to_have_text(re.compile(r"[2-9]\d\d %"))
    assert page.locator(".cursor").inner_text() == "x 130, y 110"  # the same pixel is under the cursor
    edge = page.locator("[data-pane=before] .over").bounding_box()
    here = [round(x - edge["x"]), round(y - edge["y"])]
    one.expected = ("401", "willReadFrequently")  # a hint to whoever reads pixels back: this test
    assert page.evaluate(COLOURS, here) == [[128, 128, 128], [0, 0, 255]]
    one.drag((x, y), (x, y - 250), button="middle")
    assert page.evaluate(COLOURS, here) == [[255, 255, 255], [255, 255, 255]]

    one.press("0", "d")
    page.locator("figcaption", has_text="Difference").wait_for()
    assert page.locator(".pane").count() == 1
    one.press("f", "f")
    assert page.locator("figcaption").inner_text() == "Before"
    one.press("f")
    assert page.locator("figcaption").inner_text() == "After"
    one.press("v")
    assert page.locator(".panes").get_attribute("data-arrangement") == "above"

    # places are marked on either
    one.press("s", "m")
    one.draw(20, 30, 60, 50, pane="before")
    page.get_by_label("Description").fill("<i>a dot</i>")
    late = []
    page.route("**/api/commands", lambda route: late.append(route))  # its answer does not come yet
    for _ in range(2):
        page.keyboard.press("Control+Enter")  # the mark, not the vote
    waiting = json.loads(page.evaluate("sessionStorage.getItem('vde.outbox')"))
    assert [entry["command"]["kind"] for entry in waiting] == ["mark"]  # kept once
    late[0].continue_()
    one.says("Mark saved.")
    page.unroute("**/api/commands")
    assert not review.store.state().items["page_0-0"].votes("boxes", 1)
    assert page.locator(".mark-list .note").inner_text() == "<i>a dot</i>"
    kept = [event for event in review.store.state().items["page_0-0"].history if event.kind == "marked"]
    assert [(event.what.side, event.what.boxes[0]) for event in kept] == [("before", (20, 30, 60, 50))]
    assert one.boxes() == []  # a mark is no box
    page.get_by_role("button", name="Remove").click()
    one.says("Mark removed.")
    assert page.locator(".mark-list .none").count() == 1


def test_samples_by_keys_and_all_that_can_be_used_has_a_name(drawer):
    one, page = drawer, drawer.page
    page.get_by_label("List", exact=True).select_option("all")
    page.locator(".place", has_text="1 of 4").wait_for()
    page.locator(".stage").focus()
    for key, expected in [("End", 3), ("PageUp", 2), ("PageDown", 3), ("Home", 0)]:
        one.press(key)
        one.sees(f"page_{expected}-0")
    scale = page.locator(".tools .scale")
    whole = one.scale()
    one.looks_closer("+", "+")
    one.press("PageDown", "PageDown")  # both count, and another page of this size is seen whole
    one.sees("page_2-0")
    expect(scale).to_have_text(whole)
    one.looks_closer("x")  # at what differs
    one.press("Home")
    one.sees("page_0-0")
    one.press("PageUp")
    one.says("There is no further sample in this list.")
    one.press("g")
    page.keyboard.type("3")
    one.press("Enter")
    one.sees("page_2-0")
    one.press("g")
    page.keyboard.type("nowhere")
    one.expected = ("404", "401")
    one.press("Enter")
    one.says("No sample has the number or id “nowhere”.")
    page.get_by_label("List", exact=True).select_option("todo")
    page.get_by_label("Step", exact=True).select_option("screen")
    one.press("t")  # the key is for the samples, not for the choice
    page.get_by_text("Nothing to do in this step: Screening.").wait_for()
    page.get_by_role("button", name="All steps: 4").click()
    page.locator(".place", has_text=re.compile("[1-4] of 4")).wait_for()
    one.press("Escape", "?")
    page.get_by_role("heading", name="Keys").wait_for()
    one.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    nameless = """[...document.querySelectorAll('button, input, select, textarea, a')].filter(each =>
      !(each.innerText || each.getAttribute('aria-label') || each.title || each.closest('label')?.innerText || '').trim())"""
    assert page.evaluate(f"{nameless}.length") == 0

"""A person in Label Studio's own page, in a real browser: what it sends must be what the bridge reads."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

from tests.review.label_studio.real_studio import PASSWORD


@contextmanager
def signed_in(studio, name):
    """The page of somebody who has signed in."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 1100})
        page.goto(f"{studio.url}/user/login/")
        page.fill("input[name=email]", f"{name}@vde.example")
        page.fill("input[name=password]", PASSWORD)
        page.click("[aria-label='Log In'], button[type=submit]")
        page.wait_for_url(lambda url: "login" not in url)
        yield page
        browser.close()


def open_task(page, studio, desk, key):
    task = studio.tasks(desk)[key]
    page.goto(f"{studio.url}/projects/{studio.projects()[desk.title('tiny')]}/data?task={task['id']}")
    page.get_by_role("button", name="Submit").wait_for()
    page.wait_for_load_state("networkidle")
    return task


def submit(page):
    """Press the button; wait until the server has an annotation more."""
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "POST") as told:
        page.get_by_role("button", name="Submit").click()
    assert told.value.ok, told.value.text()


def rate(page, *scores):
    scales = page.locator(".ant-rate")
    for number, score in enumerate(scores):
        scales.nth(number).locator("li").nth(score - 1).click()


def draw(page, left, top, right, bottom):
    """A box on the page after the edit, in shares of it."""
    canvas = max(
        (each.bounding_box() for each in page.locator("canvas").all() if each.bounding_box()["width"] > 100),
        key=lambda box: box["x"],
    )

    def at(x, y):
        return canvas["x"] + x * canvas["width"], canvas["y"] + y * canvas["height"]

    page.mouse.move(*at(left, top))
    page.mouse.down()
    page.mouse.move(*at((left + right) / 2, (top + bottom) / 2))
    page.mouse.move(*at(right, bottom))
    page.mouse.up()

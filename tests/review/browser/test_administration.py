"""What admins see and do, in a real browser."""

from __future__ import annotations

import shutil

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
pytest.importorskip("uvicorn", reason='pip install "vdebench[review]"')

expect = sync_api.expect

from tests.review.browser.served import PASSWORD  # noqa: E402
from vdebench.review.ratings import Ratings  # noqa: E402
from vdebench.review.steps.score import Rate  # noqa: E402


def test_invitations_pilot_and_files(review, person):
    review.people()
    admin = person("root")
    page = admin.page
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("link", name="People").click()
    expect(page.locator("tbody").first.locator("tr")).to_have_count(8)
    page.get_by_label("Group", exact=True).select_option("2")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator(".link").input_value()
    expect(page.locator("tbody").last.locator("tr", has_text="open")).to_have_count(1)
    assert link.startswith(f"{review.url}/#join=")
    new = person(address=link.removeprefix(review.url))
    new.page.get_by_text("You are invited as annotator, group 2.").wait_for()
    new.page.fill("[name=name]", "zoe")
    new.page.fill("[name=password]", PASSWORD)
    new.page.fill("[name=again]", PASSWORD)
    new.page.keyboard.press("Enter")
    new.step("Score")
    again = person(address=link.removeprefix(review.url))
    again.expected = ("404", "401")
    again.page.get_by_text("This link is not valid").wait_for()
    again.page.get_by_role("button", name="Sign in").click()
    again.page.get_by_role("heading", name="Sign in").wait_for()
    again.sign_in("zoe")
    expect(again.page.locator(".me bdi")).to_have_text("zoe")

    review.do("bob1", Rate("page_0-0", 1, "1", Ratings(3, 3, 3)))  # so it cannot be in a pilot
    page.get_by_role("link", name="Pilot").click()
    page.get_by_label("Samples").fill("2")
    page.get_by_text("2 of the 3 samples without a vote").wait_for()
    page.get_by_role("button", name="Start the pilot").click()
    page.get_by_text("Pilot 1 is running with 2 samples.").wait_for()
    new.press("t")
    new.step("Pilot", "pilot 1")
    new.press("1", "2", "3", "Enter")
    new.says("Sent: Pilot 1 + 2 + 3")
    page.get_by_role("link", name="Agreement").click()
    page.get_by_role("link", name="Pilot").click()
    page.get_by_text("1 of 14 scores are in.").first.wait_for()
    page.get_by_role("button", name="End the pilot").click()
    page.get_by_text("No pilot is running.").wait_for()

    page.get_by_role("link", name="Files").click()
    for name in page.locator("main a[download]").all():
        assert page.request.get(review.url + name.get_attribute("href")).ok
    page.get_by_label("Sample").last.fill("page_3-0")
    page.get_by_label("Reason").fill("a copy of another")
    page.get_by_role("button", name="Withdraw").click()
    admin.says("page_3-0 was withdrawn.")
    page.get_by_role("link", name="Overview").click()
    assert page.locator("tr", has_text="Withdrawn").locator(".number").first.inner_text() == "1"
    assert page.locator(".stuck").count() == 0
    stuck = [{"id": f"page_{number}-0", "words": "its page is gone"} for number in range(22)]
    review.server.config.app.state.context.stuck = lambda: stuck
    page.get_by_role("link", name="Files").click()
    page.get_by_role("link", name="Overview").click()
    sync_api.expect(page.locator(".stuck tbody tr")).to_have_count(20)
    page.locator(".stuck").get_by_text("and 2 more").wait_for()
    assert page.locator(".stuck tr", has_text="page_0-0").locator("td").inner_text() == "its page is gone"

    page.get_by_role("link", name="Progress").click()
    page.get_by_role("heading", name="Group 3").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in").wait_for()
    assert page.request.get(f"{review.url}/api/me").status == 401


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_fits_a_small_screen(review, person, scheme):
    review.people()
    one = person("ann1", viewport={"width": 390, "height": 800}, color_scheme=scheme)
    one.step("Score")
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

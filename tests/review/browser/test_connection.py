"""What is lost on the way, and what is not: connections, sessions, samples that somebody else has."""

from __future__ import annotations

import json
import shutil

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install --group full")
pytest.importorskip("uvicorn", reason='pip install "vdebench[review]"')
expect = sync_api.expect
text = pytest.importorskip("sqlalchemy").text

from datetime import UTC, datetime  # noqa: E402

from tests.review.browser.served import CHANGED, PASSWORD  # noqa: E402
from vdebench.review.ratings import Ratings  # noqa: E402
from vdebench.review.steps.score import Rate  # noqa: E402

NETWORK = ("401", "net::", "Failed to load")


def votes(review, sample="page_0-0", step="score"):
    return [event.who for event in review.store.state().items[sample].votes(step, 1)]


def test_a_vote_outlives_the_connection_and_the_server(review, person):
    review.people()
    one = person("ann1")
    one.expected = NETWORK
    one.step("Score")
    keys = []
    one.page.on(
        "request", lambda request: "commands" in request.url and keys.append(json.loads(request.post_data)["key"])
    )
    review.stop()
    one.press("3", "3", "3", "Enter")
    one.page.get_by_text("Not sent yet: 1 vote.").wait_for()
    assert votes(review) == []
    review.start()
    one.page.get_by_role("button", name="Retry now").click()
    one.says("Sent: Score 3 + 3 + 3")
    one.page.locator("#unsent").wait_for(state="hidden")
    assert len(keys) >= 2
    assert len(set(keys)) == 1
    assert votes(review) == ["ann1"]


def test_an_answer_that_is_lost_does_not_count_twice_even_over_a_reload(review, person):
    review.people()
    one = person("ann1")
    one.expected = NETWORK
    one.step("Score")
    lost = []

    def answer_lost(route):
        route.fetch()  # the server has it; the page never hears of it
        lost.append(json.loads(route.request.post_data)["key"])
        route.abort()

    one.page.route("**/api/commands", answer_lost)
    one.press("2", "2", "2", "Enter")
    one.page.get_by_text("Not sent yet: 1 vote.").wait_for()
    assert votes(review) == ["ann1"]
    warned = []
    one.page.on("dialog", lambda dialog: (warned.append(dialog.type), dialog.accept()))
    one.page.unroute("**/api/commands")
    with one.page.expect_request("**/api/commands") as sent:
        one.page.reload()
    assert json.loads(sent.value.post_data)["key"] == lost[0]
    one.says("An unsent vote was sent.")
    assert warned == ["beforeunload"]
    assert votes(review) == ["ann1"]
    assert one.page.evaluate("sessionStorage.getItem('vde.outbox')") == "[]"


def test_a_session_that_is_over_loses_nothing(review, person):
    review.people()
    for group in "123":
        review.do(f"bob{group}", Rate("page_0-0", 1, group, Ratings(3, 3, 3)))
    one = person("ann1")
    one.open("page_0-0")
    one.step("Boxes")
    one.draw(*CHANGED)
    one.page.context.clear_cookies()
    one.press("Enter")
    one.page.get_by_text("Your work is kept.").wait_for()
    assert votes(review, step="boxes") == []
    one.page.locator("dialog [name=password]").fill(PASSWORD)
    one.press("Enter")
    one.says("Sent: 1 box")
    assert votes(review, step="boxes") == ["ann1"]


def test_nobody_votes_in_the_name_of_another(review, person):
    review.people()
    one = person("ann1")
    one.step("Score")
    one.page.context.clear_cookies()
    one.press("3", "3", "3", "Enter")
    one.page.locator("dialog [name=name]").fill("bob1")
    one.page.locator("dialog [name=password]").fill(PASSWORD)
    one.press("Enter")
    expect(one.page.locator(".me bdi")).to_have_text("bob1")
    one.step("Score")
    assert votes(review) == []
    one.page.get_by_role("button", name="Sign out").click()
    one.page.get_by_role("heading", name="Sign in").wait_for()
    one.sign_in("ann1")
    one.says("An unsent vote was sent.")
    assert votes(review) == ["ann1"]


def test_what_is_fetched_ahead_never_asks_to_sign_in(review, person):
    review.people()
    one = person()
    one.page.clock.install()
    one.sign_in("ann1")
    one.is_settled()
    one.page.context.clear_cookies()
    with one.page.expect_response("**/api/sample?id=page_1-0") as ahead:
        one.page.clock.run_for(2_000)
    assert ahead.value.status == 401
    one.press("3", "3", "3")
    assert one.page.locator("dialog[open]").count() == 0
    one.press("Enter")  # now it matters
    one.page.locator("dialog[open] [name=password]").wait_for()


@pytest.mark.parametrize("learns", ["by its vote", "by its counts"])
def test_nor_when_another_signs_in_in_a_tab_beside(review, person, learns):
    review.people()
    one = person("ann1")
    one.expected = ("401", "403")
    one.is_settled()
    beside = one.context.new_page()
    beside.goto(f"{review.url}/#progress")
    beside.get_by_role("button", name="Sign out").click()
    beside.fill("[name=name]", "bob1")
    beside.fill("[name=password]", PASSWORD)
    beside.keyboard.press("Enter")
    expect(beside.locator(".me bdi")).to_have_text("bob1")
    beside.locator(".step-head h2", has_text="Score").wait_for()  # it holds another sample, and not this one later
    review.store.release("ann1", "page_0-0")  # so that bob1 could vote
    one.press("3", "3", "3")
    if learns == "by its counts":
        one.page.evaluate("location.hash = 'progress'")
        expect(one.page.locator(".me bdi")).to_have_text("bob1")
        one.step("Score")  # it has started anew: nothing of ann1 is there
        assert one.page.locator("[name=scale-authenticity]:checked").count() == 0
        return
    one.press("Enter")
    expect(one.page.locator(".me bdi")).to_have_text("bob1")
    one.step("Score")
    assert votes(review) == []
    one.page.get_by_role("button", name="Sign out").click()
    one.page.get_by_role("heading", name="Sign in").wait_for()
    one.sign_in("ann1")
    one.says("An unsent vote was sent.")
    assert votes(review) == ["ann1"]


def test_a_sample_is_kept_for_whoever_is_there(review, person):
    review.people()
    one = person()
    one.page.clock.install()
    one.sign_in("ann1")
    one.step("Score")
    one.page.clock.fast_forward("10:00")
    one.press("3")
    with one.page.expect_request("**/api/hold") as held:
        one.page.clock.fast_forward("06:00")  # beyond half of its time
        one.press("2")
        one.page.clock.run_for(16_000)
    assert held.value.post_data_json == {"id": "page_0-0"}


def test_what_is_let_go_late_does_not_let_go_of_what_was_taken_since(review, person):
    review.people()
    one = person("ann1")
    one.sees("page_0-0")
    order, late = [], []
    one.page.on("request", lambda request: request.method == "POST" and order.append(request.url.rsplit("/", 1)[1]))
    one.page.route("**/api/release", lambda route: late.append(route))  # its answer does not come yet
    with one.page.expect_request("**/api/release"):
        one.press("PageDown")
    one.press("t")
    one.page.evaluate("new Promise((done) => requestAnimationFrame(done))")  # whatever else was to be sent is sent
    order.append("let go")
    late[0].continue_()
    one.page.wait_for_event("response", lambda response: response.url.endswith("/api/take"))
    one.sees("page_1-0")
    assert order == ["release", "let go", "hold", "take"]
    with review.store.reading() as (connection, _):
        held = text("select sample from queue where holder = 'ann1' and voter = 'group:1'")
        assert list(connection.execute(held).scalars()) == ["page_1-0"]


def test_a_sample_opened_while_a_vote_is_sent_stays_open(review, person):
    review.people()
    one = person("ann1")
    one.sees("page_0-0")
    one.is_settled()
    votes_on_hold, samples_on_hold = [], []
    one.page.route("**/api/commands", lambda route: votes_on_hold.append(route))
    one.page.route("**/api/sample?id=page_2-0", lambda route: samples_on_hold.append(route))
    with one.page.expect_request("**/api/commands"):
        one.press("3", "3", "3", "Enter")
    with one.page.expect_request("**/api/sample?id=page_2-0"):
        one.press("g")
        one.page.keyboard.type("page_2-0")
        one.press("Enter")
    with one.page.expect_response("**/api/commands"):
        votes_on_hold[0].continue_()
    one.says("Sent: Score 3 + 3 + 3 (page_0-0)")
    samples_on_hold[0].continue_()
    one.sees("page_2-0")
    one.page.evaluate("new Promise((done) => setTimeout(done, 300))")
    one.sees("page_2-0")


def test_a_sample_that_another_works_on_is_said_so(review, person):
    review.people()
    assert review.store.hold("bob1", "page_0-0", datetime.now(UTC)).who == "bob1"
    one = person("ann1")
    one.expected = ("401", "409")
    one.sees("page_1-0")
    assert one.page.locator(".lease").inner_text().startswith("Yours until")
    one.open("page_0-0")
    one.page.get_by_text("Another member of your group is working on this sample.").wait_for()
    assert one.page.locator(".send").is_disabled()
    one.page.locator(".notice").get_by_role("button", name="Next to do").click()
    one.sees("page_1-0")

    # a vote that comes too late is told why, and what to do
    one.press("3", "3", "3")
    review.store.release("ann1", "page_1-0")
    review.do("bob1", Rate("page_1-0", 1, "1", Ratings(1, 1, 1)))
    one.press("Enter")
    one.page.get_by_text("You or your group have already voted.").wait_for()
    assert votes(review, "page_1-0") == ["bob1"]

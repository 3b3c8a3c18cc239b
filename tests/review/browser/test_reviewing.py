"""A review in a real browser: from the link of an invitation to a sample that returns, and one that passes."""

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

from tests.review.browser.served import CHANGED, EVIL, PASSWORD  # noqa: E402
from vdebench.core.box import Box  # noqa: E402
from vdebench.review.ratings import Ratings  # noqa: E402
from vdebench.review.steps.boxes import Draw  # noqa: E402
from vdebench.review.steps.score import Rate  # noqa: E402
from vdebench.review.steps.screen import Screen  # noqa: E402

FIRST = "page_0-0"
NINE = Ratings(3, 3, 3)
EVIL_NAME = "ann<b onclick=alert(1)>"


def step_of(review, sample=FIRST):
    item = review.store.state().items[sample]
    return item.step, item.round


def score(review, sample=FIRST, groups="123"):
    for group in groups:
        review.do(f"bob{group}", Rate(sample, 1, group, NINE))


def draw(review, boxes, sample=FIRST, round=1, groups="123"):
    for group in groups:
        review.do(f"bob{group}", Draw(sample, round, group, tuple(boxes)))


def test_from_the_link_to_the_second_round_and_on(review, person):
    review.people()
    token = review.accounts.invite("annotator", "1")
    one = person(address=f"/#join={token}")
    page = one.page
    page.get_by_text("You are invited as annotator, group 1.").wait_for()
    assert token not in page.url
    page.fill("[name=name]", EVIL_NAME)
    page.fill("[name=password]", "short")
    page.fill("[name=again]", "short")
    page.get_by_role("button", name="Join").click()
    page.get_by_text("at least 10 characters", exact=False).last.wait_for()
    page.fill("[name=name]", "=A1")
    page.fill("[name=password]", PASSWORD)
    page.fill("[name=again]", PASSWORD)
    one.expected = ("400", "401")
    page.keyboard.press("Enter")
    page.get_by_text("expected a letter or a digit").wait_for()  # the server's own words
    page.fill("[name=name]", EVIL_NAME)
    page.keyboard.press("Enter")
    one.step("Score", "round 1 of 3")

    # text of others stays text, and a very long word breaks nothing
    assert page.locator(".me bdi").inner_text() == EVIL_NAME
    assert EVIL in page.locator(".instruction").text_content()
    assert page.locator(".instruction mark").all_inner_texts() == ["grey", "blue"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    one.press("3", "2", "Enter")
    one.says("Score all three scales first.")
    one.press("Shift+Tab", "3", "3")
    assert page.locator(".total").inner_text() == "9"
    for mark, total in [(2, "8"), (3, "9")]:
        page.locator(f"[name=scale-authenticity][value='{mark}']").click()
        one.press("ArrowDown", "ArrowUp", "ArrowUp")  # the picture moves; what was clicked stays
        assert page.locator(".total").inner_text() == total
    score(review, groups="23")
    one.press("Enter")
    one.says("Sent: Score 3 + 3 + 3 (page_0-0)")
    one.sees("page_1-0")
    assert step_of(review) == ("boxes", 1)

    one.open(FIRST)
    one.step("Boxes")
    one.press("Enter")
    one.says("Draw at least one box first.")
    one.draw(*CHANGED)
    assert one.boxes() == [list(CHANGED)]
    page.get_by_text("Tolerance: 2 px in total").wait_for()
    page.get_by_text("your IoU is 0.940").wait_for()
    one.press("Enter")
    one.says("Sent: 1 box")
    one.sees("page_1-0")

    # a second group draws otherwise, the third as the first: (1 + 2 × 160/190) / 3
    two = person("ann2")
    two.open(FIRST)
    two.step("Boxes")
    two.draw(CHANGED[0] - 30, *CHANGED[1:])
    two.press("Enter")
    two.says("Sent: 1 box")
    draw(review, [Box(*CHANGED)], groups="3")
    assert step_of(review) == ("boxes", 2)

    one.open(FIRST)
    one.step("Boxes", "round 2 of 3")
    page.get_by_text("Agreement in earlier rounds: 0.895").wait_for()
    assert one.boxes() == []  # and nothing of what others drew
    assert page.locator(".votes li").count() == 2

    admin = person("root")
    admin.page.get_by_role("link", name="Rounds").click()
    row = admin.page.locator("tbody tr")
    expect(row).to_have_count(1)
    row.get_by_text(FIRST).wait_for()
    assert row.locator("td").first.inner_text() == "2"
    admin.page.get_by_role("link", name="Overview").click()
    funnel = admin.page.locator(".funnel")
    funnel.get_by_text("the numbers add up").wait_for()
    assert funnel.locator("tr", has_text="waiting for boxes").locator(".number").first.inner_text() == "1"
    assert admin.page.locator("tr", has_text="Round 2").locator(".number").inner_text() == "1"

    # the second round agrees; the finished page is screened
    one.draw(*CHANGED)
    one.press("Enter")
    one.sees("page_1-0")  # not by its message: that of the first round may still be there
    draw(review, [Box(*CHANGED)], round=2, groups="23")
    one.open(FIRST)
    one.step("Screening")
    page.locator("figcaption", has_text="Reference").wait_for()
    near = one.scale()
    one.looks_closer("x")
    expect(page.locator(".tools .scale")).to_have_text(near)  # the boxes, as it was opened
    one.press("Enter")
    one.says("Answer yes or no first.")
    one.press("y", "Enter")
    one.says("Sent: Screening: Yes")
    for group in "23":
        review.do(f"bob{group}", Screen(FIRST, 2, group, True))
    assert step_of(review) == ("ocr", 2)


def test_texts_are_checked_when_they_are_there(review, person):
    review.people()
    review.pool.read = False
    score(review)
    draw(review, [Box(*CHANGED), Box(10, 10, 60, 30)])
    for group in "123":
        review.do(f"bob{group}", Screen(FIRST, 1, group, True))
    one = person()
    one.page.clock.install()
    one.sign_in("ann2")
    one.step("Score")
    one.open(FIRST)
    one.page.get_by_text("Being prepared").wait_for()
    one.page.locator(".panel").get_by_role("button", name="Next to do").click()
    one.step("Score")  # nobody is kept at it
    one.open(FIRST)
    one.page.get_by_text("Being prepared").wait_for()
    review.pool.read = True
    one.page.clock.fast_forward("00:05")  # it looks again by itself
    first = one.page.locator("textarea.letters").first
    first.wait_for()
    assert one.page.locator("canvas.crop").count() == 2
    one.press("Enter")
    one.says("Choose a verdict first.")
    first.fill("blue 00l1I")
    assert one.page.locator(".changes").first.locator("del, ins").all_inner_texts() == ["O", "0"]
    assert one.page.locator("[value=corrected]").is_checked()
    first.press("Escape")
    one.press("w", "c")  # no verdict throws away what was typed
    one.says("The text was changed")
    one.page.locator("[value=correct]").click()
    assert one.page.locator("[value=corrected]").is_checked()
    assert first.input_value() == "blue 00l1I"
    expect(one.page.locator(".verdicts")).to_be_in_viewport(ratio=1)
    first.press("Control+Enter")
    one.says("Sent: Text check: Corrected")
    assert step_of(review) == ("passed", 1)
    given = review.store.state().items[FIRST].votes("ocr", 1)[0].what
    assert given.texts == ("blue 00l1I", "blue O0l1I")


def test_an_adjudicator_decides(review, person):
    review.people()
    score(review)
    for round in (1, 2, 3):
        for group in "123":
            box = Box(*(side + 10 * int(group) for side in CHANGED))
            review.do(f"bob{group}", Draw(FIRST, round, group, (box,)))
    admin = person("root")
    admin.page.get_by_role("link", name="Conflicts").click()
    expect(admin.page.locator(".round-crop")).to_have_count(3)
    judge = person("judy")
    judge.step("Conflict")
    expect(judge.page.locator(".pane")).to_have_count(4)  # three rounds, and one's own
    assert judge.page.locator(".panel .pair").count() == 9
    judge.page.get_by_role("button", name="Group 2").last.click()
    assert judge.boxes() == [[side + 20 for side in CHANGED]]
    judge.press("n")
    assert judge.page.locator("[value=reject]").is_checked()
    judge.press("y")
    assert judge.page.locator("input[value=boxes]").is_checked()
    expect(judge.page.locator(".verdicts")).to_be_in_viewport(ratio=1)
    judge.press("Alt+ArrowRight", "Enter")  # the button that was clicked is not pressed again
    judge.says("Sent: Boxes")
    item = review.store.state().items[FIRST]
    assert (item.step, item.boxes) == ("screen", (Box(140, 120, 301, 160),))
    judge.page.get_by_text("Nothing to do now.").wait_for()

"""People at the page: whatever goes wrong in it, or leaves it, fails the test."""

from __future__ import annotations

from math import floor

from tests.review.browser.served import PASSWORD

DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Person:
    """A browser of one's own, signed in or not."""

    def __init__(self, browser, url: str, name: str = "", address: str = "", **options) -> None:
        from playwright.sync_api import expect  # not at the top: pytest looks for doctests in every file

        expect.set_options(timeout=15_000)
        self.expect = expect
        self.url, self.name = url, name
        self.troubles: list[str] = []
        self.expected: tuple[str, ...] = ("401",)  # who is not signed in is told so by the server
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", self._asked)
        self.page.goto(url + address)
        if name:
            self.sign_in(name)

    def _heard(self, message) -> None:
        if message.type in ("error", "warning") and not any(word in message.text for word in self.expected):
            self.troubles.append(f"{message.type}: {message.text}")

    def _asked(self, request) -> None:
        if not request.url.startswith((self.url, "about:", "blob:")):
            self.troubles.append(f"another origin: {request.url}")

    def sign_in(self, name: str) -> None:
        self.page.fill("[name=name]", name)
        self.page.fill("[name=password]", PASSWORD)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#top:not([hidden])")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def step(self, name: str, round: str = "") -> None:
        """Wait until this is asked."""
        self.page.locator(".step-head h2", has_text=name).wait_for()
        if round:
            self.page.locator(".badge", has_text=round).wait_for()

    def is_settled(self) -> None:
        """Wait until a sample, its list and the counts are there; only what is fetched ahead may follow."""
        self.expect(self.page.locator(".samples .place")).to_contain_text("of")

    def says(self, text: str) -> None:
        self.page.locator("#say", has_text=text).wait_for()

    def open(self, sample: str) -> None:
        """Look at a sample by jumping to it, and wait for its pictures."""
        self.press("g")
        self.page.keyboard.type(sample)
        self.press("Enter")
        self.sees(sample)

    def sees(self, sample: str) -> None:
        """Wait until a sample is shown."""
        self.expect(self.page).to_have_url(f"{self.url}/#work/{sample}")

    def at(self, pane: str, x: float, y: float, size=(400, 300)) -> tuple[float, float]:
        """Where on the screen a point of the page is, at 100 %."""
        inside = self.page.locator(f"[data-pane={pane}]")
        left, top, width, height = inside.evaluate(
            "box => { const { left, top } = box.querySelector('.over').getBoundingClientRect();"
            " return [left, top, box.clientWidth, box.clientHeight]; }"
        )
        return left + floor(width / 2 - size[0] / 2 + 0.5) + x, top + floor(height / 2 - size[1] / 2 + 0.5) + y

    def drag(self, start: tuple[float, float], end: tuple[float, float], **options) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down(**options)
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up(**options)

    def draw(self, left: int, top: int, right: int, bottom: int, pane: str = "after") -> None:
        """A box by the mouse, at 100 %."""
        self.press("z")
        self.expect(self.page.locator(".tools .scale")).to_have_text("100 %")
        self.drag(self.at(pane, left, top), self.at(pane, right, bottom))

    def scale(self) -> str:
        """What the tools say of it, once the pictures are drawn."""
        self.page.evaluate(DRAWN)
        return self.page.locator(".tools .scale").inner_text()

    def looks_closer(self, *keys: str) -> None:
        """Press keys that lead from the whole page to a part of it."""
        self.press("0")
        scale, whole = self.page.locator(".tools .scale"), self.scale()
        self.press(*keys)
        self.expect(scale).not_to_have_text(whole)
        assert int(scale.inner_text().split()[0]) > int(whole.split()[0])

    def boxes(self) -> list[list[int]]:
        """As the fields say."""
        rows = self.page.locator(".box-list li:not(.none)").all()
        return [[int(field.input_value()) for field in row.locator("input").all()] for row in rows]

    def close(self) -> None:
        assert "owned" not in self.page.title()
        assert self.page.locator("img, script:not([src^='/page/'])").count() == 0
        self.context.close()
        assert not self.troubles, self.troubles

"""The page's files: what the policy of the server lets them do, and nothing that a browser would ask another for."""

from __future__ import annotations

import re

from tests.review.browser.test_geometry import PAGE
from vdebench.review.workflow import WORKFLOW

MODULES = sorted(file.name for file in PAGE.glob("*.js"))
INDEX = (PAGE / "index.html").read_text("utf-8")


def test_all_modules_are_fetched_at_once():
    named = re.findall(r'rel="modulepreload" href="/page/([a-z_]+\.js)"', INDEX)
    widgets = {step.widget for step in WORKFLOW.steps}  # imported after signing in, as the server names them
    assert sorted([*named, *widgets, "main.js"]) == MODULES
    for name in MODULES:
        imported = re.findall(r'from "(.+?)"', (PAGE / name).read_text("utf-8"))
        assert [each for each in imported if each.removeprefix("./") not in MODULES] == []


def test_nothing_that_is_sent_can_become_markup_and_nothing_comes_from_elsewhere():
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:|style=|https?://(?!www\.w3\.org/2000/svg)"
    )
    for file in PAGE.iterdir():
        assert forbidden.findall(file.read_text("utf-8")) == [], file.name
    assert re.findall(r"<script(?![^>]*src=)|<style| on[a-z]+=", INDEX) == []


def test_modules_stay_small():
    assert {name: lines for name in MODULES if (lines := (PAGE / name).read_text("utf-8").count("\n")) > 250} == {}

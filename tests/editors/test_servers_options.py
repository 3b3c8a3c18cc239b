"""Editors behind servers: missing parts, options, identity."""

from __future__ import annotations

import pytest

from tests.editors.server import without_keys_or_pauses
from vdebench.editors.catalog import EDITORS
from vdebench.editors.factory import get_editor
from vdebench.errors import MissingPartError, VdeError

pytest.importorskip("httpx2")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_keys_or_pauses(monkeypatch)


def test_what_is_missing(monkeypatch):
    assert "set GEMINI_API_KEY" in get_class("nano-banana").missing()
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-0123456789")
    assert get_class("nano-banana").missing() == ""
    assert "no model" in get_class("gemini-image").missing()
    assert get_class("gemini-image").missing(model="m") == ""
    assert "not a server address" in get_class("openai-images").missing(base_url="localhost:80")
    assert get_class("openai-images").missing(base_url="http://localhost:80", model="m") == ""
    with pytest.raises(MissingPartError, match="set ARK_API_KEY"):
        get_editor("seedream-4")


def get_class(name):
    from vdebench.registry import find

    return find("editors", name, EDITORS)


@pytest.mark.parametrize(("options", "told"), [
    ({"max_pixels": "many"}, "max_pixels is 'many'"),
    ({"tries": 0}, "tries is 0"),
    ({"timeout": "soon"}, "timeout is 'soon'"),
    ({"price": "cheap"}, "price is 'cheap'"),
    ({"seed": "x"}, "seed is 'x'"),
    ({"concurrency": "0"}, "concurrency is '0'"),
    ({"per_minute": "-1"}, "per_minute is '-1'"),
    ({"true_cfg_scale": "much"}, "true_cfg_scale is 'much'"),
    ({"key": "sk-0123456789"}, "no option 'key'"),
])  # fmt: skip
def test_options_that_are_wrong(options, told):
    with pytest.raises(VdeError, match=told) as error:
        get_editor("openai-images", base_url="http://localhost:1", model="m", **options)
    assert "sk-01" not in str(error.value)


def test_identity_says_what_changes_the_image_and_nothing_else():
    base = {"base_url": "http://localhost:1/v1", "model": "m"}

    def identity(**options):
        return get_editor("openai-images", **{**base, **options}).identity

    assert identity() == {
        "name": "openai-images",
        "version": "1",
        "model": "m",
        "server": "own",
        "input": "PNG, RGB, as it is",
        "seed": "task",
        "prompt_rewriting": "unknown",
        "watermark": "unknown",
        "size": "auto",
    }
    for other in ({"model": "n"}, {"size": "512x512"}, {"max_pixels": 9}, {"seed": 3}, {"true_cfg_scale": 4}):
        assert identity(**other) != identity()
    for same in (
        {"timeout": 9},
        {"tries": 2},
        {"price": "1"},
        {"concurrency": 9},
        {"per_minute": 30},
        {"base_url": "http://elsewhere:2/v1"},
    ):
        assert identity(**same) == identity()
    assert identity(true_cfg_scale="4") == identity(true_cfg_scale=4)


def test_a_makers_host_is_named(monkeypatch):
    monkeypatch.setenv("ARK_API_KEY", "ark-0123456789")
    assert get_editor("seedream-4").identity["server"] == "ark.cn-beijing.volces.com"
    other = get_editor("seedream-4", base_url="https://ark.ap-southeast.bytepluses.com/api/v3")
    assert other.identity["server"] == "ark.ap-southeast.bytepluses.com"
    assert other._secret is not None  # the same maker's

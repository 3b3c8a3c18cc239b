"""Prices, token estimates and budgets."""

from __future__ import annotations

import pytest

from vdebench.core.box import Size
from vdebench.errors import VdeError
from vdebench.net.answer import Usage
from vdebench.net.budget import Budget, parse_budget
from vdebench.net.prices import Price, parse_price, price_of
from vdebench.net.tokens import claude_pixels, estimate, gemini_tiles, gpt_patches, gpt_tiles, image_rule


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o", (2.5, 10)),
        ("gpt-4o-2024-11-20", (2.5, 10)),
        ("claude-sonnet-4-5-20250929", (3, 15)),
        ("gpt-4o-audio-preview", None),  # another model, not a version
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("qwen2.5-vl", None),
    ],
)
def test_prices_are_found_under_dated_names_too(model, expected):
    assert price_of(model) == expected


def test_a_thousand_tokens_in_and_a_hundred_out():
    assert Price(2.5, 10).of(Usage(1000, 100)) == pytest.approx(0.0025 + 0.001)
    assert Price(2.5, 10).of(Usage()) == 0


@pytest.mark.parametrize("given", ["2.5", "a,b", "-1,2", "1,2,3", "nan,1", "inf,1"])
def test_a_price_is_two_numbers(given):
    with pytest.raises(VdeError, match=r"as in 2\.5,10"):
        parse_price(given)


# Each by hand, from the makers' examples.
def test_image_tokens_follow_the_makers_rules():
    assert gpt_tiles(Size(1024, 1024)) == 765  # 768 square: 4 tiles of 170, and 85
    assert gpt_tiles(Size(2048, 4096)) == 1105  # 1024 × 2048, then 768 × 1536: 6 tiles
    assert gpt_tiles(Size(512, 512)) == 255  # one tile
    assert gpt_patches(Size(1024, 1024), 1) == 1024  # 32 × 32 patches
    assert gpt_patches(Size(1800, 2400), 1) == 1452  # shrunk to 33 × 44 patches
    assert gemini_tiles(Size(960, 540)) == 6 * 258  # a unit of 360: 3 × 2
    assert gemini_tiles(Size(300, 384)) == 258
    assert claude_pixels(Size(750, 1000)) == 1000
    assert image_rule("gpt-5-mini-2025-08-07")[0] == "OpenAI's patches"


def test_an_estimate_has_prompt_images_and_an_answer():
    one = estimate("gpt-4o", "x" * 400, [])
    three = estimate("gpt-4o", "x" * 400, [Size(1024, 1024)] * 3)
    assert three.input - one.input == 3 * 765
    assert one.output > 0


def test_what_is_under_way_is_set_aside():
    budget = Budget(1.0)
    assert [budget.take(0.3) for _ in range(4)] == [True, True, True, False]
    budget.settle(0.3, 0.2)
    assert budget.spent == pytest.approx(0.2)
    assert not budget.take(0.3)  # 0.2 spent and 0.6 under way
    assert budget.take(0.19)


def test_estimates_are_corrected_by_what_answers_really_cost():
    budget = Budget(1.0)
    assert budget.take(0.1)
    budget.settle(0.1, 0.3)  # three times as dear
    assert budget.take(0.1)
    assert budget.take(0.1)
    assert not budget.take(0.1)  # 0.3 spent, 2 × 0.3 under way


def test_requests_of_unknown_cost_count_against_the_budget_and_not_as_spent():
    budget = Budget(1.0)
    budget.take(0.4)
    budget.settle(0.4, 0.0, unknown=2)
    assert budget.spent == 0
    assert not budget.take(0.4)


def test_no_budget_is_no_limit():
    assert Budget(None).take(1e9)
    with pytest.raises(VdeError, match="--budget"):
        parse_budget(-1)

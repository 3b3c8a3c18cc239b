from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import exact as plain_exact
from tests.oracle import release as plain
from vdebench.errors import TooLargeError
from vdebench.metrics import METRICS, registered
from vdebench.metrics.text import (
    MAX_COMPARED_CHARACTERS,
    bleu4,
    bleu4_papers,
    character_similarity,
    common_subsequence_ratio,
    difflib_ratio,
    token_similarity,
)
from vdebench.metrics.tokens import script_tokens, settled, whitespace_tokens

texts = st.text(alphabet="ab 中文。1x\n", max_size=40)
tokens = st.lists(st.sampled_from(["a", "b", "中", "文", "1"]), max_size=12)
ON_TEXT = [character_similarity, common_subsequence_ratio, difflib_ratio]
ON_TOKENS = [bleu4, bleu4_papers, token_similarity]


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("2023", "2024", 3 / 4),  # one of four characters differs
        ("", "abc", 0.0),  # nothing read
        ("基金分析", "基金情况", 2 / 4),  # two of four
        ("", "", 1.0),
        ("abc", "ab", 2 / 3),
    ],
)
def test_character_similarity(candidate, reference, expected):
    assert character_similarity(candidate, reference) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        # orders 1..4 of 'a b c d': (3+1)/(4+1), then (2+1)/(3+1), (1+1)/(2+1), (0+1)/(1+1)
        ("a b c x", "a b c d", (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        # shorter: three orders smoothed, the fourth 1e-9, and exp(1 - 4/3)
        ("a b c", "a b c d", math.exp(1 - 4 / 3) * (1e-9) ** 0.25),
        ("Total", "Total", (1e-27) ** 0.25),
        ("", "", 1.0),
        ("a", "", 0.0),
        (" ", "", 1.0),  # white space holds no token
    ],
)
def test_bleu_as_the_papers_have_it(candidate, reference, expected):
    assert bleu4_papers(candidate.split(), reference.split()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("a b c x", "a b c d", (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),  # the first order is not smoothed
        ("Total", "Total", 1.0),
        ("Total", "Sum", 0.0),
        ("a b", "b a", (2 / 2 * 1 / 2) ** 0.5),  # two orders, no pair in common
        ("a", "a b c d", math.exp(1 - 4)),  # one order, brevity
    ],
)
def test_bleu_of_exact(candidate, reference, expected):
    assert bleu4(candidate.split(), reference.split()) == pytest.approx(expected)


@given(texts, texts)
def test_text_metrics_keep_their_bounds_and_know_identity(one, other):
    for function in ON_TEXT:
        assert 0 <= function(one, other) <= 1
        assert function(one, one) == 1
    assert character_similarity(one, other) == character_similarity(other, one)
    assert common_subsequence_ratio(one, other) == pytest.approx(common_subsequence_ratio(other, one))


@given(tokens, tokens)
def test_token_metrics_keep_their_bounds_and_know_identity(one, other):
    for function in ON_TOKENS:
        assert 0 <= function(one, other) <= 1
    assert bleu4(one, one) == pytest.approx(1)
    assert token_similarity(one, one) == 1
    assert token_similarity(one, other) == token_similarity(other, one)


@given(texts, texts)
def test_equal_to_the_plain_computation(one, other):
    assert character_similarity(one, other) == pytest.approx(plain.cdm(one, other), abs=1e-12)
    assert difflib_ratio(one, other) == plain.similarity(one, other)
    assert bleu4_papers(one.split(), other.split()) == pytest.approx(plain.bleu(one, other), rel=1e-9)
    assert bleu4(one.split(), other.split()) == pytest.approx(plain_exact.bleu(one.split(), other.split()), rel=1e-9)
    if one or other:
        expected = 2 * plain_exact.common_subsequence(one, other) / (len(one) + len(other))
        assert common_subsequence_ratio(one, other) == pytest.approx(expected, abs=1e-12)


def test_texts_beyond_the_limit_are_refused_unless_equal():
    long = "x" * (MAX_COMPARED_CHARACTERS + 1)
    assert character_similarity(long, long) == 1.0
    with pytest.raises(TooLargeError, match="100,001 characters"):
        character_similarity(long, "y")


def test_every_metric_declares_its_direction_and_bounds():
    import math

    registered()
    from_0_to_1 = {"iou", "cdm", "bleu", "teds", "teds_like", "teds_release", "text_similarity"}
    counts = {"unasked_changes", "changed_facts", "illegible_words", "cropped_words", "zoom"}
    other_bounds = {
        "psnr": (0, math.inf),
        **dict.fromkeys(("mse", "edit_mse"), (0, 255**2)),
        **dict.fromkeys(("ssim", "ssim_raw", "clip", "clip_text"), (-1, 1)),
        **dict.fromkeys(("lpips", "lpips_vgg", "lpips_squeeze", "fid"), (0, math.inf)),
        **dict.fromkeys(("psnr_raw", "edit_psnr", "residual"), (0, math.inf)),
        **dict.fromkeys(counts, (0, math.inf)),
    }
    lower = {"mse", "flip", "lpips", "lpips_vgg", "lpips_squeeze", "fid", "untouched", "edit_mse", "residual", *counts}
    assert from_0_to_1 | other_bounds.keys() | lower <= METRICS.keys()
    for name, fact in METRICS.items():
        assert fact.best == ("lower" if name in lower else "higher")
        assert fact.bounds == other_bounds.get(name, (0, 1))
        assert fact.says or fact.function is None
        assert fact.title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("基金2024年", ["基", "金", "2024", "年"]),
        ("Total: 1,234.50 CHF", ["Total", ":", "1,234.50", "CHF"]),
        ("3.5%，同比", ["3.5", "%", "，", "同", "比"]),
        ("don't stop", ["don't", "stop"]),
        ("x-ray 12:30", ["x", "-", "ray", "12", ":", "30"]),
        ("end. 1,2,3.", ["end", ".", "1,2,3", "."]),
        ("ひらがな カタカナ", ["ひ", "ら", "が", "な", "カ", "タ", "カ", "ナ"]),
        ("한국어 문장", ["한국어", "문장"]),  # Korean parts its words with spaces
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),  # a combining accent stays with its letter
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("السلام عليكم", ["السلام", "عليكم"]),
        ("１２．５ ①", ["１２", "．", "５", "①"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_script_tokens(text, expected):
    assert script_tokens(text) == expected


@given(st.text(max_size=60))
def test_script_tokens_lose_nothing_but_white_space(text):
    assert "".join("".join(script_tokens(text)).split()) == "".join(text.split())


@given(st.text(alphabet="ab中文。 \n", max_size=40), st.text(alphabet="ab中文。 \n", max_size=40))
def test_settled_text_does_not_show_where_it_was_cut(one, other):
    assert settled(settled(one)) == settled(one)
    assert settled(settled(one) + "\n" + settled(other)) == settled(one + "\n" + other)


def test_whitespace_tokens():
    assert whitespace_tokens("基金 a\nb") == ["基金", "a", "b"]

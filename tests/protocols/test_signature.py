"""The signature pins the protocol: a protocol that differs in any field has another signature and is scored again."""

from __future__ import annotations

import functools
import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from tests import masked, pages
from tests.faults_masked import around, linked
from vdebench import score
from vdebench.metrics.registry import VERSIONS, versioned
from vdebench.metrics.text import character_similarity
from vdebench.protocols import MASK_PROTOCOLS, PROTOCOLS, MaskProtocol, get_mask_protocol, get_protocol
from vdebench.protocols.digest import describe, digest
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.signature import parts_of, short_signature, signature

OTHER_LITERALS = {
    "text_counts": ("matched", "all"),
    "iou_counts": ("truth", "all"),
    "local": ("crop", "filter", "crop or units"),
    "headline": ("micro", "macro"),
    "missing": ("empty", "dropped"),
    "teds_column": ("teds", "teds_like"),
    "clip": ("clip", "clip_text"),
    "image_opening": ("composited", "raw"),
    "psnr": ("pooled", "finite"),
    "against": ("right answer", "input"),
    "background": ("multiplied", "windows"),
    "lpips": ("lpips", "lpips_squeeze"),
}


def other(name, value):
    """Another value for a field, of the same kind."""
    if name in OTHER_LITERALS:
        return next(each for each in OTHER_LITERALS[name] if each != value)
    if callable(value):
        return functools.partial(value)
    if value is None:
        return character_similarity
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        return {**value, "another": lambda candidate, reference: 1.0}
    return (*value, "another") if isinstance(value, tuple) else f"{value}-another"


PAGE_FIELDS = [(name, field.name) for name in PROTOCOLS for field in fields(PageProtocol)]
MASK_FIELDS = [(name, field.name) for name in MASK_PROTOCOLS for field in fields(MaskProtocol)]


def signed(protocol):
    return signature(protocol, {"reader": "r", "images": "off"}, suite="s", revision="0", n=1)


@pytest.mark.parametrize(("protocol", "field"), PAGE_FIELDS)
def test_every_field_of_a_page_protocol_is_in_the_signature(protocol, field):
    first = get_protocol(protocol)
    second = replace(first, **{field: other(field, getattr(first, field))})
    assert signed(first) != signed(second)


@pytest.mark.parametrize(("protocol", "field"), MASK_FIELDS)
def test_every_field_of_a_mask_protocol_is_in_the_signature(protocol, field):
    first = get_mask_protocol(protocol)
    second = replace(first, **{field: other(field, getattr(first, field))})
    assert signed(first) != signed(second)


SCORED_AGAIN = [field.name for field in fields(PageProtocol) if field.name not in ("name", "local", "region")]


@pytest.mark.parametrize("field", SCORED_AGAIN)
def test_changed_field_scores_again_into_the_same_folder(tmp_path, field):
    """`name` is refused by the folder; `local` and `region` need other inputs and are covered by the fingerprint."""
    suite = pages.write_suite(tmp_path, pages.random_pairs(1, 2))
    strict = get_protocol("strict")
    before = score(suite, tmp_path / "pred", protocol=strict, setting="global", out=tmp_path / "run")
    rows = set(before.scores["fingerprint"])
    second = replace(strict, **{field: other(field, getattr(strict, field))})
    after = score(suite, tmp_path / "pred", protocol=second, setting="global", out=tmp_path / "run")
    assert before.signature != after.signature
    assert rows.isdisjoint(after.scores["fingerprint"])


def test_another_block_text_gives_other_rows_in_the_same_folder(tmp_path):
    page = [{"block_bbox": [0, 0, 90, 20], "block_label": "text", "block_content": "Total"}]
    wrong = [dict(page[0], block_content="total")]
    suite = pages.write_suite(tmp_path, [(page, wrong)])
    strict = get_protocol("strict")
    folder = {"setting": "global", "out": tmp_path / "run"}
    assert score(suite, tmp_path / "pred", **folder).summary["overall"]["global"]["cdm"] == 0.8
    folded = replace(strict, block_text=lambda block: block.content.lower())
    assert score(suite, tmp_path / "pred", protocol=folded, **folder).summary["overall"]["global"]["cdm"] == 1.0


def test_pixel_protocols_of_one_name_share_no_measures(tmp_path):
    """The reference changes a corner outside the mask too, so that `against` decides what the input's error is."""
    measured = around("mse", [masked.scene(1)], references=linked)
    paper = replace(get_mask_protocol("textedit"), endings=())
    assert measured(paper) > 0
    assert measured(replace(paper, against="input")) == 0


def test_functions_are_described_by_version_or_code():
    assert describe(character_similarity) == "cdm-1"
    wrapped = functools.wraps(character_similarity)(lambda a, b: 1.0)
    assert describe(wrapped) != "cdm-1"  # a wrapper is another function, whatever name it bears
    first, second = (eval(f"lambda a, b: {value}") for value in (0.5, 0.6))
    assert describe(first) != describe(second)
    assert describe(first) == describe(eval("lambda a, b: 0.5"))


def test_code_digest_follows_helpers_defaults_and_closures():
    def made(text):
        scope = {}
        exec(text, scope)
        return scope["f"]

    versions = [
        "def g(a): return a\ndef f(a, b=1): return g(a)",
        "def g(a): return a + 1\ndef f(a, b=1): return g(a)",
        "def g(a): return a\ndef f(a, b=2): return g(a)",
        "LIMIT = 1\ndef f(a, b=1): return a < LIMIT",
        "LIMIT = 2\ndef f(a, b=1): return a < LIMIT",
        "def make(k):\n def f(a): return a * k\n return f\nf = make(1)",
        "def make(k):\n def f(a): return a * k\n return f\nf = make(2)",
        "def f(a): return f(a - 1) if a else 0",
    ]
    assert len({describe(made(text)) for text in versions}) == len(versions)
    assert [describe(made(text)) for text in versions] == [describe(made(text)) for text in versions]


def test_objects_and_arrays_are_described_by_content():
    class Tokens:
        def __init__(self, mark):
            self.mark = mark

        def __call__(self, text):
            return text.split(self.mark)

    assert digest(Tokens(",")) != digest(Tokens(";"))
    assert digest(Tokens(",")) == digest(Tokens(","))
    assert digest(np.array([1, 2])) != digest(np.array([1, 3]))
    assert digest("x".join) != digest("y".join)


def test_digest_is_the_same_in_another_process():
    program = "from vdebench.protocols import *; print(*(get_protocol(name).digest for name in PROTOCOLS))"
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert there == [get_protocol(name).digest for name in PROTOCOLS]


def test_all_functions_of_our_protocols_have_versions():
    for name in PROTOCOLS:
        protocol = get_protocol(name)
        held = [getattr(protocol, field.name) for field in fields(protocol)]
        functions = [each for value in held for each in (value.values() if isinstance(value, dict) else [value])]
        assert all(each in VERSIONS or isinstance(each.__self__, str) for each in functions if callable(each)), name
    assert len(set(VERSIONS.values())) == len(VERSIONS)


def test_versions_are_raised_by_hand():
    @versioned("made-up", 3)
    def function():
        return 1

    assert describe(function) == "made-up-3"
    del VERSIONS[function]


def test_short_signature_is_one_line_and_follows_the_full_one():
    strict = get_protocol("strict")
    first, second = signed(strict), signed(replace(strict, iou_counts="truth"))
    assert short_signature(first) != short_signature(second)
    assert len(short_signature(first)) < 100
    assert parts_of(short_signature(first))["p"] == "strict"


@pytest.mark.parametrize(
    "text",
    [
        "class Z:\n def g(s): return {}\nclass A(Z): pass\ndef f(t): return A().g()",
        "class A:\n @staticmethod\n def g(t): return {}\ndef f(t): return A.g(t)",
        "class A:\n x = {}\ndef f(t): return A.x",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n def __call__(s, t): return {}\nf = A()",
        "import operator\nf = operator.itemgetter({})",
        "import re\nP = re.compile('a{{{}}}')\ndef f(t): return P.sub('', t)",
        "from decimal import Decimal\nLIMIT = Decimal({})\ndef f(t): return t < LIMIT",
    ],
)
def test_globals_of_a_function_are_in_its_digest(text):
    def made(value):
        scope = {"__name__": "mine"}
        exec(text.format(value), scope)
        return describe(scope["f"])

    assert made(1) != made(2)
    assert made(1) == made(1)


def test_caches_and_loggers_are_not_in_a_digest():
    scope = {"__name__": "mine"}
    exec("import logging\nlog = logging.getLogger('x')\nkept = {}\ndef f(t):\n kept[t] = log\n return t", scope)
    first = describe(scope["f"])
    scope["f"]("a")
    assert describe(scope["f"]) == first


def test_methods_of_built_in_types_are_distinguished():
    assert describe(str.lower) != describe(str.upper)

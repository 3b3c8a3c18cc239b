"""`vde-release`: texts of regions and of tables, by the release's rules and against an independent implementation."""

from __future__ import annotations

import json
import random

import pytest

from tests import pages
from tests.oracle import release
from vdebench import score
from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Operation, Sample
from vdebench.protocols.pages.region_texts import PageSides, RegionView
from vdebench.protocols.pages.release import VDE_RELEASE, plain_text, region_success, table_html

REPLACE = Sample(id="0", group="text", operation=Operation.TABLE_REPLACE)
DELETE = Sample(id="0", group="text", operation=Operation.TEXT_DELETE)
REGION = Box(0, 0, 100, 100)
NUMBERS = ("text_similarity", "cdm", "bleu")


def judged(sample, truth, prediction, box=REGION):
    """What the release says of one region."""
    join, matching = VDE_RELEASE.join_text, VDE_RELEASE.matching
    sides = PageSides(truth, prediction, None, size=None, matching=matching, join=join)
    return region_success(RegionView(sample, sides, box))


def test_the_tags_of_a_table_are_part_of_a_regions_text():
    """34 characters on each side, of which 33 agree: similarity 2·33/68, and the only cell is wrong."""
    truth, prediction = (Block(REGION, f"<table><tr><td>{cell}</td></tr></table>", "table") for cell in "ab")
    found = judged(REPLACE, [truth], [prediction])
    assert found["outcome"] == "success"
    assert found["text_similarity"] == pytest.approx(66 / 68)
    assert found["cdm"] == pytest.approx(33 / 34)


def test_entities_of_a_table_are_not_unescaped():
    """`&amp;` against `&`: 4 of 40 characters to insert."""
    truth, prediction = (
        Block(REGION, f"<table><tr><td>R{and_}D</td></tr></table>", "table") for and_ in ("&amp;", "&")
    )
    assert len(truth.content) == 40
    found = judged(REPLACE, [truth], [prediction])
    assert found["cdm"] == pytest.approx(1 - 4 / 40)


def test_contents_are_joined_by_overlap_without_blank_ones_and_stripped():
    """IoU 0.3, 0.6, 0.6 and 0.09: "b\\n", the blank one left out, then " a ", joined "b\\n  a ", stripped "b\\n  a"."""
    blocks = [
        Block(Box(0, 0, 100, 30), " a "),
        Block(Box(0, 0, 100, 60), "b\n"),
        Block(Box(0, 40, 100, 100), " \n\t"),
        Block(Box(0, 0, 100, 9), "too little"),
    ]
    found = judged(REPLACE, [Block(REGION, "b a")], blocks)
    assert found["cdm"] == pytest.approx(1 - 2 / 5)  # unstripped it would be 1 - 3/6
    assert found["text_similarity"] == pytest.approx(2 * 3 / 8)


def test_overlaps_of_exactly_a_tenth_count_and_equal_ones_keep_the_order_of_the_page():
    blocks = [Block(Box(0, 90, 100, 100), "first"), Block(Box(0, 0, 100, 10), "second")]
    found = judged(REPLACE, [Block(REGION, "first second")], blocks)
    assert found["text_similarity"] == 1.0


def test_a_deletion_succeeds_where_only_blank_blocks_are_read():
    blank = [Block(REGION, "  \n"), Block(REGION, "")]
    assert judged(DELETE, blank, blank)["outcome"] == "success"
    tags = [Block(REGION, "<table></table>", "table")]  # no text, but tags are content
    assert judged(DELETE, tags, tags)["outcome"] == "failure"


def test_a_table_may_have_white_space_before_its_first_tag():
    block = Block(REGION, "\n <table><tr><td>a</td></tr></table>", "table")
    assert table_html(block) == block.content
    assert plain_text(block) == "a"
    assert plain_text(Block(REGION, " x <b>a</b>", "table")) == " x <b>a</b>"
    assert plain_text(Block(REGION, " <b>a</b>", "text")) == " <b>a</b>"
    assert block.html == ""  # in the papers' protocols the first character decides


def test_only_vde_release_ignores_white_space_before_a_table(tmp_path):
    """Five nodes (table, tr, three td), one cell of one character is another: 1 - 1/5."""
    html = "<table><tr><td>a</td><td>b</td><td>{}</td></tr></table>"
    box = [100, 140, 500, 420]
    truth = [{"block_bbox": box, "block_label": "table", "block_content": html.format("c")}]
    prediction = [{"block_bbox": box, "block_label": "table", "block_content": "\n" + html.format("d")}]
    suite = pages.write_suite(tmp_path, [(truth, prediction)])
    found = score(suite, tmp_path / "pred", protocol="vde-release").summary["overall"]["global"]
    assert found["teds"] == pytest.approx(0.8)
    assert found["cdm"] == pytest.approx(1 - 1 / 7)  # "a  b  c": each tag a space
    paper = score(suite, tmp_path / "pred", protocol="vde-v3", setting="global").summary["overall"]["global"]
    assert paper["cdm"] < 0.2  # there the prediction's tags are text


def worse(rng, blocks):
    """Blocks as readers also write them: white space around, blank contents, HTML that breaks off."""
    found = []
    for block in blocks:
        content, luck = block["block_content"], rng.random()
        if luck < 0.15:
            content = rng.choice(["\n", "  ", "\t \n"]) + content
        elif luck < 0.3:
            content += rng.choice([" ", "\n", " \n"])
        elif luck < 0.4:
            content = rng.choice(["", " ", "\n\n"])
        elif luck < 0.6 and block["block_label"] == "table":
            cut = content[: rng.randint(1, max(1, len(content)))]
            content = cut + rng.choice(["", "<", "</t", "<td", " &am", "&amp; x", "p < 0.05"])
        found.append({**block, "block_content": content})
    return found


def worse_pairs(seed, count):
    rng = random.Random(seed)
    return [(worse(rng, truth), worse(rng, prediction)) for truth, prediction in pages.random_pairs(seed, count)]


@pytest.mark.parametrize("seed", range(4))
def test_pages_with_broken_tables_and_blanks_equal_the_oracle(tmp_path, seed):
    pairs = worse_pairs(seed, 30)
    suite = pages.write_suite(tmp_path, pairs)
    found = score(suite, tmp_path / "pred", protocol="vde-release", setting="global").summary["overall"]["global"]
    expected = release.score(pairs)["overall"]
    for name in ("iou", "cdm", "bleu", "teds", "text_similarity"):
        assert found[name] == pytest.approx(expected[name], abs=1e-9), name


@pytest.mark.parametrize("seed", range(4))
def test_regions_around_blocks_equal_the_oracle(tmp_path, seed):
    rng = random.Random(seed)
    pairs = [pair for pair in worse_pairs(seed, 40) if pair[0]]
    kinds = ["text replacement", "text deletion", "text addition", "table text replacement", "table structure edit"]
    entries, expected = [], []
    for index, (truth, prediction) in enumerate(pairs):
        kind = rng.choice(kinds)
        tables = [block for block in truth if block["block_label"] == "table"]
        x1, y1, x2, y2 = rng.choice(tables or truth)["block_bbox"]
        label = {
            "x": x1 / 10 + rng.random(),
            "y": y1 / 14 + rng.random(),
            "width": (x2 - x1) / 10,
            "height": (y2 - y1) / 14,
        }
        box = [label["x"] / 100 * 1000, label["y"] / 100 * 1400]
        box += [(label["x"] + label["width"]) / 100 * 1000, (label["y"] + label["height"]) / 100 * 1400]
        size = {"original_width": pages.WIDTH, "original_height": pages.HEIGHT}
        entries.append(pages.entry(index, label_output=[label | size], **{"instruction type": kind}))
        expected.append(release.region(truth, prediction, box, kind == "text deletion"))
    suite = pages.write_suite(tmp_path, pairs, entries)
    found = score(suite, tmp_path / "pred", protocol="vde-release").regions.sort("sample")
    by_key = dict(zip(found["sample"], found.to_dicts(), strict=True))
    for index, wanted in enumerate(expected):
        row = by_key[f"text/{index}"]
        assert (row["outcome"] == "success") == wanted["success"]
        assert [row[name] for name in NUMBERS] == pytest.approx([wanted[name] for name in NUMBERS], abs=1e-9)
    assert 0 < sum(wanted["success"] for wanted in expected) < len(expected)


def test_regions_of_real_pages_equal_the_oracle(shared):
    """Tables and text blocks of 18 real pages, their predictions spoilt and worse."""
    rng = random.Random(3)
    data = json.loads((shared / "data/omnidocbench/OmniDocBench_demo.json").read_text(encoding="utf-8"))
    compared = 0
    for page in data:
        truth = [
            {
                "block_bbox": [
                    min(det["poly"][0::2]),
                    min(det["poly"][1::2]),
                    max(det["poly"][0::2]),
                    max(det["poly"][1::2]),
                ],
                "block_label": "table" if det["category_type"] == "table" else "text",
                "block_content": det.get("html") or det.get("text") or "",
            }
            for det in page["layout_dets"]
        ]
        prediction = worse(rng, pages.spoilt(rng, truth))
        sides = [PageText.from_json({"parsing_res_list": blocks}).blocks for blocks in (truth, prediction)]
        for block in truth:
            if block["block_label"] == "table" or rng.random() < 0.2:
                box = [side + rng.uniform(-10, 10) for side in block["block_bbox"]]
                found = judged(REPLACE, *sides, Box(*box))
                wanted = release.region(truth, prediction, box, False)
                assert (found["outcome"] == "success") == wanted["success"]
                assert [found[name] for name in NUMBERS] == pytest.approx([wanted[name] for name in NUMBERS], abs=1e-9)
                compared += 1
    assert compared > 50

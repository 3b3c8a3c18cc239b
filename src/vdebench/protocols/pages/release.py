"""`vde-release`: what the authors' released code does, to the letter, faults included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.core.box import Box
from vdebench.core.page_text import Block, without_tags
from vdebench.core.sample import Operation
from vdebench.metrics.matching import greedy_by_iou
from vdebench.metrics.registry import versioned
from vdebench.metrics.teds_release import teds_top_down
from vdebench.metrics.text import bleu4_papers, character_similarity, difflib_ratio
from vdebench.metrics.tokens import whitespace_tokens
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.pages.region_texts import RegionView

REGION_IOU = 0.1
SUCCESS = 0.8


def table_html(block: Block) -> str:
    """The block's HTML, or nothing where the release does not take the block for a table.

    >>> table_html(Block(Box(0, 0, 9, 9), "\\n<table></table>", "table"))
    '\\n<table></table>'
    """
    return block.content if block.label == "table" and block.content.strip().startswith("<") else ""


@versioned("plain-text-release")
def plain_text(block: Block) -> str:
    """The content; of a table with every tag replaced by one space, stripped."""
    return without_tags(block.content).strip() if table_html(block) else block.content


@versioned("join-plain-text-release")
def joined_plain_text(blocks: Sequence[Block]) -> str:
    """Texts of several blocks with spaces between them."""
    return " ".join(map(plain_text, blocks))


@versioned("teds-release-of-pair", 2)
def _table_trees(prediction: Sequence[Block], truth: Sequence[Block]) -> float | None:
    """TEDS of a pair in which either block is a table; one that is not stands as an empty tree."""
    candidate, reference = table_html(prediction[0]), table_html(truth[0])
    return teds_top_down(candidate, reference) if candidate or reference else None


@versioned("region-success", 2)
def region_success(view: RegionView) -> Mapping[str, Any]:
    """The release's second script: the text in a region, and whether the edit counts as a success."""
    sample = view.sample
    reference, candidate = _text_in(view.box, view.sides.truth), _text_in(view.box, view.sides.prediction)
    similarity = difflib_ratio(candidate, reference)
    return {
        "outcome": "success" if _succeeds(sample.operation, candidate, similarity) else "failure",
        "kind": region_kind(sample.operation),
        "text_similarity": similarity,
        "cdm": character_similarity(candidate, reference),
        "bleu": bleu4_papers(candidate.split(), reference.split()),
    }


def _succeeds(operation: Operation, candidate: str, similarity: float) -> bool:
    return not candidate if operation.is_deletion else similarity >= SUCCESS


def _text_in(region: Box, blocks: Sequence[Block]) -> str:
    """Contents of the blocks that overlap a region enough, most overlapping first; HTML of tables as it stands."""
    found = [(iou, block.content) for block in blocks if (iou := block.box.iou(region)) >= REGION_IOU]
    found.sort(key=lambda pair: -pair[0])
    return " ".join(content for _, content in found if content.strip()).strip()


def region_kind(operation: Operation) -> str:
    """The class under which the release counts a region.

    >>> region_kind(Operation.TABLE_DELETE), region_kind(Operation.TABLE_REPLACE)
    ('deletion', 'table')
    """
    if operation.is_deletion:
        return "deletion"
    if operation in (Operation.TEXT_INSERT, Operation.TABLE_INSERT):
        return "addition"
    return "table" if operation.value.startswith("table") else "other"


VDE_RELEASE = PageProtocol(
    name="vde-release",
    says="the authors' released code: IoU ≥ 0.1, HTML-tree TEDS on tables, region success",
    rules=(
        "Matching: pairs of IoU 0.1 and more, largest IoU first, each block once; ties go to the earlier ground-truth "
        "block, then to the earlier predicted block.",
        "Boxes are compared in the pixels they come in: a prediction of another size is not scaled.",
        "Text: a block's content; of a table its HTML with every tag replaced by one space, entities as they stand. A "
        "table is a block labelled table whose content starts with '<', white space before it allowed.",
        "IoU: mean over matched pairs and unmatched ground-truth blocks, the latter 0; iou_matched over pairs alone.",
        "CDM, BLEU-4 and text similarity: means over matched pairs only.",
        "BLEU-4: tokens between white space, one added to matches and totals, 1e-9 for an order the candidate is too "
        "short for.",
        "Text similarity: Python's difflib ratio with its junk heuristic, ground truth first.",
        "TEDS: mean over pairs in which either block is a table. Trees as html.parser reports tags, top-down "
        "alignment, colspan and rowspan not seen; a pair with one table scores 0. The parser is never closed: an "
        "unfinished tag or entity at the end of broken HTML is lost with the text after it.",
        "Two empty texts score 1 in every text metric.",
        "Local: the whole page's blocks that share area with any region, on both sides, regions in pixels of their "
        "original_width and original_height; samples without these are left out.",
        "Region success: the contents of the blocks with IoU ≥ 0.1 to the region, largest IoU first, blank ones left "
        "out, joined with one space and stripped; the HTML tags of tables are part of the text. A deletion succeeds "
        "where nothing is read, any other edit where the difflib ratio is 0.8 or more. A missing prediction is an "
        "empty one.",
        "Means over blocks (micro) are the headline; means over samples stand beside under 'macro'.",
        "Images: files are opened without their alpha channel (no compositing) and without EXIF rotation. A prediction "
        "of another size is brought to the reference's by Lanczos. Local: one crop of the box around all regions, the "
        "percent of each edge truncated to a pixel, at least 64 pixels a side. PSNR: mean over the images below 100 "
        "dB, so that identical and nearly identical ones are left out; identical ones are counted. CLIP: the image "
        "against the reference image.",
        "A missing prediction is left out of the means, as the release leaves it out; coverage counts it.",
    ),
    matching=greedy_by_iou,
    match="iou0.1",
    block_text=plain_text,
    join_text=joined_plain_text,
    tokens=whitespace_tokens,
    tok="space",
    on_text={"cdm": character_similarity, "text_similarity": difflib_ratio},
    on_tokens={"bleu": bleu4_papers},
    on_tables={"teds": _table_trees},
    scale_boxes=False,
    text_counts="matched",
    iou_counts="truth",
    local="filter",
    headline="micro",
    missing="dropped",
    region=region_success,
    image_opening="raw",
    image_local="hull truncated",
    psnr="below 100",
    teds_column="teds",
)

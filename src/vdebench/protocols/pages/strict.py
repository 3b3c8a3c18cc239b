"""`strict`: the default protocol, without the faults of the papers' protocols; docs/faults.md compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.core.page_text import Block
from vdebench.metrics.folding import folded
from vdebench.metrics.matching import assign
from vdebench.metrics.registry import versioned
from vdebench.metrics.teds import teds
from vdebench.metrics.text import bleu4, character_similarity, common_subsequence_ratio, token_similarity
from vdebench.metrics.tokens import script_tokens, settled
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.pages.region_outcome import Outcome, is_preserved, outcome, same_text
from vdebench.protocols.pages.region_texts import RegionView
from vdebench.protocols.pages.table_blocks import beside_each_other, folded_cells, joined_cells, joined_tables, text_of


@versioned("folded-text")
def block_text(block: Block) -> str:
    """Return a block's text, folded: tables cell by cell, entities unescaped once, similar characters unified."""
    return folded(text_of(block))


@versioned("join-folded-text")
def joined_text(blocks: Sequence[Block]) -> str:
    """Return the text of several blocks, folded."""
    return folded(raw_text(blocks))


@versioned("join-settled-text")
def strict_text(blocks: Sequence[Block]) -> str:
    """Return the text of several blocks, unfolded, without insignificant white space."""
    return settled(raw_text(blocks))


@versioned("join-raw-text")
def raw_text(blocks: Sequence[Block]) -> str:
    """Return the text of several blocks with line ends; adjacent pieces of a table row by row."""
    return joined_cells(blocks) if beside_each_other(blocks) else "\n".join(map(text_of, blocks))


@versioned("teds-of-blocks", 2)
def _tables(prediction: Sequence[Block], truth: Sequence[Block]) -> float | None:
    """Return TEDS if either side has a table, 0 if only one has; pieces of a table are joined."""
    candidate, reference = (folded_cells(joined_tables(blocks)) for blocks in (prediction, truth))
    if candidate and reference:
        return teds(candidate, reference)
    return 0.0 if candidate or reference else None


@versioned("region-outcome", 3)
def region_outcome(view: RegionView) -> Mapping[str, Any]:
    """Return the outcome: done, not_done, partly, wrong_text, page_lost, text_kept, text_changed or unreadable.

    It depends on the text of the region, not on its segmentation into blocks. A deletion also requires the text next to
    the region: an erased page is `page_lost`.
    """
    read, expected, before = view.texts
    reference = expected.text
    result: Outcome = outcome(read, expected, before)
    if result in ("partly", "wrong_text") and same_text(read, view.source_text):
        result = "not_done"
    if not view.readable:
        result = "unreadable"
    neighbours = view.neighbours if result == "done" and view.sample.operation.is_deletion else None
    if neighbours is not None and not is_preserved(neighbours.read, neighbours.expected):
        result = "page_lost"
    return {
        "outcome": result,
        "kind": view.sample.operation.value,
        "cdm": character_similarity(folded(read), folded(reference)),
        "read": settled(read),
        "wanted": reference,
        "before": None if before is None else settled(before),
    }


STRICT = PageProtocol(
    name="strict",
    says="the default: optimal matching, tokens by script, missed and invented blocks count, true TEDS",
    rules=(
        "Boxes of a prediction of another size are scaled to the reference first.",
        "Matching: the cheapest one-to-one assignment. A pair costs a quarter of what its boxes do not share (one "
        "less IoU), a quarter of the distance of its centres as a share of a tenth of the page's diagonal, and half "
        "the edit distance of the first 200 characters of its texts as a share of the longer. Pairs of cost 0.7 and "
        "more, and blocks that neither meet nor lie that near, stay apart.",
        "Blocks that the reader merged or split are joined: where one lies in another by a quarter of its area, one "
        "of them lacks text, and the texts, joined as listed or from top to bottom, need at most half the edits they "
        "need apart, or "
        "one has no partner and nine tenths of its text are what the other lacks (the rest of a wiped paragraph). Each "
        "ground-truth block of such a group counts once, with the group's numbers; the group's IoU is that of the "
        "boxes around each side.",
        "Text is folded: compatibility forms (full and half width, ligatures, presentation forms, superscripts), "
        "quotes and dashes of all shapes, invisible marks, hyphens inside words and at line ends, delimiters, spacing "
        "and scripts of formulas, white space that means nothing. Tables cell by cell, entities unescaped once, from "
        "HTML or Markdown under any label. cdm_strict is CDM without folding.",
        "Every ground-truth block and every invented block counts: IoU, CDM, BLEU, TEDS-like and text similarity are "
        "means over matched, missed and invented blocks, the last two with 0. Means over matched blocks stand beside "
        "as *_matched. Blocks without text on both sides are left out of the text metrics.",
        "Tokens by script: a CJK character, a word, a number, a punctuation mark.",
        "BLEU: orders up to 4 that both texts have, one added above the first order: identical text scores 1.",
        "TEDS: tree edit distance over table, tr, td with spans and text; thead, tbody and html wrappers are left away "
        "and th is td. Missed and invented tables count 0, and so does a table read as plain text. Pieces of a table "
        "beside or below each other are put together. In a group of joined blocks it counts for the tables alone.",
        "Text similarity: twice the longest common subsequence over both lengths, no heuristic.",
        "page_text: 1 − the page's edits over the page's characters, missed and invented text counted in full.",
        "Local: OCR output of the regions' crops if both sides have it (local:crop); else the matched units of the "
        "whole page with a block that intersects a region (local:filter). The signature says which.",
        "Region outcome: done, not_done, partly or wrong_text, from the text of the crop where crops are read, else of "
        "the groups of blocks that meet the region, however they are cut and listed. Where the text before the edit "
        "is known, the changed words (whole numbers with their unit, words, runs of Chinese characters) must be read "
        "without an error and 95 % of the text around them must stand (two wrong characters are always allowed); else "
        "all text must be equal. Where an edit changes only what is folded, the unfolded words decide. A deletion also "
        "needs the text beside the region to stand (else page_lost). An edit that changes no text (a colour, "
        "a size) cannot be seen in text: text_kept or text_changed, in no rate. Where the reader cannot read the "
        "reference: unreadable, in no rate.",
        "Means over samples (macro) are the headline, so that a newspaper does not outweigh forty slides; means over "
        "blocks stand beside under 'micro'.",
        "Local, where a region should read nothing: 1 in the text metrics where nothing is read, 0 where anything is; "
        "no number where the reader cannot read the reference.",
        "Images: a prediction of another size is brought to the reference's by Lanczos, a missing one is a white page. "
        "Local: the mean over the regions, each cropped by itself, at least 64 pixels a side. PSNR is that of the mean "
        "squared error over all samples, so that identical images count; the mean over those that differ stands beside "
        "as psnr_finite, the number of identical ones as identical.",
        "A missing prediction is an empty page and scores 0; its regions are 'missing'. A failed one has no score, and "
        "coverage says so.",
    ),
    matching=assign,
    match="assign-3",
    block_text=block_text,
    join_text=joined_text,
    tokens=script_tokens,
    tok="script",
    on_text={"cdm": character_similarity, "text_similarity": common_subsequence_ratio},
    on_tokens={"bleu": bleu4, "teds_like": token_similarity},
    on_tables={"teds": _tables},
    raw_text=raw_text,
    strict_text=strict_text,
    on_strict_text={"cdm_strict": character_similarity},
    scale_boxes=True,
    text_counts="all",
    iou_counts="all",
    local="crop or units",
    headline="macro",
    missing="empty",
    region=region_outcome,
    region_needs_source=True,
    page_text=True,
    extensible=True,
    properties=True,
    image_local="regions",
    psnr="pooled",
)

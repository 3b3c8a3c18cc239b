"""`exact`: our default. None of the faults of the papers' protocols; docs/faults.md shows each with both numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from vdebench.box import Box
from vdebench.metrics.matching import assign, joined_text
from vdebench.metrics.table import Table, parse_table, table_text, teds
from vdebench.metrics.text import (
    bleu4,
    character_similarity,
    common_subsequence_ratio,
    edit_distance,
    token_similarity,
)
from vdebench.metrics.tokens import script_tokens, settled
from vdebench.protocols.compare import meeting
from vdebench.protocols.protocol import Protocol
from vdebench.reading import Block
from vdebench.sample import Sample

STANDS = 0.8
"""CDM that the rest of a region must keep for its edit to count as done."""


PARTLY = 0.5
"""CDM below which a region holds some other text, not a part of the edit."""


def block_text(block: Block) -> str:
    """What a block says: tables cell by cell, entities unescaped once, meaningless white space taken out."""
    html = _html(block)
    return table_text(html) if html else settled(block.content)


def _html(block: Block) -> str:
    content = block.content.lstrip()
    return content if block.label == "table" and content.startswith("<") else ""


def _tables(prediction: Sequence[Block], truth: Sequence[Block]) -> float | None:
    """TEDS where either side holds a table (0 where only one does); rows of several tables follow each other."""
    candidate, reference = (_rows(blocks) for blocks in (prediction, truth))
    if candidate and reference:
        return teds(candidate, reference)
    return 0.0 if candidate or reference else None


def _rows(blocks: Sequence[Block]) -> Table:
    return tuple(row for block in blocks if (html := _html(block)) for row in parse_table(html))


def region_outcome(
    sample: Sample, region: Box, truth: Sequence[Block], prediction: Sequence[Block], source: Sequence[Block] | None
) -> Mapping[str, Any]:
    """What became of one edit: done, not_done, partly, wrong_text; or text_kept, text_changed.

    Judged from the blocks that meet the region. Where the page before the edit was read too, the text that was to
    change is known, and misreadings beside it do not decide.
    """
    texts = [_text_in(region, blocks) for blocks in (truth, prediction)]
    before = None if source is None else _text_in(region, source)
    return {
        "outcome": outcome(texts[1], texts[0], before),
        "kind": sample.operation.value,
        "cdm": character_similarity(texts[1], texts[0]),
        "read": texts[1],
    }


def _text_in(region: Box, blocks: Sequence[Block]) -> str:
    touching = meeting(blocks, [region])
    return joined_text([block_text(block) for block, touches in zip(blocks, touching, strict=True) if touches])


def outcome(read: str, wanted: str, before: str | None) -> str:
    """What became of an edit, from what is read, what was wanted, and what stood there before where that is known.

    >>> outcome("Total: 412.7", wanted="Total: 412.7", before="Total: 418.7")
    'done'
    >>> outcome("Total: 418.7", wanted="Total: 412.7", before="Total: 418.7")
    'not_done'
    >>> outcome("Tofal: 412.7", wanted="Total: 412.7", before="Total: 418.7")  # the reader's error, not the edit's
    'done'
    >>> outcome("Keep this.", wanted="Keep this.", before="Keep this. Drop that.")  # a deletion
    'done'
    >>> outcome("Red", wanted="Red", before="Red")  # a new colour: its text says nothing of it
    'text_kept'
    """
    if before == wanted:
        return "text_kept" if read == wanted else "text_changed"
    if read == wanted:
        return "done"
    if before is None:
        return "wrong_text"
    span_before, span_wanted = _changed(before, wanted)
    if _intact(read, wanted, span_wanted):
        return "done"
    if _intact(read, before, span_before):
        return "not_done"
    nearer = edit_distance(read, wanted) < edit_distance(before, wanted)
    return "partly" if nearer and character_similarity(read, wanted) >= PARTLY else "wrong_text"


def _changed(before: str, wanted: str) -> tuple[range, range]:
    """Where two texts differ: the span in each from the first difference to the last."""
    changes = [op for op in Levenshtein.opcodes(before, wanted) if op.tag != "equal"]
    first, last = changes[0], changes[-1]
    return range(first.src_start, last.src_end), range(first.dest_start, last.dest_end)


def _intact(read: str, text: str, span: range) -> bool:
    """Whether what is read has the span of the text without an error, and most of the rest."""
    for op in Levenshtein.opcodes(text, read):
        touches = op.src_start <= span.stop and op.src_end >= span.start
        if op.tag == "insert":
            touches = span.start <= op.src_start <= span.stop
        elif span:
            touches = op.src_start < span.stop and op.src_end > span.start
        if op.tag != "equal" and touches:
            return False
    return character_similarity(read, text) >= STANDS


EXACT = Protocol(
    name="exact",
    says="ours, the default: optimal matching, tokens by script, missed and invented blocks count, true TEDS",
    rules=(
        "Boxes of a prediction of another size are scaled to the reference first.",
        "Matching: the cheapest one-to-one assignment. A pair costs a quarter of what its boxes do not share (one "
        "less IoU), a quarter of the distance of its centres as a share of a tenth of the page's diagonal, and half "
        "the edit distance of the first 200 characters of its texts as a share of the longer. Pairs of cost 0.7 and "
        "more, and blocks that neither meet nor lie that near, stay apart.",
        "Blocks that the reader merged or split are joined: where one lies in another by a quarter of its area, one "
        "of them lacks text, and the texts, joined in reading order, need at most half the edits they need apart, or "
        "one has no partner and nine tenths of its text are what the other lacks (the rest of a wiped paragraph). Each "
        "ground-truth block of such a group counts once, with the group's numbers; the group's IoU is that of the "
        "boxes around each side.",
        "Text: white space that means nothing is taken out (all of it beside a CJK character), composed characters "
        "(NFC), tables cell by cell with entities unescaped once.",
        "Every ground-truth block and every invented block counts: IoU, CDM, BLEU, TEDS-like and text similarity are "
        "means over matched, missed and invented blocks, the last two with 0. Means over matched blocks stand beside "
        "as *_matched. Blocks without text on both sides are left out of the text metrics.",
        "Tokens by script: a CJK character, a word, a number, a punctuation mark.",
        "BLEU: orders up to 4 that both texts have, one added above the first order: identical text scores 1.",
        "TEDS: tree edit distance over table, tr, td with spans and text; thead, tbody and html wrappers are left away "
        "and th is td. Missed and invented tables count 0, and so does a table read as plain text. In a group of "
        "joined blocks it counts for the tables alone.",
        "Text similarity: twice the longest common subsequence over both lengths, no heuristic.",
        "page_text: 1 − the page's edits over the page's characters, missed and invented text counted in full.",
        "Local: readings of the regions' crops where both sides have them (local:crop); else the matched units of the "
        "whole page of which a block meets a region (local:filter). The signature says which.",
        "Region outcome: done, not_done, partly or wrong_text, from what the region should read and what it reads; "
        "with `source_readings` in the suite the changed words decide, without them equality of all text. An edit "
        "that changes no text (a colour, a size) cannot be seen in readings: text_kept or text_changed, in no rate.",
        "Means over samples (macro) are the headline, so that a newspaper does not outweigh forty slides; means over "
        "blocks stand beside under 'micro'.",
        "Local, where a region should read nothing: 1 in the text metrics where nothing is read, 0 where anything is.",
        "Images: a prediction of another size is brought to the reference's by Lanczos, a missing one is a white page. "
        "Local: the mean over the regions, each cropped by itself, at least 64 pixels a side. PSNR is that of the mean "
        "squared error over all samples, so that identical images count; the mean over those that differ stands beside "
        "as psnr_finite, the number of identical ones as identical.",
        "A missing prediction is an empty page and scores 0; its regions are 'missing'. A failed one has no score, and "
        "coverage says so.",
    ),
    matching=assign,
    match="assign-2",
    block_text=block_text,
    join_text=joined_text,
    tokens=script_tokens,
    tok="script",
    on_text={"cdm": character_similarity, "text_similarity": common_subsequence_ratio},
    on_tokens={"bleu": bleu4, "teds_like": token_similarity},
    on_tables={"teds": _tables},
    scale_boxes=True,
    text_counts="all",
    iou_counts="all",
    local="crop or units",
    headline="macro",
    missing="empty",
    region=region_outcome,
    region_needs_source=True,
    page_text=True,
    properties=True,
    image_local="regions",
    psnr="pooled",
)

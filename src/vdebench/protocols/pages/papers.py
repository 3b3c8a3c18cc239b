"""`vde-v3` and `vde-v1`: the rules of the two versions of the paper, faults included."""

from __future__ import annotations

from dataclasses import replace

from vdebench.metrics.matching import greedy_by_centre
from vdebench.metrics.text import bleu4_papers, character_similarity, token_similarity
from vdebench.metrics.tokens import whitespace_tokens
from vdebench.protocols.pages.protocol import PageProtocol, joined_plain_text, plain_text

VDE_V3 = PageProtocol(
    name="vde-v3",
    says="the paper, arXiv 2602.00122v3: nearest centres, whitespace tokens, OCR of crops for local",
    rules=(
        "Matching: every ground-truth block with every predicted block, nearest centres first, each block once, "
        "however far apart; ties go to the earlier ground-truth block, then to the earlier predicted block.",
        "Boxes of a prediction of another size are scaled to the reference first.",
        "Text: a block's content; of a table its HTML with every tag replaced by one space.",
        "IoU: mean over all ground-truth blocks, an unmatched one counts 0 (equation 15). Beside it, over matched "
        "pairs (iou_matched) and over matched, unmatched ground-truth and unmatched predicted blocks (iou_all).",
        "CDM, BLEU-4 and TEDS-like: means over matched pairs only: missed and invented text is not seen.",
        "BLEU-4: tokens between white space, one added to matches and totals, 1e-9 for an order the candidate is too "
        "short for: an identical Chinese sentence scores 0.0000002.",
        "TEDS-like: edit distance over tokens between white space, on every pair. It is what the paper's tables print "
        "as TEDS; tables' HTML trees are not compared.",
        "Two empty texts score 1 in every text metric.",
        "Local: each region of the prediction is cropped, read, and compared with the crop's ground truth.",
        "Means over blocks (micro) are the headline; means over samples stand beside under 'macro'.",
        "Images: a prediction of another size is brought to the reference's by Lanczos. Local: one crop of the box "
        "around all regions, at least 64 pixels a side. PSNR: mean over the images that differ, identical ones counted "
        "apart. CLIP: the image against the instruction.",
        "A missing prediction is an empty page: its blocks count in IoU, and cannot count in the text metrics.",
    ),
    matching=greedy_by_centre,
    match="centre",
    block_text=plain_text,
    join_text=joined_plain_text,
    tokens=whitespace_tokens,
    tok="space",
    on_text={"cdm": character_similarity},
    on_tokens={"bleu": bleu4_papers, "teds_like": token_similarity},
    on_tables={},
    scale_boxes=True,
    text_counts="matched",
    iou_counts="truth",
    local="crop",
    headline="micro",
    missing="empty",
    clip="clip_text",
)

VDE_V1 = replace(
    VDE_V3,
    name="vde-v1",
    says="the paper's first version, arXiv 2602.00122v1: the same rules over the text samples alone",
    rules=(
        "Only replacement, insertion and deletion of text outside tables: the first version has 674 such samples and "
        "no others. Samples of table operations are out of scope, and counted as such.",
        *VDE_V3.rules,
    ),
    tables=False,
)

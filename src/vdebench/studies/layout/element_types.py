"""Which elements are text and which are visual, by the names of OmniDocBench and of PaddleOCR's labels.

The paper counts by both and does not list them. It names figures and tables as what makes a page visual; formulas are
set in type and can be edited as such, so they are text. What carries no content (a mask, what annotators gave up) is
neither: it counts in densities, and in no ratio.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["text", "visual", "other"]

TEXT = frozenset(
    (
        # OmniDocBench
        *("text_block", "title", "header", "footer", "page_number", "page_footnote", "reference", "list", "list_group"),
        *("equation_isolated", "equation_caption", "equation_explanation", "equation_semantic"),
        *("figure_caption", "figure_footnote", "table_caption", "table_footnote"),
        *("code_txt", "code_txt_caption", "code_algorithm", "code_algorithm_caption"),
        # readers
        *("text", "paragraph_title", "doc_title", "abstract", "content", "number", "footnote", "vision_footnote"),
        *("reference_content", "figure_title", "table_title", "chart_title", "display_formula", "inline_formula"),
        *("formula", "formula_number", "algorithm", "aside_text", "vertical_text", "spotting", "ocr"),
    )
)
VISUAL = frozenset(
    (
        # OmniDocBench
        *("figure", "table", "organic_chemical_formula"),
        # readers
        *("image", "chart", "seal", "header_image", "footer_image"),
    )
)
OTHER = frozenset(("abandon", "need_mask", "text_mask", "table_mask", "unknown_mask", "equation_ignore"))
"""Known to be neither; a type that is in no list is neither too, and said to be unknown."""


def kind_of(element: str) -> Kind:
    """What an element counts as.

    >>> kind_of("table"), kind_of("figure_caption"), kind_of("abandon"), kind_of("doodle")
    ('visual', 'text', 'other', 'other')
    """
    return "text" if element in TEXT else "visual" if element in VISUAL else "other"


def is_known(element: str) -> bool:
    """Whether a type is in one of the lists."""
    return element in TEXT or element in VISUAL or element in OTHER

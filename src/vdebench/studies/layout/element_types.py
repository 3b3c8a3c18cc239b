"""Classification of element types of OmniDocBench and PaddleOCR as text or visual.

The paper uses the two classes without listing their types. It names figures and tables as visual. Formulas are typeset
and editable, so they count as text. Elements without content (masks, abandoned areas) are neither: they count in
densities, but not in ratios.
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
"""Known types that are neither. A type in no list is neither as well, and is reported as unknown."""


def kind_of(element: str) -> Kind:
    """Return the class of an element type.

    >>> kind_of("table"), kind_of("figure_caption"), kind_of("abandon"), kind_of("doodle")
    ('visual', 'text', 'other', 'other')
    """
    return "text" if element in TEXT else "visual" if element in VISUAL else "other"


def is_known(element: str) -> bool:
    """Whether an element type is in one of the lists."""
    return element in TEXT or element in VISUAL or element in OTHER

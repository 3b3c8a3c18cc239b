"""TextEditBench's ten attributes of difficulty, derived from the document."""

from __future__ import annotations

from vdebench.core.sample import Operation
from vdebench.suites.typeset.document import Document, Text
from vdebench.suites.typeset.propose import Proposal

_GEOMETRIC = (Operation.TEXT_RELOCATION, Operation.SCALING, Operation.TEXT_ATTRIBUTE, Operation.TABLE_STRUCTURE)


def difficulty(
    document: Document, proposal: Proposal, operation: Operation, regions: int, skewed: bool
) -> dict[str, int]:
    """Return each attribute from 0 to 2. Occlusion, context and semantic linkage are always 0 on typeset pages."""
    block = document.block(proposal.edit.block)
    style = document.styles[block.role if isinstance(block, Text) else "table"]
    return {
        "num_text_regions": 0 if regions == 1 else 1 if regions <= 3 else 2,
        "text_length": _length(proposal),
        "font_complexity": int(style.font in ("serif", "modern")),
        "language": {"english": 0, "en_ch_mixed": 2}.get(document.language, 1),
        "surface_geometry": int(skewed),
        "occlusion": 0,
        "context_dependency": 0,
        "background_clutter": int(style.panel is not None or document.kind == "note"),
        "task_category": int(operation in _GEOMETRIC),
        "semantic_linkage": 0,
    }


def _length(proposal: Proposal) -> int:
    """Return 0 for up to two quoted words to write or change, 1 for up to four, else 2.

    Two Chinese characters count as one word.
    """
    texts = [
        text
        for name, value in proposal.quoted.items()
        if name in ("target", "new", "added", "head", "cells")
        for text in ([value] if isinstance(value, str) else value)
    ]
    words = 0.0
    for text in texts:
        han = sum("\u3400" <= letter <= "\u9fff" for letter in text)
        latin = "".join(" " if "\u3400" <= letter <= "\u9fff" else letter for letter in text)
        words += han / 2 + len(latin.split())
    return 0 if words <= 2 else 1 if words <= 4 else 2

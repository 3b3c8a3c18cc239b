"""Draw operations, prompts and generators for pages; reproducible on every machine.

The draws of a page depend only on the seed, its id and whether it has a table, not on other pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vdebench.errors import VdeError
from vdebench.instructions.prompt_pool import OPERATIONS, PER_OPERATION, TEXT_OPERATIONS
from vdebench.instructions.records import InstructionDraw, SourcePageRecord
from vdebench.instructions.seeded_choice import ranked

PRESETS = ("v1", "v3", "all")
"""v1: the three text operations; v3: two of the seven; all: every operation that the page allows."""
TEMPLATE = "template"
FEWEST_MODELS = 2


def draw(
    pages: Iterable[SourcePageRecord], preset: str, seed: int, generators: Sequence[str], *, fewest: int = FEWEST_MODELS
) -> list[InstructionDraw]:
    """Return the draws of each page, in the order of the pages.

    If models write instructions, at least `fewest` generators are required, so that a data set has no single author.

    >>> page = SourcePageRecord("p", "p.png", "", 9, 9, "english", "book", has_table=False)
    >>> [draws.operation for draws in draw([page], "v3", 0, ["template"])]
    ['text_replace', 'text_delete']
    """
    names = sorted(set(generators))
    if preset not in PRESETS:
        raise VdeError(f"unknown preset {preset!r}; available: {', '.join(PRESETS)}")
    if not names or ("" in names):
        raise VdeError("no generator given, expected `template` or the names of at least two models")
    if names != [TEMPLATE] and len(names) < fewest:
        raise VdeError(
            f"only one generator, {names[0]}; at least {fewest} are required if models write the instructions\n"
            "  add another model, or `template`"
        )
    draws: list[InstructionDraw] = []
    seen: set[str] = set()
    for page in pages:
        if page.id in seen:
            raise VdeError(f"two pages have the id {page.id}: rename one of them")
        seen.add(page.id)
        draws += _of_page(page, preset, seed, names)
    return draws


def _of_page(page: SourcePageRecord, preset: str, seed: int, generators: Sequence[str]) -> list[InstructionDraw]:
    draws = []
    for number, operation in enumerate(_operations(page, preset, seed), start=1):
        prompt = ranked(map(str, range(1, PER_OPERATION + 1)), "prompt", seed, page.id, operation)[0]
        generator = ranked(generators, "generator", seed, page.id, operation)[0]
        draws.append(InstructionDraw(page.id, number, operation, f"{operation}-{prompt}", generator, seed))
    return draws


def _operations(page: SourcePageRecord, preset: str, seed: int) -> Sequence[str]:
    if preset == "v1":
        return TEXT_OPERATIONS
    allowed = OPERATIONS if page.has_table else TEXT_OPERATIONS
    return allowed if preset == "all" else ranked(allowed, "operation", seed, page.id)[:2]

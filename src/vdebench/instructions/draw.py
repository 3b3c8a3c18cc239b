"""Which operations a page is drawn for, by which prompt and which generator: the same on every machine.

A page's draws depend on the seed, its name and whether it has a table, on nothing else: other pages may come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vdebench.errors import VdeError
from vdebench.instructions.prompt_pool import OPERATIONS, PER_OPERATION, TEXT_OPERATIONS
from vdebench.instructions.records import InstructionDraw, SourcePageRecord
from vdebench.instructions.seeded_choice import ranked

PRESETS = ("v1", "v3", "all")
"""The three text operations; two different ones of the seven; all that the page allows."""
TEMPLATE = "template"
FEWEST_MODELS = 2


def draw(
    pages: Iterable[SourcePageRecord], preset: str, seed: int, generators: Sequence[str], *, fewest: int = FEWEST_MODELS
) -> list[InstructionDraw]:
    """What each page is drawn for, in the pages' order.

    Where models write, there must be `fewest` generators at least, so that a data set has no single author.

    >>> page = SourcePageRecord("p", "p.png", "", 9, 9, "english", "book", has_table=False)
    >>> [drawn.operation for drawn in draw([page], "v3", 0, ["template"])]
    ['text_replace', 'text_delete']
    """
    names = sorted(set(generators))
    if preset not in PRESETS:
        raise VdeError(f"there is no preset {preset!r}; there are: {', '.join(PRESETS)}")
    if not names or ("" in names):
        raise VdeError("no generator was named: `template`, or the names of at least two models")
    if names != [TEMPLATE] and len(names) < fewest:
        raise VdeError(
            f"one generator, {names[0]}, and at least {fewest} are needed where models write the instructions\n"
            "  name another model, or `template` beside it"
        )
    drawn: list[InstructionDraw] = []
    seen: set[str] = set()
    for page in pages:
        if page.id in seen:
            raise VdeError(f"two pages are called {page.id}: give one of them another name")
        seen.add(page.id)
        drawn += _of_page(page, preset, seed, names)
    return drawn


def _of_page(page: SourcePageRecord, preset: str, seed: int, generators: Sequence[str]) -> list[InstructionDraw]:
    found = []
    for number, operation in enumerate(_operations(page, preset, seed), start=1):
        which = ranked(map(str, range(1, PER_OPERATION + 1)), "prompt", seed, page.id, operation)[0]
        who = ranked(generators, "generator", seed, page.id, operation)[0]
        found.append(InstructionDraw(page.id, number, operation, f"{operation}-{which}", who, seed))
    return found


def _operations(page: SourcePageRecord, preset: str, seed: int) -> Sequence[str]:
    if preset == "v1":
        return TEXT_OPERATIONS
    allowed = OPERATIONS if page.has_table else TEXT_OPERATIONS
    return allowed if preset == "all" else ranked(allowed, "operation", seed, page.id)[:2]

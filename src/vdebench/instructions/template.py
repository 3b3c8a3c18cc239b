"""The generator `template`: rules instead of a model, so that a benchmark can be built offline and without cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from vdebench.core.sample import Operation
from vdebench.instructions import template_table, template_text
from vdebench.instructions.check import checked_on
from vdebench.instructions.draw import TEMPLATE
from vdebench.instructions.generator import GeneratedAnswer, GenerationRequest, Generator
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.phrasing import phrasings
from vdebench.instructions.records import Instruction
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.template_text import PhrasedEdit
from vdebench.instructions.values import bank

VERSION = "1"
_TRIED = 200
_PROPOSERS: Mapping[Operation, Callable[[PageIndex, str, SeededChoice], Iterator[PhrasedEdit]]] = MappingProxyType(
    {
        Operation.TEXT_REPLACE: template_text.replacements,
        Operation.TEXT_INSERT: template_text.insertions,
        Operation.TEXT_DELETE: template_text.deletions,
        Operation.TABLE_REPLACE: template_table.replacements,
        Operation.TABLE_INSERT: template_table.insertions,
        Operation.TABLE_DELETE: template_table.deletions,
        Operation.TABLE_STRUCTURE: template_table.structures,
    }
)


class TemplateGenerator(Generator):
    """Chooses by the seed what occurs once on the page, and says it in one of several wordings."""

    name = TEMPLATE

    @property
    def label(self) -> str:
        """With the version of its rules."""
        return f"{TEMPLATE}-{VERSION}"

    def answer(self, request: GenerationRequest) -> GeneratedAnswer:
        """The first of the seed's proposals that passes all checks."""
        drawn, page = request.drawn, request.page
        chance = SeededChoice("template", drawn.seed, drawn.page, drawn.operation, request.attempt)
        on_page = PageIndex(request.page_text)
        edit = _PROPOSERS[Operation(drawn.operation)](on_page, page.language, chance)
        for _, proposal in zip(range(_TRIED), edit, strict=False):
            text = phrase(proposal, chance)
            if isinstance(checked_on(text, drawn, page, on_page), Instruction):
                return GeneratedAnswer(text)
        return GeneratedAnswer("", reason="no_candidate")


def phrase(edit: PhrasedEdit, chance: SeededChoice) -> str:
    """A proposal in words."""
    words = phrasings(edit.language_code)
    ways = bank(edit.language_code)["instructions"].get(edit.phrasing) or words["instructions"][edit.phrasing]
    opening, closing = words["quote"]

    def quoted(value: str | list[str]) -> str:
        if isinstance(value, str):
            return f"{opening}{value}{closing}"
        return str(words["list_join"]).join(quoted(each) for each in value)

    fields = {name: quoted(value) for name, value in edit.quoted.items()}
    role = words["roles"].get(edit.role, "")
    return str(chance.choice(ways)).format(**fields, table=words["the_table"], role=role)

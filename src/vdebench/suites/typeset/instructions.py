"""Phrase a proposed edit as an instruction, precise and, for studies of under-specification, ambiguous."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from vdebench.instructions.phrasing import phrasings

if TYPE_CHECKING:
    from vdebench.suites.typeset.propose import Proposal


class PhrasedInstruction(NamedTuple):
    """An instruction, an ambiguous variant, and the kind of its ambiguity."""

    instruction: str
    ambiguous: str
    ambiguity: str


def phrase_instruction(proposal: Proposal, language: str, rng: Random) -> PhrasedInstruction:
    """Phrase the proposal in a language."""
    words = phrasings(language)
    fields = _fields(proposal, words)
    instruction = rng.choice(words["instructions"][proposal.phrasing]).format(**fields)
    kinds: dict[str, list[str]] = words["ambiguous"][proposal.phrasing]
    kind = rng.choice(sorted(kinds))
    return PhrasedInstruction(instruction, rng.choice(kinds[kind]).format(**fields), kind)


def _fields(proposal: Proposal, words: dict[str, Any]) -> dict[str, str]:
    opening, closing = words["quote"]

    def quoted(value: str | list[str]) -> str:
        if isinstance(value, str):
            return f"{opening}{value}{closing}"
        return str(words["list_join"]).join(quoted(each) for each in value)

    plain = {"table": str(words["the_table"]), **proposal.plain}
    for name, kind in (
        ("role", "roles"),
        ("anchor_role", "roles"),
        ("colour", "colours"),
        ("font", "fonts"),
        ("align", "aligns"),
    ):
        if name in plain:
            plain[name] = words[kind][plain[name]]
    return {name: quoted(value) for name, value in proposal.quoted.items()} | plain

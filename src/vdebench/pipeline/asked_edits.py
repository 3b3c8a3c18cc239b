"""The edits that an instruction asks for: by rule, or by a judge model where the rules do not understand it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from vdebench.changes.meant_places import find_places
from vdebench.changes.outcome import placed_lines
from vdebench.changes.words import PlacedText, compared
from vdebench.instructions.request import EditRequest
from vdebench.instructions.several import requests_of
from vdebench.judges.edit_requests import StatedEdit, prompt_hash, state_edits
from vdebench.judges.judge import Judge
from vdebench.readers.reader import ReadLines


@dataclass(frozen=True)
class AskedEdits:
    """The requests of an instruction, and who understood it."""

    requests: tuple[EditRequest, ...] = ()
    source: str = ""
    """`rules` or `judge`; empty if nobody understood the instruction."""
    problem: str = ""
    """Why the judge's answer was not used."""
    judge: Mapping[str, str] = field(default_factory=dict)
    """Its identity, the model that its server reported and the hash of the prompt; empty if it was not asked."""

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON data."""
        edits = [{name: value for name, value in asdict(each).items() if value} for each in self.requests]
        return {
            "source": self.source or None,
            "edits": edits,
            "problem": self.problem,
            "judge": dict(self.judge) or None,
        }


def asked_edits(instruction: str, page: ReadLines, judge: Judge | None = None) -> AskedEdits:
    """Return the edits that an instruction asks for; a judge is asked only if the rules do not understand it."""
    if not instruction.strip():
        return AskedEdits()
    requests = requests_of(instruction)
    if requests:
        return AskedEdits(tuple(requests), "rules")
    if judge is None:
        return AskedEdits()
    stated = state_edits(judge, instruction, "\n".join(line.text for line in page.lines))
    identity = {**judge.identity, "returned": stated.model, "prompt": prompt_hash()}
    if stated.problem:
        return AskedEdits(problem=f"the judge {judge.name}: {stated.problem}", judge=identity)
    lines = placed_lines(page)
    requests = [_request(each) for each in stated.edits]
    problems = (_problem(each, instruction, lines) for each in requests)
    refused = next((problem for problem in problems if problem), "")
    if refused:
        return AskedEdits(problem=f"the judge {judge.name}: {refused}", judge=identity)
    return AskedEdits(tuple(requests), "judge", judge=identity)


def _request(edit: StatedEdit) -> EditRequest:
    if edit.action in ("insert_after", "insert_before"):
        return EditRequest(edit.action, edit.anchor, edit.new, everywhere=edit.everywhere)
    within = "" if edit.everywhere else edit.anchor
    return EditRequest(edit.action, edit.old, edit.new, within=within, everywhere=edit.everywhere)


def _problem(request: EditRequest, instruction: str, lines: Sequence[PlacedText]) -> str:
    """Return why an edit stated by a judge is refused: it must rest on the page and on the instruction."""
    old, new, within = (compared(text).characters for text in (request.target, request.new, request.within))
    if not old:
        return f"it names no text of the page for {request.action}"
    if request.action == "delete" and new:
        return "it gives a new text for a deletion"
    if request.action != "delete" and (not new or new not in compared(instruction).characters):
        return f"the new text {request.new!r} is not in the instruction"
    if old == new:
        return f"the new text {request.new!r} is the old one"
    for text in filter(None, (request.target, request.within)):
        if not _is_on_page(text, lines):
            return f"{text!r} is not on the page"
    if within and old not in within:
        return f"{request.within!r} does not contain {request.target!r}"
    places = find_places(request, lines)
    if places.unclear or (len(places.targets) > 1 and not request.everywhere):
        return f"{request.target!r} stands at {len(places.targets)} places, and it does not tell which is meant"
    return ""


def _is_on_page(text: str, lines: Sequence[PlacedText]) -> bool:
    """Whether a text is read on the page, whatever its spaces, the shape of its marks, and hyphens at ends of lines."""
    wanted = compared(text).characters
    places = [compared(each.text).characters for each in find_places(EditRequest("delete", text), lines).targets]
    return any(wanted in place or wanted in place.replace("-", "") for place in places)

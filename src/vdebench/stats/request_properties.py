"""The properties of a usable edit without a reference: the changes between the page and the output, and the request.

Together they pass where `vdebench.changes.verdict.judge` accepts the output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from vdebench.changes.change import Change, EditOutcome, PageChanges
from vdebench.changes.verdict import GeometryLimits, is_damage, is_unasked
from vdebench.stats.change_properties import ADDED, PropertyCheck, none_of

_UNMADE = {"not_done": "the edit was not made", "partly": "the edit was made in part"}
_UNDECIDED = "it is not known which changes were asked for"
_UNDECIDABLE = "the instruction is not understood by rule, and the sample has no target text that is new to its page"


class RequestCheck(NamedTuple):
    """The changes between the page and the output, and the outcome of what was asked for."""

    page: PageChanges
    edit: EditOutcome
    decidable: bool
    """Whether the instruction is understood or there is a target text; if not, no editor can be judged."""


def request_check(row: Mapping[str, Any]) -> RequestCheck | None:
    """Return what was found on a sample without a reference; None if it has one or nothing was measured."""
    if row.get("judged_by") not in ("request", "nothing") or not row.get("changes"):
        return None
    data = json.loads(row["changes"])
    return RequestCheck(PageChanges.from_json(data), data["edit"], row["judged_by"] == "request")


def request_properties(check: RequestCheck, limits: GeometryLimits) -> dict[str, PropertyCheck]:
    """Check all properties by the changes between the page and the output."""
    page = check.page
    problem = limits.problem(page.geometry)
    return {
        "completeness": _completeness(check),
        "textual_correctness": _textual_correctness(check),
        "spatial_precision": (not problem, problem or f"geometry: {page.geometry.kind}"),
        "visual_fidelity": _unasked(
            check,
            [each for each in page.changes if each.kind in ("restyled", "residue")],
            "no words of another style, no traces of old ones",
        ),
        "preservation": _unasked(
            check, [each for each in page.changes if _is_loss(each)], "no other text or mark changed"
        ),
    }


def _completeness(check: RequestCheck) -> PropertyCheck:
    """The edit was made, and nothing was added beside it."""
    if check.edit in _UNMADE:
        return False, _UNMADE[check.edit]
    added = [each for each in check.page.changes if each.kind in ADDED]
    passed, evidence = _unasked(check, added, "the edit was made, and nothing was added")
    return (None, _unknown(check)) if passed and check.edit == "unknown" else (passed, evidence)


def _textual_correctness(check: RequestCheck) -> PropertyCheck:
    """The output has the text that was asked for."""
    if check.edit == "unknown":
        return None, _unknown(check)
    problem = {"wrong_text": "the edit has the wrong text", **_UNMADE}.get(check.edit, "")
    return not problem, problem or "the text that was asked for"


def _unasked(check: RequestCheck, found: list[Change], passed: str) -> PropertyCheck:
    """None of the changes may be without a request."""
    wrong = [each for each in found if is_unasked(each)]
    if not wrong and len(found) > sum(each.asked is True for each in found):
        return None, _unknown(check)
    return none_of(check.page, wrong, passed)


def _is_loss(change: Change) -> bool:
    return change.kind not in ADDED and (change.kind in ("ink_lost", "redrawn") or is_damage(change))


def _unknown(check: RequestCheck) -> str:
    return _UNDECIDED if check.decidable else _UNDECIDABLE

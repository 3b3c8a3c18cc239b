"""Desks: where one voter works on one step. In Label Studio each is a project, known again by its description."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from vdebench.review.assignment import waiting_for
from vdebench.review.events import Event
from vdebench.review.state import Item, State

STEPS = ("pilot", "score", "boxes", "screen", "ocr")
"""What can be done in Label Studio; conflicts are for the review's own page."""
LONGEST_TITLE = 50
"""Label Studio's limit."""
_MARK = re.compile(r"vde-review ([0-9a-f]{16}) (\w+) (\S+)")


class ReviewProject(NamedTuple):
    """Where a voter (`group:2`, in the pilot `member:anna`, for the check `person`) works on a step."""

    step: str
    voter: str

    def title(self, review: str) -> str:
        """For people; cut where the review's name is long.

        >>> ReviewProject("boxes", "group:2").title("invoices")
        'vde invoices · boxes · group 2'
        """
        kind, _, name = self.voter.partition(":")
        whose = {"group": f" · group {name}", "member": f" · {name}"}.get(kind, "")
        end = f" · {self.step}{whose}"[: LONGEST_TITLE - 10]
        return f"vde {review}"[: LONGEST_TITLE - len(end)] + end

    def description(self, study: str) -> str:
        """For people, and what the project is known by; whoever takes the mark away gets a new project.

        >>> desk_in(ReviewProject("boxes", "group:A & B").description("0123456789abcdef"), "0123456789abcdef")
        ReviewProject(step='boxes', voter='group:A & B')
        """
        mark = f"vde-review {study} {self.step} {quote(self.voter, safe=':')}"
        return f"Made and filled by vde review label-studio. Leave this as it is: {mark}"


IMAGES = ReviewProject("images", "all")
"""The project that holds the pictures of all others, and no tasks."""


def desk_in(description: object, study: str) -> ReviewProject | None:
    """The desk that a project of this study is."""
    found = _MARK.search(description) if isinstance(description, str) else None
    if not found or found[1] != study or found[2] not in (*STEPS, IMAGES.step):
        return None
    return ReviewProject(found[2], unquote(found[3]))


def desks_among(projects: Iterable[Mapping[str, Any]], study: str) -> dict[ReviewProject, list[int]]:
    """The projects of a study by desk, the oldest first; more than one where two were made at the same time."""
    found: dict[ReviewProject, list[int]] = {}
    for project in sorted(projects, key=lambda each: int(each["id"])):
        desk = desk_in(project.get("description"), study)
        if desk:
            found.setdefault(desk, []).append(int(project["id"]))
    return found


def study_id(opened: Event) -> str:
    """What tells this review from all others: made of its first event, so it is the same on every machine."""
    return hashlib.sha256(json.dumps(opened.to_json(), sort_keys=True).encode()).hexdigest()[:16]


def waiting(state: State) -> dict[ReviewProject, list[Item]]:
    """What waits for whom, in the order of the pool."""
    found: dict[ReviewProject, list[Item]] = {}
    for item in sorted(state.items.values(), key=lambda each: each.position):
        step = "pilot" if state.study.pilot_open else item.step
        if step in STEPS:
            for voter in waiting_for(state.study, item):
                found.setdefault(ReviewProject(step, voter), []).append(item)
    return dict(sorted(found.items(), key=lambda each: (STEPS.index(each[0].step), each[0].voter)))


def round_of(state: State, item: Item) -> int:
    """The round in which a sample is voted on now: in a pilot, the pilot's number."""
    return state.study.pilot if state.study.pilot_open else item.round

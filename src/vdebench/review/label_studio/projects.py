"""Label Studio projects of a review: one per voter and step, recognised by a mark in the description."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from vdebench.review.assignment import waiting_for
from vdebench.review.events import Event
from vdebench.review.state import Item, State, current_step
from vdebench.review.workflow import WORKFLOW

LONGEST_TITLE = 50
"""Longest title that Label Studio accepts."""
_MARK = re.compile(r"vde-review ([0-9a-f]{16}) (\w+) (\S+)")


class ReviewProject(NamedTuple):
    """The project in which a voter (`group:2`, `member:anna` or `person`) works on a step."""

    step: str
    voter: str

    def title(self, review: str) -> str:
        """Return the title; a long name of the review is truncated.

        >>> ReviewProject("boxes", "group:2").title("invoices")
        'vde invoices · boxes · group 2'
        """
        kind, _, name = self.voter.partition(":")
        whose = {"group": f" · group {name}", "member": f" · {name}"}.get(kind, "")
        end = f" · {self.step}{whose}"[: LONGEST_TITLE - 10]
        return f"vde {review}"[: LONGEST_TITLE - len(end)] + end

    def description(self, study: str) -> str:
        """Return the description with the mark. If the mark is deleted, the next push creates a new project.

        >>> project_in(ReviewProject("boxes", "group:A & B").description("0123456789abcdef"), "0123456789abcdef")
        ReviewProject(step='boxes', voter='group:A & B')
        """
        mark = f"vde-review {study} {self.step} {quote(self.voter, safe=':')}"
        return f"Created by vde review label-studio. Do not edit this line: {mark}"


IMAGES = ReviewProject("images", "all")
"""The project that holds the images of all others, and no tasks."""


def label_studio_steps() -> list[str]:
    """Return the steps that can be done in Label Studio; conflicts need the review's own page."""
    return [step.name for step in WORKFLOW.steps if step.label_studio]


def project_in(description: object, study: str) -> ReviewProject | None:
    """Return the voter and step of a project of this review; None for other projects."""
    found = _MARK.search(description) if isinstance(description, str) else None
    if not found or found[1] != study or found[2] not in (*label_studio_steps(), IMAGES.step):
        return None
    return ReviewProject(found[2], unquote(found[3]))


def projects_by_key(projects: Iterable[Mapping[str, Any]], study: str) -> dict[ReviewProject, list[int]]:
    """Return the ids of the projects of a review by voter and step, oldest first.

    There are several if two were created at the same time.
    """
    found: dict[ReviewProject, list[int]] = {}
    for project in sorted(projects, key=lambda each: int(each["id"])):
        key = project_in(project.get("description"), study)
        if key:
            found.setdefault(key, []).append(int(project["id"]))
    return found


def study_id(opened: Event) -> str:
    """Return an id of the review: a digest of its first event, so it is the same on every machine."""
    return hashlib.sha256(json.dumps(opened.to_json(), sort_keys=True).encode()).hexdigest()[:16]


def waiting(state: State) -> dict[ReviewProject, list[Item]]:
    """Return the samples that wait for each voter, in the order of the pool."""
    steps = label_studio_steps()
    found: dict[ReviewProject, list[Item]] = {}
    for item in sorted(state.items.values(), key=lambda each: each.position):
        step, _ = current_step(state.study, item)
        if step in steps:
            for voter in waiting_for(state.study, item):
                found.setdefault(ReviewProject(step, voter), []).append(item)
    return dict(sorted(found.items(), key=lambda each: (steps.index(each[0].step), each[0].voter)))

"""What was seen of Label Studio's projects, so that a loop asks only for what came or was changed since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from vdebench.review.label_studio.annotations import UnfitError, slip_of
from vdebench.review.label_studio.server import LabelStudio

MARGIN = timedelta(minutes=1)
_MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"
Key = tuple[str, int]
"""Sample and round."""


@dataclass(slots=True)
class _Seen:
    tasks: dict[int, Key | None] = field(default_factory=dict)
    until: str = ""


@dataclass(slots=True)
class PollState:
    """Begins with nothing: then everything is asked for."""

    pulled: dict[int, str] = field(default_factory=dict)
    """Until when each project's annotations were looked at."""
    _listed: dict[int, _Seen] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)

    def expect(self, projects: Iterable[Mapping[str, Any]]) -> None:
        """Take note of how many tasks each project has: where some were deleted, all are looked at anew."""
        self._counts = {int(each["id"]): int(each.get("task_number") or 0) for each in projects}

    def keys(self, server: LabelStudio, project: int) -> set[Key]:
        """The samples and rounds that a project has tasks for."""
        seen = self._listed.setdefault(project, _Seen())
        _look(seen, server, project)
        if len(seen.tasks) != self._counts.get(project):
            seen = self._listed[project] = _Seen()
            _look(seen, server, project)
        return {key for key in seen.tasks.values() if key}


def _look(seen: _Seen, server: LabelStudio, project: int) -> None:
    last = ""
    for task in server.tasks(project, since=seen.until, annotations=False):
        try:
            slip = slip_of(task.get("data"))
            seen.tasks[int(task["id"])] = slip.sample, slip.round
        except UnfitError:
            seen.tasks[int(task["id"])] = None
        last = max(last, str(task.get("updated_at") or ""))
    if last:
        seen.until = a_little_before(last)


def a_little_before(moment: str) -> str:
    """Clocks of servers behind one address differ, and looking twice costs nothing.

    >>> a_little_before("2026-11-16T18:13:26.097812Z")
    '2026-11-16T18:12:26.097812Z'
    """
    try:
        return (datetime.strptime(moment, _MOMENT) - MARGIN).strftime(_MOMENT)
    except ValueError:
        return ""

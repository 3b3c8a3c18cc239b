"""What has been read from Label Studio, so that a polling loop requests only tasks that changed since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from vdebench.review.label_studio.annotations import UnfitError, task_label
from vdebench.review.label_studio.server import LabelStudio

MARGIN = timedelta(minutes=1)
_MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"
Key = tuple[str, int]
"""Sample and round."""


@dataclass(slots=True)
class _TaskList:
    tasks: dict[int, Key | None] = field(default_factory=dict)
    until: str = ""


@dataclass(slots=True)
class PollState:
    """What has been read so far; a new object means that everything is requested."""

    pulled: dict[int, str] = field(default_factory=dict)
    """Time up to which the annotations of each project have been read."""
    _listed: dict[int, _TaskList] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)

    def expect(self, projects: Iterable[Mapping[str, Any]]) -> None:
        """Store the number of tasks of each project: after deletions, all tasks of the project are read again."""
        self._counts = {int(each["id"]): int(each.get("task_number") or 0) for each in projects}

    def keys(self, server: LabelStudio, project: int) -> set[Key]:
        """Return the samples and rounds for which a project has tasks."""
        known = self._listed.setdefault(project, _TaskList())
        _read_tasks(known, server, project)
        if len(known.tasks) != self._counts.get(project):
            known = self._listed[project] = _TaskList()
            _read_tasks(known, server, project)
        return {key for key in known.tasks.values() if key}


def _read_tasks(known: _TaskList, server: LabelStudio, project: int) -> None:
    last = ""
    for task in server.tasks(project, since=known.until, annotations=False):
        try:
            label = task_label(task.get("data"))
            known.tasks[int(task["id"])] = label.sample, label.round
        except UnfitError:
            known.tasks[int(task["id"])] = None
        last = max(last, str(task.get("updated_at") or ""))
    if last:
        known.until = with_margin(last)


def with_margin(moment: str) -> str:
    """Return a time one minute earlier, because the clocks of servers behind one address may differ.

    >>> with_margin("2026-11-16T18:13:26.097812Z")
    '2026-11-16T18:12:26.097812Z'
    """
    try:
        return (datetime.strptime(moment, _MOMENT) - MARGIN).strftime(_MOMENT)
    except ValueError:
        return ""

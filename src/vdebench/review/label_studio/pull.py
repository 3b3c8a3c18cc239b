"""Pull: submit annotations to the store as votes. If a task has several annotations, the first counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vdebench.review.json_form import plain
from vdebench.review.label_studio.annotations import TaskLabel, UnfitError, task_label, vote_in
from vdebench.review.label_studio.poll_state import PollState, with_margin
from vdebench.review.label_studio.projects import IMAGES, ReviewProject, projects_by_key
from vdebench.review.label_studio.reports import PullReport, RefusedAnnotation
from vdebench.review.label_studio.server import LabelStudio
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import State
from vdebench.review.step import VoteCommand
from vdebench.review.store import Store

PASSING = frozenset({Reason.BUSY.value, Reason.LEASED.value, Reason.PILOT_OPEN.value})
"""Refusals that may succeed later without a change in Label Studio."""


def pull(
    store: Store, server: LabelStudio, study: str, people: Mapping[str, str], poll: PollState | None = None
) -> PullReport:
    """Submit all annotations, or with `poll` only those that changed since the last call with it."""
    poll = poll or PollState()
    state, accounts, pulled = store.state(), server.people(), PullReport()
    members = {id: people.get(email, "") for id, email in accounts.items()}
    for key, projects in sorted(projects_by_key(server.projects(), study).items()):
        if key == IMAGES:
            continue
        for project in projects:
            puller = _Puller(store, state, key, project, members, accounts, pulled)
            puller.pull(server, poll)
    return pulled


@dataclass(slots=True)
class _Puller:
    """Reads the annotations of one project."""

    store: Store
    state: State
    key: ReviewProject
    project: int
    members: Mapping[int, str]
    emails: Mapping[int, str]
    pulled: PullReport

    def pull(self, server: LabelStudio, poll: PollState) -> None:
        last, before = "", len(self.pulled.refused)
        for task in server.tasks(self.project, since=poll.pulled.get(self.project, "")):
            last = max(last, str(task.get("updated_at") or ""))
            self._task(task)
        if last and not any(each.reason in PASSING for each in self.pulled.refused[before:]):
            poll.pulled[self.project] = with_margin(last)

    def _task(self, task: Mapping[str, Any]) -> None:
        in_order = sorted(task.get("annotations") or [], key=lambda each: int(each["id"]))
        counted = False
        for annotation in in_order:
            if annotation.get("was_cancelled"):
                self.pulled.cancelled += 1
                continue
            try:
                label = task_label(task.get("data"))
                who, vote = self._voter(annotation), self._vote(label, annotation)
                counted |= self._count(who, vote, int(annotation["id"]), counted)
            except UnfitError as error:
                self._refuse(task, annotation, error.reason, error.words)

    def _voter(self, annotation: Mapping[str, Any]) -> str:
        """Return the member whose vote it is; Label Studio lets anybody write in the name of others."""
        by, written = annotation.get("completed_by"), annotation.get("updated_by")
        if written is not None and written != by:
            raise UnfitError("not_their_own", f"it was written or edited by {self._account(written)}")
        name = self.members.get(by, "") if isinstance(by, int) else ""
        member = self.state.study.member(name)
        if member is None:
            raise UnfitError("unknown_person", "the people file has no entry for this account")
        if self.key.voter not in member.voters:
            words = f"{name} is {member.role} {member.group}".rstrip()
            raise UnfitError("wrong_group", f"{words}, but this project is for {self.key.voter.replace(':', ' ')}")
        return name

    def _vote(self, label: TaskLabel, annotation: Mapping[str, Any]) -> VoteCommand:
        item = self.state.items.get(label.sample)
        if item is None:
            raise UnfitError("unknown_sample", "the review has no such sample")
        return vote_in(self.key, item, label, annotation.get("result"))

    def _count(self, who: str, vote: VoteCommand, annotation: int, counted: bool) -> bool:
        """Submit a vote and return True; skip the store if the state already contains the same vote."""
        votes = self.state.items[vote.sample].votes(self.key.step, vote.round)
        if not counted and any(event.who == who and plain(event.what) == plain(vote) for event in votes):
            self.pulled.known += 1
            return True
        key = f"label-studio:{self.project}:{annotation}"
        answer = self.store.submit(vote, who=who, now=datetime.now(UTC), key=key)
        if isinstance(answer, Refusal):
            if answer.reason == Reason.KEY_REUSED:
                raise UnfitError("changed_later", "it was changed after it had been counted; the first version counts")
            raise UnfitError(answer.reason.value, answer.words)
        if answer.repeated:
            self.pulled.known += 1
        else:
            self.pulled.accepted[self.key.step] += 1
        return True

    def _refuse(self, task: Mapping[str, Any], annotation: Mapping[str, Any], reason: str, words: str) -> None:
        data = task.get("data")
        sample = str(data.get("sample", "")) if isinstance(data, Mapping) else ""
        who = self._account(annotation.get("completed_by"))
        name = sample[:200] or f"task {task.get('id')}"
        self.pulled.refused.append(RefusedAnnotation(self.key, name, int(annotation["id"]), who, reason, words))

    def _account(self, account: object) -> str:
        email = self.emails.get(account, "") if isinstance(account, int) else ""
        return email or f"account {account!r}"[:60]

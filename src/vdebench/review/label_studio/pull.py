"""Pull: what people said in Label Studio becomes votes. The store decides; the first of several annotations counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vdebench.review.commands import VoteCommand
from vdebench.review.json_form import plain
from vdebench.review.label_studio.annotations import TaskLabel, UnfitError, slip_of, vote_in
from vdebench.review.label_studio.poll_state import PollState, a_little_before
from vdebench.review.label_studio.projects import IMAGES, ReviewProject, desks_among
from vdebench.review.label_studio.reports import PullReport, RefusedAnnotation
from vdebench.review.label_studio.server import LabelStudio
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import State
from vdebench.review.store import Store

PASSING = frozenset({Reason.BUSY.value, Reason.LEASED.value, Reason.PILOT_OPEN.value})
"""Refusals of what may be accepted later, though nobody touches it in Label Studio."""


def pull(
    store: Store, server: LabelStudio, study: str, people: Mapping[str, str], looked: PollState | None = None
) -> PullReport:
    """Bring annotations into the review: everything, or with `looked` what came or was changed since then."""
    looked = looked or PollState()
    state, accounts, pulled = store.state(), server.people(), PullReport()
    members = {id: people.get(email, "") for id, email in accounts.items()}
    for desk, projects in sorted(desks_among(server.projects(), study).items()):
        if desk == IMAGES:
            continue
        for project in projects:
            puller = _Puller(store, state, desk, project, members, accounts, pulled)
            puller.pull(server, looked)
    return pulled


@dataclass(slots=True)
class _Puller:
    """The annotations of one project."""

    store: Store
    state: State
    desk: ReviewProject
    project: int
    members: Mapping[int, str]
    emails: Mapping[int, str]
    pulled: PullReport

    def pull(self, server: LabelStudio, looked: PollState) -> None:
        last, before = "", len(self.pulled.refused)
        for task in server.tasks(self.project, since=looked.pulled.get(self.project, "")):
            last = max(last, str(task.get("updated_at") or ""))
            self._task(task)
        if last and not any(each.reason in PASSING for each in self.pulled.refused[before:]):
            looked.pulled[self.project] = a_little_before(last)

    def _task(self, task: Mapping[str, Any]) -> None:
        in_order = sorted(task.get("annotations") or [], key=lambda each: int(each["id"]))
        counted = False
        for annotation in in_order:
            if annotation.get("was_cancelled"):
                self.pulled.cancelled += 1
                continue
            try:
                slip = slip_of(task.get("data"))
                who, vote = self._voter(annotation), self._vote(slip, annotation)
                counted |= self._count(who, vote, int(annotation["id"]), counted)
            except UnfitError as error:
                self._refuse(task, annotation, error.reason, error.words)

    def _voter(self, annotation: Mapping[str, Any]) -> str:
        """The member whose vote it is; Label Studio takes anybody's word for whose it is."""
        by, written = annotation.get("completed_by"), annotation.get("updated_by")
        if written is not None and written != by:
            raise UnfitError("not_their_own", f"it was written or changed by {self._shown(written)}")
        name = self.members.get(by, "") if isinstance(by, int) else ""
        member = self.state.study.member(name)
        if member is None:
            raise UnfitError("unknown_person", "the file of people does not name them")
        if self.desk.voter not in member.voters:
            words = f"{name} is {member.role} {member.group}".rstrip()
            raise UnfitError("wrong_group", f"{words}, and this project is for {self.desk.voter.replace(':', ' ')}")
        return name

    def _vote(self, slip: TaskLabel, annotation: Mapping[str, Any]) -> VoteCommand:
        item = self.state.items.get(slip.sample)
        if item is None:
            raise UnfitError("unknown_sample", "no such sample is in this review")
        return vote_in(self.desk, item, slip, annotation.get("result"))

    def _count(self, who: str, vote: VoteCommand, annotation: int, counted: bool) -> bool:
        """Whether a vote is in; by the store's word, unless the state has this very vote already: that is quick."""
        votes = self.state.items[vote.sample].votes(self.desk.step, vote.round)
        if not counted and any(event.who == who and plain(event.what) == plain(vote) for event in votes):
            self.pulled.known += 1
            return True
        key = f"label-studio:{self.project}:{annotation}"
        answer = self.store.submit(vote, who=who, now=datetime.now(UTC), key=key)
        if isinstance(answer, Refusal):
            if answer.reason == Reason.KEY_REUSED:
                raise UnfitError("changed_later", "it was changed after it had counted; what it said first stands")
            raise UnfitError(answer.reason.value, answer.words)
        if answer.repeated:
            self.pulled.known += 1
        else:
            self.pulled.accepted[self.desk.step] += 1
        return True

    def _refuse(self, task: Mapping[str, Any], annotation: Mapping[str, Any], reason: str, words: str) -> None:
        data = task.get("data")
        sample = str(data.get("sample", "")) if isinstance(data, Mapping) else ""
        who = self._shown(annotation.get("completed_by"))
        shown = sample[:200] or f"task {task.get('id')}"
        self.pulled.refused.append(RefusedAnnotation(self.desk, shown, int(annotation["id"]), who, reason, words))

    def _shown(self, account: object) -> str:
        email = self.emails.get(account, "") if isinstance(account, int) else ""
        return email or f"account {account!r}"[:60]

"""Assignment of samples: which voters a sample waits for, and which member works on it.

A lease reserves a sample for one member of a group. It is not an event and expires by itself. Functions take the time
as an argument.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from vdebench.review.events import stamp
from vdebench.review.options import Options
from vdebench.review.state import Item, ReviewState, State, current_step
from vdebench.review.workflow import WORKFLOW

SLACK = timedelta(minutes=5)
"""Tolerated difference between the clocks of two servers."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A reservation of a sample for one member, who votes as `voter`."""

    sample: str
    voter: str
    who: str
    until: str
    """End of the lease, formatted by `stamp`."""

    def keeps_out(self, who: str, now: str) -> bool:
        """Whether the lease is valid and belongs to another member."""
        return self.who != who and now < self.until


Leases = Mapping[tuple[str, str], Lease]
"""Leases by sample and voter."""


def waiting_for(study: ReviewState, item: Item) -> list[str]:
    """Return the voters who have not voted yet in the present step of a sample."""
    if study.pilot_open and not study.in_pilot(item.id, item.step):
        return []
    name, round = current_step(study, item)
    voted = {vote.voter for vote in item.votes(name, round)}
    return [voter for voter in _voters(study, name) if voter not in voted]


def _voters(study: ReviewState, name: str) -> list[str]:
    """Return all voters of a step."""
    step = WORKFLOW.get(name)
    if step is None:
        return []
    if step.voters == "group":
        return [step.voter("", group) for group in study.options.groups]
    if step.voters == "member":
        return [step.voter(member.name, "") for member in study.annotators()]
    return [step.voters]


def next_for(
    state: State, who: str, now: datetime, leases: Leases | None = None, steps: Collection[str] | None = None
) -> Item | None:
    """Return the next sample for a member: the one they have leased, else the one that has waited longest.

    A sample that starts a new round goes to the end of the queue, so every sample is reached. `steps` limits the
    choice to some steps.
    """
    member = state.study.member(who)
    if member is None or not member.active:
        return None
    moment, latest, held = stamp(now), latest_end(state.study.options, now), leases or {}
    best: tuple[tuple[bool, str, int], Item] | None = None
    for item in state.items.values():
        if steps is not None and current_step(state.study, item)[0] not in steps:
            continue
        for voter in waiting_for(state.study, item):
            lease = held.get((item.id, voter))
            lasts = lease is not None and moment < lease.until <= latest
            if voter not in member.voters or (lease and lasts and lease.who != who):
                continue
            rank = (not lasts, item.since, item.position)
            if best is None or rank < best[0]:
                best = rank, item
    return best[1] if best else None


def new_lease(options: Options, sample: str, voter: str, who: str, now: datetime) -> Lease:
    """Return a lease that starts now."""
    return Lease(sample, voter, who, stamp(now + timedelta(minutes=options.lease_minutes)))


def latest_end(options: Options, now: datetime) -> str:
    """Return the latest valid end of a lease. A later end was written by a wrong clock; such a lease is ignored."""
    return stamp(now + timedelta(minutes=options.lease_minutes) + SLACK)


def voter_for(study: ReviewState, item: Item, who: str) -> str | None:
    """Return the voter as whom a member can vote on a sample now; None if the sample does not wait for them."""
    member = study.member(who)
    if member is None or not member.active:
        return None
    return next((voter for voter in waiting_for(study, item) if voter in member.voters), None)

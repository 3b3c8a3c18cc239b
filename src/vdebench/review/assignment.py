"""Who is waited for, and who works on what: a sample that one member has opened is kept from the others of their group.

A lease is no event: it decides nothing, and it is over when its time is. Everything takes the time as an argument.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from vdebench.review.events import stamp
from vdebench.review.options import Options
from vdebench.review.state import CONFLICT, Item, ReviewState, State

GROUP_STEPS = ("score", "boxes", "screen")
SLACK = timedelta(minutes=5)
"""How far the clocks of two servers may be apart."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Somebody's hold on a sample, in the place of a voter."""

    sample: str
    voter: str
    who: str
    until: str
    """As events write moments."""

    def keeps_out(self, who: str, now: str) -> bool:
        """Whether somebody else has to wait."""
        return self.who != who and now < self.until


Leases = Mapping[tuple[str, str], Lease]
"""By sample and voter."""


def waiting_for(study: ReviewState, item: Item) -> list[str]:
    """The voters who have not voted yet in the step in which a sample is.

    Voters are `group:NAME`, in the pilot `member:NAME`, `person` for the check of readings, and `adjudicator`.
    """
    if study.pilot_open:
        if item.id not in study.pilot_samples or item.step != "score":
            return []
        awaited, step, round = [f"member:{each.name}" for each in study.annotators()], "pilot", study.pilot
    else:
        awaited, step, round = _awaited(study, item), item.step, item.round
    given = {vote.voter for vote in item.votes(step, round)}
    return [voter for voter in awaited if voter not in given]


def _awaited(study: ReviewState, item: Item) -> list[str]:
    if item.step in GROUP_STEPS:
        return [f"group:{group}" for group in study.options.groups]
    return {"ocr": ["person"], CONFLICT: ["adjudicator"]}.get(item.step, [])


def next_for(
    state: State, who: str, now: datetime, leases: Leases | None = None, steps: Collection[str] | None = None
) -> Item | None:
    """The sample that a member should look at next: the one they hold, else the one that has waited longest.

    A sample that returns to the pool goes to the end, so none is passed over for ever. `steps` limits the choice.
    """
    member = state.study.member(who)
    if member is None or not member.active:
        return None
    moment, latest, held = stamp(now), latest_end(state.study.options, now), leases or {}
    best: tuple[tuple[bool, str, int], Item] | None = None
    for item in state.items.values():
        if steps is not None and ("pilot" if state.study.pilot_open else item.step) not in steps:
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


def lent(options: Options, sample: str, voter: str, who: str, now: datetime) -> Lease:
    """A lease that begins now."""
    return Lease(sample, voter, who, stamp(now + timedelta(minutes=options.lease_minutes)))


def latest_end(options: Options, now: datetime) -> str:
    """When a lease can end at the latest: one that would last longer was given when a clock was wrong, and is over."""
    return stamp(now + timedelta(minutes=options.lease_minutes) + SLACK)


def voter_for(study: ReviewState, item: Item, who: str) -> str | None:
    """As whom a member would vote on a sample now; none where they are not waited for."""
    member = study.member(who)
    if member is None or not member.active:
        return None
    return next((voter for voter in waiting_for(study, item) if voter in member.voters), None)

"""Lists and counts for the page, read from the tables without a replay of the events."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vdebench.core.box import Box
from vdebench.review import leases
from vdebench.review import visibility as views
from vdebench.review.assignment import voter_for
from vdebench.review.projection import StoredItems
from vdebench.review.refusals import Refusal
from vdebench.review.state import Member, State
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.workflow import CONFLICT, PILOT, WORKFLOW

Counts = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class ListedSample:
    """A sample as a member sees it, with their voter and lease."""

    view: views.View
    edit: str
    """SHA-256 of the edited image."""
    voter: str | None
    """The voter as whom they can vote now; None if they cannot."""
    until: str | None
    """End of their lease; None without one."""


def view_sample(store: Store, who: str, sample: str, now: datetime) -> ListedSample | Refusal:
    """Return what a member may see of a sample, read in one transaction."""
    with store.reading() as (connection, study):
        item = StoredItems(connection, study).get(sample)
        view = views.view(State(study, {sample: item} if item else {}), who, sample)
        if isinstance(view, Refusal):
            return view
        assert item is not None
        voter = voter_for(study, item, who)
        lease = leases.held_by(connection, study, sample, voter, now) if voter else None
        return ListedSample(view, item.edit, voter, lease.until if lease and lease.who == who else None)


def is_known(store: Store, sample: str) -> bool:
    """Whether a sample is in the review."""
    with store.reading() as (connection, study):
        return sample in StoredItems(connection, study)


def todo(store: Store, member: Member, step: str = "") -> list[tuple[str, str]]:
    """Return the samples that wait for a member, with their steps, in the order of the pool."""
    sa, queue = sqlalchemy(), tables().queue
    where = queue.c.voter.in_(member.voters) & (queue.c.step == step if step else sa.true())
    query = sa.select(queue.c.sample, queue.c.step).where(where).order_by(queue.c.position)
    with store.reading() as (connection, _):
        return [(row.sample, row.step) for row in connection.execute(query)]


def mine(store: Store, member: Member, step: str = "") -> list[tuple[str, str]]:
    """Return the samples on which a member has voted (in a step), with their present steps."""
    sa, events = sqlalchemy(), tables().events
    voted = (events.c.who == member.name) & events.c.voter.is_not(None)
    if step:
        voted &= events.c.step == step
    return _items(store, tables().items.c.sample.in_(sa.select(events.c.stream).where(voted)))


def everything(store: Store, step: str = "") -> list[tuple[str, str]]:
    """Return all samples (in a step), with their present steps."""
    return _items(store, tables().items.c.step == step if step else sqlalchemy().true())


def unvoted(store: Store) -> list[tuple[str, str]]:
    """Return the samples that a pilot can use: those in the first step without a vote in their round."""
    sa, items, events = sqlalchemy(), tables().items, tables().events
    same = (events.c.stream == items.c.sample) & (events.c.step == WORKFLOW.first) & (events.c.round == items.c.round)
    voted = sa.exists().where(same & events.c.voter.is_not(None))
    return _items(store, (items.c.step == WORKFLOW.first) & ~voted)


def _items(store: Store, where: Any) -> list[tuple[str, str]]:
    items = tables().items
    query = sqlalchemy().select(items.c.sample, items.c.step).where(where).order_by(items.c.position)
    with store.reading() as (connection, study):
        in_pilot = set(study.pilot_samples) if study.pilot_open else set()
        rows = connection.execute(query).all()
    return [(id, PILOT if step == WORKFLOW.first and id in in_pilot else step) for id, step in rows]


def own_counts(store: Store, member: Member) -> Counts:
    """Count by step: samples that wait for a member, and votes they have given."""
    sa, queue, events = sqlalchemy(), tables().queue, tables().events
    waiting = sa.select(queue.c.step, sa.func.count()).where(queue.c.voter.in_(member.voters)).group_by(queue.c.step)
    voted = (events.c.who == member.name) & events.c.voter.is_not(None)
    given = sa.select(events.c.step, sa.func.count()).where(voted).group_by(events.c.step)
    with store.reading() as (connection, _):
        waits, votes = (dict(connection.execute(query).all()) for query in (waiting, given))
    return {step: {"waiting": waits.get(step, 0), "mine": votes.get(step, 0)} for step in WORKFLOW.names}


def progress(store: Store) -> dict[str, Any]:
    """Count given and missing votes by group and step."""
    sa, queue, events = sqlalchemy(), tables().queue, tables().events
    waited = sa.select(queue.c.voter, queue.c.step, sa.func.count()).group_by(queue.c.voter, queue.c.step)
    with store.reading() as (connection, study):
        earlier = (events.c.step == PILOT) & (events.c.round != study.pilot)
        given = sa.select(events.c.voter, events.c.step, sa.func.count()).where(events.c.voter.is_not(None), ~earlier)
        done = {row[:2]: row[2] for row in connection.execute(given.group_by(events.c.voter, events.c.step))}
        waiting = {row[:2]: row[2] for row in connection.execute(waited)}

    def total(counts: dict[Any, int], step: str) -> int:
        return sum(number for (_, name), number in counts.items() if name == step)

    def of_group(group: str) -> Counts:
        keys = {step.name: (step.voter("", group), step.name) for step in WORKFLOW.voted_by("group")}
        return {name: {"done": done.get(key, 0), "waiting": waiting.get(key, 0)} for name, key in keys.items()}

    funnel = store.funnel()
    others = [step.name for step in WORKFLOW.steps if step.voters != "group"]
    return {
        "groups": {group: of_group(group) for group in study.options.groups},
        **{step: {"done": total(done, step), "waiting": total(waiting, step)} for step in others},
        "total": funnel.total,
        "funnel": funnel.to_json(),
    }


def conflicts(store: Store) -> list[str]:
    """Return the samples that wait for an adjudicator, longest waiting first."""
    return [sample for sample, _ in in_steps(store, (CONFLICT,))]


def by_round(store: Store) -> dict[str, int]:
    """Count the samples by their present or last round."""
    sa, items = sqlalchemy(), tables().items
    query = sa.select(items.c.round, sa.func.count()).group_by(items.c.round).order_by(items.c.round)
    with store.reading() as (connection, _):
        return {str(round): number for round, number in connection.execute(query)}


def members(store: Store) -> list[dict[str, Any]]:
    """Return all present and former members with their votes per step and the time of their last action."""
    sa, events = sqlalchemy(), tables().events
    voted = events.c.voter.is_not(None)
    given = sa.select(events.c.who, events.c.step, sa.func.count()).where(voted).group_by(events.c.who, events.c.step)
    last = sa.select(events.c.who, sa.func.max(events.c.moment)).group_by(events.c.who)
    votes: Counts = {}
    with store.reading() as (connection, study):
        for who, step, number in connection.execute(given):
            votes.setdefault(who, {})[step] = number
        moments = dict(connection.execute(last).all())
    return [
        {
            "name": each.name,
            "role": each.role,
            "group": each.group,
            "active": each.active,
            "votes": votes.get(each.name, {}),
            "last": moments.get(each.name),
        }
        for each in sorted(study.members, key=lambda member: (member.role, member.group, member.name))
    ]


def in_steps(store: Store, steps: Collection[str]) -> list[tuple[str, int]]:
    """Return the samples in some steps with their rounds, longest waiting first."""
    items = tables().items
    query = sqlalchemy().select(items.c.sample, items.c.round).where(items.c.step.in_(list(steps)))
    with store.reading() as (connection, _):
        return [(row.sample, row.round) for row in connection.execute(query.order_by(items.c.since, items.c.position))]


def agreed_boxes(store: Store, sample: str) -> tuple[Box, ...]:
    """Return the ground-truth boxes of a sample; empty until they are determined."""
    with store.reading() as (connection, study):
        return StoredItems(connection, study)[sample].boxes

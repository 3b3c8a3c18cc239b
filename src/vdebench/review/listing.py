"""Lists and counts from the tables, without a replay: what a page asks for again and again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vdebench.core.box import Box
from vdebench.review import leases
from vdebench.review import visibility as views
from vdebench.review.assignment import GROUP_STEPS, voter_for
from vdebench.review.projection import StoredItems
from vdebench.review.refusals import Refusal
from vdebench.review.state import CONFLICT, STEPS, Member, State
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables

ALL_STEPS = ("pilot", *STEPS, CONFLICT)
Counts = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class ListedSample:
    """A sample as a member sees it, and how it is with their vote."""

    view: views.View
    edit: str
    """SHA-256 of the edited image."""
    voter: str | None
    """As whom they would vote now."""
    until: str | None
    """How long they hold it; nothing where they do not."""


def look(store: Store, who: str, sample: str, now: datetime) -> ListedSample | Refusal:
    """What a member may see of a sample, all of it at one moment."""
    with store.reading() as (connection, study):
        item = StoredItems(connection, study).get(sample)
        seen = views.view(State(study, {sample: item} if item else {}), who, sample)
        if isinstance(seen, Refusal):
            return seen
        assert item is not None
        voter = voter_for(study, item, who)
        held = leases.held_by(connection, study, sample, voter, now) if voter else None
        return ListedSample(seen, item.edit, voter, held.until if held and held.who == who else None)


def is_known(store: Store, sample: str) -> bool:
    """Whether a sample is in the review."""
    with store.reading() as (connection, study):
        return sample in StoredItems(connection, study)


def todo(store: Store, member: Member, step: str = "") -> list[tuple[str, str]]:
    """What waits for a member, with its step, in the order of the pool."""
    sa, queue = sqlalchemy(), tables().queue
    here = queue.c.voter.in_(member.voters)
    found = sa.select(queue.c.sample, queue.c.step).where(here & (queue.c.step == step if step else sa.true()))
    with store.reading() as (connection, _):
        return [(row.sample, row.step) for row in connection.execute(found.order_by(queue.c.position))]


def mine(store: Store, member: Member, step: str = "") -> list[tuple[str, str]]:
    """What a member has voted on (in a step), with the step in which it is now."""
    sa, events = sqlalchemy(), tables().events
    voted = (events.c.who == member.name) & events.c.voter.is_not(None)
    if step:
        voted &= events.c.step == step
    return _items(store, tables().items.c.sample.in_(sa.select(events.c.stream).where(voted)))


def everything(store: Store, step: str = "") -> list[tuple[str, str]]:
    """All samples (that are in a step), with the step in which they are."""
    return _items(store, tables().items.c.step == step if step else sqlalchemy().true())


def unvoted(store: Store) -> list[tuple[str, str]]:
    """What a pilot can be made of: samples to be scored that nobody has scored in their round."""
    sa, items, events = sqlalchemy(), tables().items, tables().events
    same = (events.c.stream == items.c.sample) & (events.c.step == "score") & (events.c.round == items.c.round)
    scored = sa.exists().where(same & events.c.voter.is_not(None))
    return _items(store, (items.c.step == "score") & ~scored)


def _items(store: Store, where: Any) -> list[tuple[str, str]]:
    items = tables().items
    found = sqlalchemy().select(items.c.sample, items.c.step).where(where).order_by(items.c.position)
    with store.reading() as (connection, study):
        piloted = set(study.pilot_samples) if study.pilot_open else set()
        rows = connection.execute(found).all()
    return [(id, "pilot" if step == "score" and id in piloted else step) for id, step in rows]


def own_counts(store: Store, member: Member) -> Counts:
    """By step: how much waits for a member, and how many votes they have given."""
    sa, queue, events = sqlalchemy(), tables().queue, tables().events
    waiting = sa.select(queue.c.step, sa.func.count()).where(queue.c.voter.in_(member.voters)).group_by(queue.c.step)
    voted = (events.c.who == member.name) & events.c.voter.is_not(None)
    given = sa.select(events.c.step, sa.func.count()).where(voted).group_by(events.c.step)
    with store.reading() as (connection, _):
        waits, voted_on = (dict(connection.execute(asked).all()) for asked in (waiting, given))
    return {step: {"waiting": waits.get(step, 0), "mine": voted_on.get(step, 0)} for step in ALL_STEPS}


def progress(store: Store) -> dict[str, Any]:
    """How many votes were given and how many are waited for, by group and step: numbers, not what they say."""
    sa, queue, events = sqlalchemy(), tables().queue, tables().events
    waited = sa.select(queue.c.voter, queue.c.step, sa.func.count()).group_by(queue.c.voter, queue.c.step)
    with store.reading() as (connection, study):
        earlier = (events.c.step == "pilot") & (events.c.round != study.pilot)
        given = sa.select(events.c.voter, events.c.step, sa.func.count()).where(events.c.voter.is_not(None), ~earlier)
        done = {row[:2]: row[2] for row in connection.execute(given.group_by(events.c.voter, events.c.step))}
        waiting = {row[:2]: row[2] for row in connection.execute(waited)}

    def both(voters: str, step: str) -> dict[str, int]:
        def total(counts: dict[Any, int]) -> int:
            return sum(n for (voter, at), n in counts.items() if at == step and voter.startswith(voters))

        return {"done": total(done), "waiting": total(waiting)}

    def of_group(group: str) -> Counts:
        return {
            step: {"done": done.get((group, step), 0), "waiting": waiting.get((group, step), 0)} for step in GROUP_STEPS
        }

    funnel = store.funnel()
    return {
        "groups": {group: of_group(f"group:{group}") for group in study.options.groups},
        "ocr": both("person", "ocr"),
        CONFLICT: both("adjudicator", CONFLICT),
        "pilot": both("member:", "pilot"),
        "total": funnel.total,
        "funnel": funnel.to_json(),
    }


def conflicts(store: Store) -> list[str]:
    """What waits for an adjudicator, longest first."""
    items = tables().items
    found = (
        sqlalchemy().select(items.c.sample).where(items.c.step == CONFLICT).order_by(items.c.since, items.c.position)
    )
    with store.reading() as (connection, _):
        return list(connection.scalars(found))


def by_round(store: Store) -> dict[str, int]:
    """How many samples are, or ended, in each round."""
    sa, items = sqlalchemy(), tables().items
    found = sa.select(items.c.round, sa.func.count()).group_by(items.c.round).order_by(items.c.round)
    with store.reading() as (connection, _):
        return {str(round): number for round, number in connection.execute(found)}


def members(store: Store) -> list[dict[str, Any]]:
    """Everybody who takes part or did, with how many votes they gave in each step, and when they last did something."""
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
    """Samples in some steps, with their round, those first that came first."""
    items = tables().items
    found = sqlalchemy().select(items.c.sample, items.c.round).where(items.c.step.in_(list(steps)))
    with store.reading() as (connection, _):
        return [(row.sample, row.round) for row in connection.execute(found.order_by(items.c.since, items.c.position))]


def agreed_boxes(store: Store, sample: str) -> tuple[Box, ...]:
    """The ground truth of a sample, once there is one."""
    with store.reading() as (connection, study):
        return StoredItems(connection, study)[sample].boxes

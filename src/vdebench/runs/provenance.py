"""Where a run's numbers come from: `provenance` in `run.json`, and never in `summary.json`, which any machine repeats.

    with session(folder):              # what is done in here …
        with stage("reading"): ...     # … takes so long, stage by stage …
        with recorded(folder): ...     # … and is added to folder/run.json when this ends, well or not

Sessions may lie in each other, as scoring does in `vde run`: a stage counts for all that are open.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vdebench.io.files import is_file, locked, read_json, write_json
from vdebench.net.answer import COSTS
from vdebench.runs.environment import machine, versions

RUN_FILE = "run.json"
PROVENANCE, ASKED = "provenance", "asked"
STAGES = ("rewriting", "editing", "reading", "scoring", "floor", "summary")
READ, CACHED = "pictures_read", "pictures_from_cache"
"""Pages and crops that a run has had read, and those that were read before by others."""


@dataclass
class RunSession:
    """What one call did, while it does it."""

    root: Path | None
    started: datetime
    seconds: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """How many there are now."""
    work: dict[str, int] = field(default_factory=dict)
    """How many were made, which adds up over sessions."""
    seeds: dict[str, int] = field(default_factory=dict)
    cost: dict[str, float | None] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    """With what it was called, for whoever does it again."""


_sessions: ContextVar[tuple[RunSession, ...]] = ContextVar("sessions", default=())
_within: ContextVar[tuple[list[float], ...]] = ContextVar("stages", default=())


@contextmanager
def session(root: str | Path | None) -> Iterator[RunSession]:
    """Note what is done; `recorded` keeps it in the same folder, nobody where there is none."""
    new = RunSession(Path(root) if root is not None else None, datetime.now(UTC))
    token = _sessions.set((*_sessions.get(), new))
    try:
        yield new
    finally:
        _sessions.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Time a stage; what a stage inside it takes is the inner one's, so that all add up to what was waited for."""
    start, inside = time.perf_counter(), [0.0]
    token = _within.set((*_within.get(), inside))
    try:
        yield
    finally:
        _within.reset(token)
        took = time.perf_counter() - start
        for outer in _within.get()[-1:]:
            outer[0] += took
        for each in _sessions.get():
            each.seconds[name] = each.seconds.get(name, 0.0) + took - inside[0]


def worked(**counts: int) -> None:
    """Count what was made now."""
    for each in _sessions.get():
        for name, count in counts.items():
            each.work[name] = each.work.get(name, 0) + count


def tell(*, counts: Mapping[str, int] | None = None, asked: Mapping[str, Any] | None = None) -> None:
    """Say of the innermost session how much there is, and with what it was called."""
    for innermost in _sessions.get()[-1:]:
        innermost.counts |= counts or {}
        innermost.asked |= asked or {}


def asked_now() -> dict[str, Any]:
    """With what the innermost session was called."""
    return next((dict(each.asked) for each in _sessions.get()[-1:]), {})


@contextmanager
def recorded(root: Path, *, shared: bool = False) -> Iterator[None]:
    """Add the session of a folder to its `run.json` when the block ends, also by an error; `shared` with others."""
    try:
        yield
    finally:
        for each in _sessions.get():
            if each.root == root and shared:
                each.work.pop(CACHED, None)  # one of its runs reads what another then finds in the cache
                with locked(root, wait=True):
                    _add(each, root / RUN_FILE)
            elif each.root == root:
                _add(each, root / RUN_FILE)


def _add(done: RunSession, file: Path) -> None:
    told = read_run_file(file)
    if done.asked:
        told[ASKED] = done.asked
    write_json(file, {**told, PROVENANCE: _added(provenance_of(told), done)})


def read_run_file(file: Path) -> dict[str, Any]:
    """What a `run.json` says, nothing where there is none."""
    told = read_json(file) if is_file(file) else {}
    return dict(told) if isinstance(told, dict) else {}


def provenance_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance in what a `run.json` says, nothing where somebody has spoilt it."""
    found = told.get(PROVENANCE)
    return dict(found) if isinstance(found, dict) else {}


def kept_of(told: Any) -> dict[str, Any]:
    """What of a `run.json` outlives a new call."""
    return {key: told[key] for key in (ASKED, PROVENANCE) if isinstance(told, dict) and key in told}


def _added(before: Mapping[str, Any], done: RunSession) -> dict[str, Any]:
    now = {"versions": versions(), "machine": machine()}
    counts, sessions = _numbers(before, "counts"), before.get("sessions")
    told: dict[str, Any] = {
        **now,
        "before": _changes(before, now),
        "seeds": {**part_of(before, "seeds"), **done.seeds},
        "counts": {**counts, **done.counts, **_pictures(counts, done.work)},
        "seconds": _ordered(_summed(_numbers(before, "seconds"), done.seconds)),
        "sessions": (sessions if isinstance(sessions, int) else 0) + 1,
        "started": before.get("started") or _utc(done.started),
        "finished": _utc(datetime.now(UTC)),
        "cost": {name: done.cost.get(name, part_of(before, "cost").get(name)) for name in COSTS},
    }
    return told


def part_of(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of JSON that is an object; an empty one where it is none."""
    found = told.get(name)
    return dict(found) if isinstance(found, dict) else {}


def _numbers(before: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in part_of(before, name).items() if isinstance(value, int | float)}


def _ordered(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(seconds[name], 3) for name in dict.fromkeys((*STAGES, *seconds)) if name in seconds}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Other versions and machines that earlier sessions ran with: some rows may be theirs."""
    listed = before.get("before")
    earlier = list(listed) if isinstance(listed, list) else []
    last = {name: before[name] for name in now if name in before}
    return [*earlier, last] if last and last != now and last not in earlier else earlier


def _summed(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    return {name: before.get(name, 0.0) + now.get(name, 0.0) for name in {**before, **now}}


def _pictures(before: Mapping[str, int], work: Mapping[str, int]) -> dict[str, int]:
    """Of the pictures that a run needs, those it had read itself in any session, and the others."""
    if READ not in work:
        return {}
    read = before.get(READ, 0) + work[READ]
    return {READ: read} | ({CACHED: max(work[READ] + work[CACHED] - read, 0)} if CACHED in work else {})


def with_editing(root: Path, editor: Path) -> None:
    """Say in a run's provenance what is known of the edits it scores: of their seed, states, seconds and cost."""
    edits, told = provenance_of(read_run_file(editor / RUN_FILE)), read_run_file(root / RUN_FILE)
    run = provenance_of(told)
    if not edits or not run:
        return
    joined = {name: {**part_of(run, name), **part_of(edits, name)} for name in ("seeds", "counts", "cost")}
    joined["seconds"] = _ordered({**_numbers(run, "seconds"), **_numbers(edits, "seconds")})
    write_json(root / RUN_FILE, {**told, PROVENANCE: {**run, **joined}})


def cost_of(parameters: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """What edits say they have cost, added up; None where none says it.

    >>> cost_of([{"input_tokens": 900, "dollars": 0.04}, {"input_tokens": 100}])
    {'input_tokens': 1000, 'output_tokens': None, 'dollars': 0.04}
    """
    said: dict[str, list[float]] = {name: [] for name in COSTS}
    for each in parameters:
        for name in COSTS:
            value = each.get(name, each.get("cost") if name == "dollars" else None)
            if isinstance(value, int | float) and not isinstance(value, bool):
                said[name].append(value)
    return {name: sum(values) if values else None for name, values in said.items()}


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

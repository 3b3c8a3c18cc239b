"""Provenance of a run: versions, machine, timings, counts and cost, in `provenance` of `run.json`.

It is not in `summary.json`, which is the same on every machine.

    with session(folder):              # one call of a command
        with stage("reading"): ...     # times a stage
        with recording(folder): ...    # adds the session to folder/run.json at the end, also after an error

Sessions can be nested, as scoring is in `vde run`: a stage counts for all open sessions.
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
STAGES = ("rewriting", "editing", "reading", "scoring", "ceiling", "summary")
READ, CACHED = "pictures_read", "pictures_from_cache"
"""Counts of images and crops that this run read, and that were in the cache."""


@dataclass
class RunSession:
    """Timings and counts of one call, while it runs."""

    root: Path | None
    started: datetime
    seconds: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """Current totals."""
    work: dict[str, int] = field(default_factory=dict)
    """Work of this session, which adds up over sessions."""
    seeds: dict[str, int] = field(default_factory=dict)
    cost: dict[str, float | None] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    """Options of the call, so that it can be repeated."""


_sessions: ContextVar[tuple[RunSession, ...]] = ContextVar("sessions", default=())
_open_stages: ContextVar[tuple[list[float], ...]] = ContextVar("stages", default=())


@contextmanager
def session(root: str | Path | None) -> Iterator[RunSession]:
    """Open a session. `recording` with the same folder writes it; without a folder it is not written."""
    new = RunSession(Path(root) if root is not None else None, datetime.now(UTC))
    token = _sessions.set((*_sessions.get(), new))
    try:
        yield new
    finally:
        _sessions.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Time a stage. The time of a nested stage counts only for the nested one, so that stages add up to the total."""
    start, nested = time.perf_counter(), [0.0]
    token = _open_stages.set((*_open_stages.get(), nested))
    try:
        yield
    finally:
        _open_stages.reset(token)
        seconds = time.perf_counter() - start
        for outer in _open_stages.get()[-1:]:
            outer[0] += seconds
        for open_session in _sessions.get():
            open_session.seconds[name] = open_session.seconds.get(name, 0.0) + seconds - nested[0]


def worked(**counts: int) -> None:
    """Add to the work counts of all open sessions."""
    for open_session in _sessions.get():
        for name, count in counts.items():
            open_session.work[name] = open_session.work.get(name, 0) + count


def update_session(*, counts: Mapping[str, int] | None = None, asked: Mapping[str, Any] | None = None) -> None:
    """Set totals and options of the innermost session."""
    for innermost in _sessions.get()[-1:]:
        innermost.counts |= counts or {}
        innermost.asked |= asked or {}


def session_options() -> dict[str, Any]:
    """Return the options of the innermost session."""
    return next((dict(each.asked) for each in _sessions.get()[-1:]), {})


@contextmanager
def recording(root: Path, *, shared: bool = False) -> Iterator[None]:
    """Add the session of a folder to its `run.json` when the block ends, also after an error.

    `shared` means that several processes write the file, which is then locked.
    """
    try:
        yield
    finally:
        for open_session in _sessions.get():
            if open_session.root == root and shared:
                open_session.work.pop(
                    CACHED, None
                )  # meaningless: one of the runs reads what another then finds in the cache
                with locked(root, wait=True):
                    _write_session(open_session, root / RUN_FILE)
            elif open_session.root == root:
                _write_session(open_session, root / RUN_FILE)


def _write_session(finished: RunSession, file: Path) -> None:
    record = read_run_file(file)
    if finished.asked:
        record[ASKED] = finished.asked
    write_json(file, {**record, PROVENANCE: _merge_session(provenance_of(record), finished)})


def read_run_file(file: Path) -> dict[str, Any]:
    """Return the content of a `run.json`, or {} if there is none."""
    record = read_json(file) if is_file(file) else {}
    return dict(record) if isinstance(record, dict) else {}


def provenance_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance in the content of a `run.json`, or {} if it is absent or invalid."""
    return part_of(record, PROVENANCE)


def preserved_parts(record: Any) -> dict[str, Any]:
    """Return the parts of a `run.json` that a new call keeps."""
    return {key: record[key] for key in (ASKED, PROVENANCE) if isinstance(record, dict) and key in record}


def _merge_session(before: Mapping[str, Any], finished: RunSession) -> dict[str, Any]:
    now = {"versions": versions(), "machine": machine()}
    counts, sessions = _numbers(before, "counts"), before.get("sessions")
    return {
        **now,
        "before": _changes(before, now),
        "seeds": {**part_of(before, "seeds"), **finished.seeds},
        "counts": {**counts, **finished.counts, **_image_counts(counts, finished.work)},
        "seconds": _ordered(_add_counts(_numbers(before, "seconds"), finished.seconds)),
        "sessions": (sessions if isinstance(sessions, int) else 0) + 1,
        "started": before.get("started") or _utc(finished.started),
        "finished": _utc(datetime.now(UTC)),
        "cost": {name: finished.cost.get(name, part_of(before, "cost").get(name)) for name in COSTS},
    }


def part_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a member of a JSON object if it is an object, else {}."""
    part = record.get(name)
    return dict(part) if isinstance(part, dict) else {}


def _numbers(before: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in part_of(before, name).items() if isinstance(value, int | float)}


def _ordered(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(seconds[name], 3) for name in dict.fromkeys((*STAGES, *seconds)) if name in seconds}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return other versions and machines of earlier sessions, which may have computed some rows."""
    listed = before.get("before")
    earlier = list(listed) if isinstance(listed, list) else []
    last = {name: before[name] for name in now if name in before}
    return [*earlier, last] if last and last != now and last not in earlier else earlier


def _add_counts(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    return {name: before.get(name, 0.0) + now.get(name, 0.0) for name in {**before, **now}}


def _image_counts(before: Mapping[str, int], work: Mapping[str, int]) -> dict[str, int]:
    """Return how many of the images that a run needs it read itself in any session, and how many were cached."""
    if READ not in work:
        return {}
    read = before.get(READ, 0) + work[READ]
    return {READ: read} | ({CACHED: max(work[READ] + work[CACHED] - read, 0)} if CACHED in work else {})


def with_editing(root: Path, editor: Path) -> None:
    """Copy seed, counts, timings and cost of the edits from the editor's folder to the provenance of a run."""
    edits, record = provenance_of(read_run_file(editor / RUN_FILE)), read_run_file(root / RUN_FILE)
    run = provenance_of(record)
    if not edits or not run:
        return
    joined = {name: {**part_of(run, name), **part_of(edits, name)} for name in ("seeds", "counts", "cost")}
    joined["seconds"] = _ordered({**_numbers(run, "seconds"), **_numbers(edits, "seconds")})
    write_json(root / RUN_FILE, {**record, PROVENANCE: {**run, **joined}})


def cost_of(parameters: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Sum the cost recorded with edits; None if no edit records it.

    >>> cost_of([{"input_tokens": 900, "dollars": 0.04}, {"input_tokens": 100}])
    {'input_tokens': 1000, 'output_tokens': None, 'dollars': 0.04}
    """
    amounts: dict[str, list[float]] = {name: [] for name in COSTS}
    for entry in parameters:
        for name in COSTS:
            value = entry.get(name, entry.get("cost") if name == "dollars" else None)
            if isinstance(value, int | float) and not isinstance(value, bool):
                amounts[name].append(value)
    return {name: sum(values) if values else None for name, values in amounts.items()}


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

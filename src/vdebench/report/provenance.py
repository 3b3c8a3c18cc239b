"""The provenance of a run as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vdebench.report.labelled_lines import labelled
from vdebench.runs.provenance import part_of


def provenance_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield versions, machine, time, pages read, seeds and cost."""
    versions, machine = part_of(record, "versions"), part_of(record, "machine")
    if not record:
        yield labelled("Made with", "not recorded: the run is of an older version")
        return
    changed = ", changed" if versions.get("changed") else ""
    commit = f" (commit {str(versions['commit'])[:7]}{changed})" if "commit" in versions else ""
    version = f"vdebench {versions.get('vdebench', '?')}{commit}"
    yield labelled("Made with", f"{version}, Python {versions.get('python', '?')}")
    packages = ", ".join(f"{name} {version}" for name, version in part_of(versions, "packages").items())
    yield labelled("", packages or "no packages recorded")
    yield labelled("Machine", _machine(machine))
    before = record.get("before")
    if isinstance(before, list) and before:
        yield labelled("", f"earlier sessions: {len(before)} other versions or machines, see run.json")
    yield labelled("Time", _time(record))
    counts = part_of(record, "counts")
    if "pictures_read" in counts:
        cached = counts.get("pictures_from_cache")
        also = f", {cached} more were in the cache" if cached else ""
        yield labelled("Read", f"{counts['pictures_read']} pages and crops{also}")
    seeds = ", ".join(f"{name} {seed}" for name, seed in part_of(record, "seeds").items())
    if seeds:
        yield labelled("Seeds", seeds)
    yield labelled("Cost", format_cost(part_of(record, "cost")) or "not reported")


def _machine(machine: Mapping[str, Any]) -> str:
    memory = machine.get("memory_gb")
    parts = [machine.get("system"), machine.get("architecture"), machine.get("processor")]
    parts += [f"{machine['cores']} cores" if machine.get("cores") else None, f"{memory} GB" if memory else None]
    return ", ".join(str(part) for part in [*parts, machine.get("gpu") or "no GPU used"] if part)


def _time(record: Mapping[str, Any]) -> str:
    seconds = {
        name: duration_of
        for name, duration_of in part_of(record, "seconds").items()
        if isinstance(duration_of, int | float)
    }
    stages = ", ".join(f"{name} {duration(duration_of)}" for name, duration_of in seconds.items())
    sessions = record.get("sessions")
    count = "1 session" if sessions == 1 else f"{sessions} sessions"
    return (
        f"{duration(sum(seconds.values()))} in {count} ({stages}), {record.get('started')} to {record.get('finished')}"
    )


def duration(seconds: float) -> str:
    """Format a duration.

    >>> duration(0.25), duration(75), duration(7300)
    ('0.2 s', '1 min 15 s', '2 h 01 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def format_cost(cost: Mapping[str, Any]) -> str:
    """Format dollars and tokens, as far as they are known.

    >>> format_cost({"dollars": 1.5, "input_tokens": 9000, "output_tokens": None}), format_cost({})
    ('$1.50, 9,000 tokens in', '')
    """
    amounts = {name: value for name, value in cost.items() if isinstance(value, int | float)}
    parts = [f"${amounts['dollars']:.2f}"] if "dollars" in amounts else []
    parts += [
        f"{amounts[name]:,} tokens {direction}"
        for name, direction in (("input_tokens", "in"), ("output_tokens", "out"))
        if name in amounts
    ]
    return ", ".join(parts)

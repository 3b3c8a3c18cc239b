"""A run's provenance in words, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vdebench.report.labelled_lines import labelled
from vdebench.runs.provenance import part_of


def provenance_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Versions, machine, time, pages read, seeds and cost; what is not known is left out, or said to be so."""
    versions, machine = part_of(told, "versions"), part_of(told, "machine")
    if not told:
        yield labelled("Made with", "not noted: the run is of an older version")
        return
    changed = ", changed" if versions.get("changed") else ""
    commit = f" (commit {str(versions['commit'])[:7]}{changed})" if "commit" in versions else ""
    own = f"vdebench {versions.get('vdebench', '?')}{commit}"
    yield labelled("Made with", f"{own}, Python {versions.get('python', '?')}")
    packages = ", ".join(f"{name} {version}" for name, version in part_of(versions, "packages").items())
    yield labelled("", packages or "no packages noted")
    yield labelled("Machine", _machine(machine))
    before = told.get("before")
    if isinstance(before, list) and before:
        yield labelled("", f"earlier sessions: {len(before)} other versions or machines, see run.json")
    yield labelled("Time", _time(told))
    counts = part_of(told, "counts")
    if "pictures_read" in counts:
        cached = counts.get("pictures_from_cache")
        beside = f", {cached} more were in the cache" if cached else ""
        yield labelled("Read", f"{counts['pictures_read']} pages and crops{beside}")
    seeds = ", ".join(f"{name} {seed}" for name, seed in part_of(told, "seeds").items())
    if seeds:
        yield labelled("Seeds", seeds)
    yield labelled("Cost", cost_words(part_of(told, "cost")) or "nothing was reported")


def _machine(machine: Mapping[str, Any]) -> str:
    memory = machine.get("memory_gb")
    parts = [machine.get("system"), machine.get("architecture"), machine.get("processor")]
    parts += [f"{machine['cores']} cores" if machine.get("cores") else None, f"{memory} GB" if memory else None]
    return ", ".join(str(part) for part in [*parts, machine.get("gpu") or "no GPU used"] if part)


def _time(told: Mapping[str, Any]) -> str:
    seconds = {name: took for name, took in part_of(told, "seconds").items() if isinstance(took, int | float)}
    stages = ", ".join(f"{name} {duration(took)}" for name, took in seconds.items())
    sessions = told.get("sessions")
    count = "1 session" if sessions == 1 else f"{sessions} sessions"
    return f"{duration(sum(seconds.values()))} in {count} ({stages}), {told.get('started')} to {told.get('finished')}"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.25), duration(75), duration(7300)
    ('0.2 s', '1 min 15 s', '2 h 01 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def cost_words(cost: Mapping[str, Any]) -> str:
    """Dollars and tokens, as far as they are known.

    >>> cost_words({"dollars": 1.5, "input_tokens": 9000, "output_tokens": None}), cost_words({})
    ('$1.50, 9,000 tokens in', '')
    """
    known = {name: value for name, value in cost.items() if isinstance(value, int | float)}
    words = [f"${known['dollars']:.2f}"] if "dollars" in known else []
    words += [
        f"{known[name]:,} tokens {way}"
        for name, way in (("input_tokens", "in"), ("output_tokens", "out"))
        if name in known
    ]
    return ", ".join(words)

"""Refusals, failures and cost of the edits of a run, as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from vdebench.pipeline.editing.journal import NOT_EDITED, read_edits, states_of, total_cost
from vdebench.report.provenance import format_cost


def edits_lines(out: Path, editors: Sequence[str]) -> Iterator[str]:
    """Yield refusals and failures of every editor with the most frequent reason, and the cost, if there are any."""
    for editor in editors:
        edits = read_edits(out / editor)
        states = states_of(edits)
        counts = [f"{states[state]:,} {state}" for state in ("refused", "failed") if states[state]]
        if counts:
            reasons = Counter(edit.reason.partition("\n")[0] for edit in edits if not edit.file)
            (reason, count), *_ = reasons.most_common(1)
            again = f" ({count:,} times)" if count > 1 else ""
            yield f"{editor}: {', '.join(counts)} of {len(edits):,}: {reason}{again}; see {out / editor / NOT_EDITED}"
        if cost := format_cost(total_cost(edits)):
            yield f"{editor}: {cost}"

"""What became of the edits of a run, in a line for each editor that has something to tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from vdebench.pipeline.editing.journal import NOT_EDITED, read_edits, states_of, total_cost
from vdebench.report.provenance import cost_words


def edits_lines(out: Path, editors: Sequence[str]) -> Iterator[str]:
    """Refusals and failures with the most frequent reason, and what all has cost; nothing where all went well."""
    for editor in editors:
        made = read_edits(out / editor)
        states = states_of(made)
        told = [f"{states[state]:,} {state}" for state in ("refused", "failed") if states[state]]
        if told:
            reasons = Counter(each.reason.partition("\n")[0] for each in made if not each.file)
            (reason, count), *_ = reasons.most_common(1)
            many = f" ({count:,} times)" if count > 1 else ""
            yield f"{editor}: {', '.join(told)} of {len(made):,}: {reason}{many}; all in {out / editor / NOT_EDITED}"
        if words := cost_words(total_cost(made)):
            yield f"{editor}: {words}"

"""Export of all events of a review, for archiving or replay."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from vdebench.io.files import replacing
from vdebench.review.events import Event


def write_events(file: Path, events: Iterable[Event]) -> int:
    """Write events as JSON Lines, atomically; return their number."""
    count = 0
    with replacing(file) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as lines:
        for count, event in enumerate(events, start=1):  # noqa: B007 - counted here
            lines.write(json.dumps(event.to_json(), ensure_ascii=False) + "\n")
    return count

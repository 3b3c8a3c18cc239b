"""Human review: people decide which edits become ground truth, by the paper's protocol.

The engine is pure: `decide` turns a command into events or a refusal, `apply` turns events into state; neither uses
the clock, files or the network. `steps/` define the steps. `Store` keeps events in a database (extra `review`).
"""

from vdebench.review.assignment import Lease, next_for
from vdebench.review.commands import Command, command_from_json
from vdebench.review.events import Event, event_from_json
from vdebench.review.options import Options
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.rules import decide
from vdebench.review.state import State, apply, replay
from vdebench.review.visibility import view

__all__ = [
    "Command",
    "Event",
    "Lease",
    "Options",
    "Reason",
    "Refusal",
    "State",
    "apply",
    "command_from_json",
    "decide",
    "event_from_json",
    "next_for",
    "replay",
    "view",
]

"""The editing stage: a suite's source pages through an editor into images, each kept when it is made.

A folder holds `images/<group>/<name>.png` (or `images_at.json`, which says in what store they are), `edits.jsonl` with
a line per sample, `not_edited.json` with those that have no image and why, and `editor.json`. An image is in its place
before its line is written, so a run can be killed at any moment and goes on where it was: edits and refusals stand,
failures are tried again, and a changed page, instruction, seed or editor is a new task.
"""

from vdebench.pipeline.editing.journal import (
    EditRecord,
    counts_of,
    identity_of,
    images_of,
    read_edits,
    states_of,
    total_cost,
)
from vdebench.pipeline.editing.stage import edit_suite

__all__ = ["EditRecord", "counts_of", "edit_suite", "identity_of", "images_of", "read_edits", "states_of", "total_cost"]

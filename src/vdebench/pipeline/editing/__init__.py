"""The editing stage: runs an editor on the source pages of a suite; each image is written at once.

A folder contains `images/<group>/<name>.png` (or `images_at.json` with the URL of their store), `edits.jsonl` with one
line per sample, `not_edited.json` with the samples without an image and the reasons, and `editor.json`. An image is
written before its line, so a run can be killed at any time and resumed: edits and refusals are kept, failures are
retried, and a changed page, instruction, seed or editor is a new job.
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

"""Uploaded edits, made by hand or in a web product, for instructions without an edit."""

from __future__ import annotations

from vdebench.build.edit import edits_of, record_edits
from vdebench.build.suite import sample_of
from vdebench.build.workspace import Workspace
from vdebench.core.box import Size
from vdebench.core.png import encode_png
from vdebench.errors import InputError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, make_folder, write_bytes, write_json
from vdebench.pipeline.editing import EditRecord
from vdebench.pipeline.editing.jobs import input_by_hand
from vdebench.pipeline.editing.journal import BY_HAND, IMAGES, edit_journal
from vdebench.review.commands import PoolSample
from vdebench.review.pictures import open_sent
from vdebench.review.text_check import wrong_name
from vdebench.review.workspace import note_given

PATIENCE = 20.0
"""Seconds to wait for a running stage of the workspace."""


def upload(workspace: Workspace, id: str, content: bytes, who: str) -> PoolSample:
    """Store an image as the edit of an instruction; only its pixels are kept.

    KeyError where there is no such instruction, an error in words where it has an edit or the picture cannot be one.
    """
    if problem := wrong_name(who):
        raise InputError(f"the name of whoever sends an edit {problem}")
    instruction = workspace.instructions()[id]
    page = workspace.pages()[instruction.page]
    _require_none(workspace, id)
    image = open_sent(content, Size(page.width, page.height))
    encoded = encode_png(image)  # encoded again: no metadata gets into a data set
    with workspace.stage_lock(PATIENCE):
        before = _require_none(workspace, id)
        file = workspace.edit_image(instruction)
        make_folder(workspace.edits)
        write_bytes(file, encoded)
        record = EditRecord(
            sample_of(instruction, page).key,
            "edited",
            file=f"{IMAGES}/{file.parent.name}/{file.name}",
            size=[image.shape[1], image.shape[0]],
            parameters={"model": f"{BY_HAND}: {who}"},
            earlier=before.cost if before else {},
            input=input_by_hand(workspace.page_image(page), instruction.instruction),
        )
        if not is_file(workspace.edits / "editor.json"):  # no editor has run yet
            write_json(workspace.edits / "editor.json", {"name": BY_HAND})
        edit_journal(workspace.edits).append(record)
        record_edits(workspace)
        sample = PoolSample(id, digest_of_file(file), page.width, page.height)
        with workspace.review_lock():
            note_given(workspace, {id: sample.edit})  # at once: no filter may decide on it
    return sample


def _require_none(workspace: Workspace, id: str) -> EditRecord | None:
    """Refuse to replace an edit; return its record."""
    before = edits_of(workspace).get(id)
    if before is not None and before.state == "edited":
        raise InputError(f"{id}: already has an edit; an edit can be uploaded only for instructions without one")
    return before

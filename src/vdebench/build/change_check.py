"""Check of a finished reference image by change detection: nothing changed on the page that was not asked for."""

from __future__ import annotations

from vdebench.build.automatic_review import RejectedEdit
from vdebench.changes.change import Change, EditCheck
from vdebench.changes.engine import PageComparator
from vdebench.changes.verdict import INK_DAMAGE, is_damage
from vdebench.core.images import Image
from vdebench.instructions.records import Instruction
from vdebench.pipeline.edit_check import check_images
from vdebench.readers.reader import LikelihoodReader, Reader


def wrong_changes(instruction: Instruction, source: Image, reference: Image, reader: Reader) -> RejectedEdit | None:
    """Compare a page with its finished reference image; return what is wrong, None if nothing or if it is not known.

    Instructions that the rules do not understand, such as those about table structure, are not judged; neither is
    anything if the reader has no likelihoods.
    """
    if not isinstance(reader, LikelihoodReader):
        return None
    return wrong_in(check_images(source, reference, PageComparator(reader), instruction=instruction.instruction))


def wrong_in(check: EditCheck) -> RejectedEdit | None:
    """Return what is wrong with a checked edit.

    >>> from vdebench.changes.change import Geometry, PageChanges
    >>> from vdebench.core.box import Box, Size
    >>> page = Geometry("same", Size(9, 9), Size(9, 9))
    >>> lost = Change("lost", "12 June", "", Box(0, 0, 9, 9), None, "date", asked=False)
    >>> wrong_in(EditCheck(PageChanges(page, (lost,), 4), "done", False, "")).words
    'lost: 12 June'
    """
    if check.edit == "unknown":
        return None
    if check.edit != "done":
        return RejectedEdit("not_as_asked", check.why)
    groups: dict[str, list[Change]] = {"text_changed": [], "traces_left": [], "looks_different": []}
    for change in check.page.changes:
        if change.asked is False and is_damage(change):
            groups["text_changed"].append(change)
        elif change.kind in INK_DAMAGE:
            groups["traces_left"].append(change)
        elif change.kind == "restyled":
            groups["looks_different"].append(change)
    for reason, changes in groups.items():
        if changes:
            more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
            return RejectedEdit(reason, "; ".join(_described(change) for change in changes[:3]) + more)
    return None


def _described(change: Change) -> str:
    return f"{change} ({change.note})" if change.note else str(change)

"""Properties of usable edits, from changes made up for each case."""

from __future__ import annotations

import pytest

from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.changes.verdict import GeometryLimits
from vdebench.core.box import Size
from vdebench.stats.change_properties import (
    additions,
    preservation,
    spatial_precision,
    textual_correctness,
    visual_fidelity,
)

PROPERTIES = {
    "additions": additions,
    "textual_correctness": textual_correctness,
    "visual_fidelity": visual_fidelity,
    "preservation": preservation,
    "spatial_precision": lambda page: spatial_precision(page, GeometryLimits()),
}


def failed(*changes, **more):
    page = PageChanges(Geometry("same", Size(100, 200), Size(100, 200)), changes, words=9, **more)
    return [name for name, decide in PROPERTIES.items() if decide(page)[0] is False]


@pytest.mark.parametrize(
    ("change", "asked", "names"),
    [
        (Change("replaced", "59", "69", fact="number"), True, ["textual_correctness"]),
        (Change("replaced", "59", "69", fact="number"), False, ["preservation"]),
        (Change("added", "", "new"), False, ["additions"]),
        (Change("restyled", "old", "old", note="other colour"), True, ["visual_fidelity"]),
        (Change("restyled", "old", "old", note="other colour"), False, ["preservation"]),
        (Change("residue"), True, ["visual_fidelity"]),
        (Change("moved", "line", "line"), False, ["spatial_precision"]),
        # a doubtful character counts in a fact, or if its shape changed visibly (a drop of .2)
        (Change("weakened", "letter", "letter", evidence={"correlation_drop": 0.1}), False, []),
        (Change("weakened", "letter", "letter", evidence={"correlation_drop": 0.3}), False, ["preservation"]),
        (Change("weakened", "59", "59", fact="number"), False, ["preservation"]),
        (Change("weakened", "59", "59", fact="number"), True, ["textual_correctness"]),
    ],
)
def test_the_property_that_a_change_fails(change, asked, names):
    changed = Change(
        change.kind,
        change.before,
        change.after,
        fact=change.fact,
        asked=asked,
        evidence=change.evidence,
        note=change.note,
    )
    assert failed(changed) == names


def test_no_change_fails_nothing_and_text_that_was_not_compared_is_unknown():
    assert failed() == []
    unknown = PageChanges(Geometry("same", Size(9, 9), Size(9, 9)), unknown="no reader for this script")
    assert preservation(unknown) == (None, "no reader for this script")

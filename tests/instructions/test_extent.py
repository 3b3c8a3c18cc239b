"""Which places of a text an instruction means, in its words without the quotations."""

from __future__ import annotations

import pytest

from vdebench.instructions.extent import Extent, UnclearExtentError, cut_extent

ALL = Extent(everywhere=True)


@pytest.mark.parametrize(
    ("words", "rest", "extent"),
    [
        ("Replace ⟦0⟧ with ⟦1⟧.", "Replace ⟦0⟧ with ⟦1⟧.", Extent()),
        ("Replace all ⟦0⟧ with ⟦1⟧.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Replace each instance of the word ⟦0⟧ with ⟦1⟧.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Replace ⟦0⟧ with ⟦1⟧ everywhere in the document.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Replace ⟦0⟧ with ⟦1⟧ throughout.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Replace ⟦0⟧ with ⟦1⟧ in all places.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Replace both occurrences of ⟦0⟧ with ⟦1⟧.", "Replace ⟦0⟧ with ⟦1⟧.", ALL),
        ("Delete the 3rd ⟦0⟧.", "Delete ⟦0⟧.", Extent(occurrence=3)),
        ("Delete ⟦0⟧ the second time it appears.", "Delete ⟦0⟧.", Extent(occurrence=2)),
        ("Delete ⟦0⟧ from line 4.", "Delete ⟦0⟧.", Extent(line=4)),
        ("In the last line, delete the first ⟦0⟧.", "delete ⟦0⟧.", Extent(occurrence=1, line=-1)),
        ("Delete ⟦0⟧ from the second row of the table.", "Delete ⟦0⟧ from the second row of the table.", Extent()),
        ("将所有的⟦0⟧改为⟦1⟧。", "将⟦0⟧改为⟦1⟧。", ALL),
        ("将⟦0⟧全部替换为⟦1⟧。", "将⟦0⟧替换为⟦1⟧。", ALL),
        ("把每个⟦0⟧都改成⟦1⟧。", "把⟦0⟧改成⟦1⟧。", ALL),
        ("删除最后一个⟦0⟧。", "删除⟦0⟧。", Extent(occurrence=-1)),
        ("将第3处⟦0⟧改为⟦1⟧。", "将⟦0⟧改为⟦1⟧。", Extent(occurrence=3)),
        ("把第二行的⟦0⟧改成⟦1⟧。", "把⟦0⟧改成⟦1⟧。", Extent(line=2)),
        ("将表格第三行第二列的⟦0⟧改为⟦1⟧。", "将表格第三行第二列的⟦0⟧改为⟦1⟧。", Extent()),
    ],
)
def test_extents(words, rest, extent):
    assert cut_extent(words) == (rest, extent)


@pytest.mark.parametrize(
    "words",
    [
        "Replace all ⟦0⟧ except the first with ⟦1⟧.",
        "Replace every second ⟦0⟧ with ⟦1⟧.",
        "Replace ⟦0⟧ with ⟦1⟧ in two occurrences.",
        "Delete all occurrences of the second ⟦0⟧.",
        "Delete ⟦0⟧ on every page but the last.",
        "将除第一处以外的⟦0⟧改为⟦1⟧。",
        "将所有段落中的⟦0⟧改为⟦1⟧。",
    ],
)
def test_extents_that_are_not_understood(words):
    with pytest.raises(UnclearExtentError):
        cut_extent(words)

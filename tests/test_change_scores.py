"""Reported changes are held against planted ones by place and by words."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.core.box import Box, Size

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from change_scores import PlantedChange, score_changes

import changes

PAGE = Size(1000, 1400)
PLACE = Box(100, 200, 150, 220)
DIGIT = PlantedChange("digit", "1,250", "1,350", PLACE, 20, PLACE, ("2", "3"))
LINE = PlantedChange("lost_line", "The last mine left town", "", PLACE, 20, PLACE, ("The last mine left town", ""))
COPY = PlantedChange("duplicated_line", "", "The last mine", PLACE, 20, PLACE, ("", "The last mine"))


def scored(planted, *reported, size=PAGE):
    return score_changes([planted], PageChanges(Geometry("same", PAGE, size), reported))


@pytest.mark.parametrize(
    ("planted", "reported", "outcome"),
    [
        (DIGIT, [Change("replaced", "1,250", "1,350", PLACE)], "found"),
        (DIGIT, [Change("replaced", "costs 1,250 now", "costs 1,350 now", Box(0, 195, 300, 225))], "found"),
        (DIGIT, [Change("lost", "1,250", "", PLACE), Change("added", "", "1,350", None, PLACE)], "found"),
        (DIGIT, [Change("replaced", "1,250", "1,550", PLACE)], "other words"),
        (DIGIT, [Change("weakened", "1,250", "1,250", PLACE)], "weakened"),
        (DIGIT, [Change("illegible", "1,250", "", PLACE)], "illegible"),
        (DIGIT, [Change("replaced", "1,250", "1,350", Box(100, 231, 150, 240))], "missed"),  # more than 10 px below
        (DIGIT, [Change("restyled", "1,250", "1,350", PLACE)], "missed"),
        (DIGIT, [], "missed"),
        (LINE, [Change("lost", "The last m1ne left town", "", PLACE)], "found"),
        (LINE, [Change("lost", "The last", "", PLACE), Change("lost", "mine left town", "", PLACE)], "found"),
        (LINE, [Change("lost", "The", "", PLACE)], "other words"),
        (COPY, [Change("duplicated", "The last mine", "The last mine", Box(100, 900, 150, 920), PLACE)], "found"),
    ],
)
def test_outcomes(planted, reported, outcome):
    assert scored(planted, *reported).outcomes == [outcome]


def test_changes_elsewhere_are_false_alarms():
    elsewhere = Change("replaced", "the", "thc", Box(500, 500, 530, 520))
    score = scored(DIGIT, Change("replaced", "1,250", "1,350", PLACE), elsewhere)
    assert score.outcomes == ["found"]
    assert score.false_alarms == [elsewhere]


def test_boxes_on_the_output_are_scaled_to_the_page():
    half = Change("added", "", "The last mine", None, PLACE.scaled(0.5, 0.5))
    assert scored(COPY, half, size=Size(500, 700)).outcomes == ["found"]
    assert scored(COPY, half).outcomes == ["missed"]


def test_the_benchmark_counts_pairs_and_outcomes(monkeypatch, capsys, tmp_path):
    def finds_nothing(before, after, reader):
        sizes = (Size(image.shape[1], image.shape[0]) for image in (before, after))
        return PageChanges(Geometry("same", *sizes), (Change("added", "", "ghost", None, Box(0, 0, 9, 9)),))

    engine = types.ModuleType("vdebench.changes.engine")
    engine.compare_pages = finds_nothing
    monkeypatch.setitem(sys.modules, "vdebench.changes.engine", engine)
    monkeypatch.setattr(changes, "_reader", lambda: None)
    command = "changes.py --pages 1 --part held-out --unchanged 1 --kinds digit lost_line --transformations none tint"
    monkeypatch.setattr(sys, "argv", [*command.split(), "--list", "--save", str(tmp_path)])
    changes.main()
    printed = capsys.readouterr().out
    assert "1-en-academic_literature-130 characters tint (same): missed: digit" in printed
    planted, unchanged = printed.split("unchanged pages")
    assert "all                  4              0/6              0/2 |      1.00 |" in planted
    assert "all                  2 |      1.00 |" in unchanged
    assert len(list(tmp_path.glob("*.png"))) == 2 * 6

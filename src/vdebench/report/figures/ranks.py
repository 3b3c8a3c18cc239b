"""The paper's figure: for each criterion, the models' ranks by people (across) and by the metric (up)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from vdebench.metrics.registry import facts
from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import Drawing, shortened, width_of

_SIDE, _LEFT, _TOP, _BELOW, _GAP = 300.0, 56.0, 44.0, 52.0, 36.0
_LINE, _MOST = 13.0, 160.0  # height of a label, width of the longest


class _Label(NamedTuple):
    x: float
    y: float
    is_left: bool
    """Left of its point: the text ends at x."""
    text: str

    def meets(self, other: _Label) -> bool:
        mine, others = self._span(), other._span()
        return abs(self.y - other.y) < _LINE and mine[0] < others[1] and others[0] < mine[1]

    def _span(self) -> tuple[float, float]:
        width = width_of(self.text)
        return (self.x - width, self.x) if self.is_left else (self.x, self.x + width)


def study_figure(found: Mapping[str, Any]) -> str:
    """The figure of `correlate_study` as SVG: a panel for each criterion."""
    step = _SIDE + _GAP + _LEFT
    width, height = len(found["criteria"]) * step, _TOP + _SIDE + _BELOW
    drawing = Drawing(width, height, "Ranks of models by people and by metrics")
    for at, (name, one) in enumerate(found["criteria"].items()):
        with drawing.moved(_LEFT + at * step, _TOP):
            _panel(drawing, name, one, found["editors"])
    return drawing.svg()


def _panel(drawing: Drawing, name: str, one: Mapping[str, Any], editors: Sequence[str]) -> None:
    """Axes, the line on which both agree, and a point with its name for each model."""
    best, middle = len(editors), _SIDE / 2

    def place(rank: float) -> float:
        return _SIDE * (rank - 0.5) / best

    drawing.rect(0, 0, _SIDE, _SIDE, "none", edge="line")
    drawing.line(0, _SIDE, _SIDE, 0, dashed=True)
    for rank in range(1, best + 1, max(1, best // 12)):
        across, up = place(rank), _SIDE - place(rank)
        drawing.line(across, _SIDE, across, _SIDE + 4)
        drawing.line(-4, up, 0, up)
        drawing.text(across, _SIDE + 18, str(rank), anchor="middle")
        drawing.text(-9, up + 4, str(rank), anchor="end")
    metric = "text correctness" if one["metric"] == "text_correctness" else facts(one["metric"]).title
    drawing.text(middle, -24, name, anchor="middle", weight=600)
    drawing.text(middle, -8, _correlation(one["models"]), anchor="middle", fill="soft")
    drawing.text(middle, _SIDE + 38, f"rank by people ({best} is best)", anchor="middle")
    drawing.text(-34, middle, f"rank by {metric} ({best} is best)", anchor="middle", turned=-90)
    placed: list[_Label] = []
    for point in one["points"]:
        if point["automatic_rank"] is None or point["human_rank"] is None:
            continue
        x, y = place(point["human_rank"]), _SIDE - place(point["automatic_rank"])
        label = _free_label(x, y, point["editor"], placed)
        placed.append(label)
        drawing.circle(x, y, 5, PALETTE[list(editors).index(point["editor"]) % len(PALETTE)])
        drawing.text(label.x, label.y, label.text, anchor="end" if label.is_left else "start")


def _correlation(models: Mapping[str, Any]) -> str:
    found = models["spearman"]
    if found["value"] is None:
        return str(models.get("reason", "no number"))
    bounds = f" [{found['interval'][0]:.2f}, {found['interval'][1]:.2f}]" if found["interval"] else ""
    return f"Spearman {found['value']:.2f}{bounds}, {models['n']} models"


def _free_label(x: float, y: float, name: str, placed: Sequence[_Label]) -> _Label:
    """A label beside its point that overlaps no other."""
    is_left = x > _SIDE / 2
    for step in range(2 * len(placed) + 1):
        away = (step + 1) // 2 * (_LINE if step % 2 else -_LINE)
        label = _Label(x - 9 if is_left else x + 9, y + 4 + away, is_left, shortened(name, _MOST))
        if not any(label.meets(other) for other in placed):
            break
    return label

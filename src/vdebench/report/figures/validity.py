"""The figure of a validity ladder: for each corruption, the metrics of a protocol from 0 to 1 against the level."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import LEFT, Anchor, Drawing, width_of
from vdebench.report.validity import title_of
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.ladder_run import Ladder
from vdebench.studies.validity.statistics import CorruptionResult

_WIDTH, _HEIGHT, _GAP, _TOP = 210.0, 120.0, 34.0, 74.0
_ACROSS = 5
_SAYS = "solid: whole page, dashed: edited regions; 0 to 1"


def ladder_figure(ladder: Ladder, protocol: str) -> str:
    """Small multiples as SVG."""
    own = [each for each in ladder.findings if each.protocol == protocol and _is_drawn(each)]
    metrics = list(dict.fromkeys(each.metric for each in own))
    colours = {metric: PALETTE[at % len(PALETTE)] for at, metric in enumerate(metrics)}
    rows = math.ceil(len(ladder.corruptions) / _ACROSS)
    width, height = _ACROSS * (_WIDTH + _GAP) + _GAP, _TOP + rows * (_HEIGHT + 2 * _GAP)
    drawing = Drawing(width, height, f"{protocol}: metrics as pages get worse", _SAYS)
    drawing.heading()
    x = LEFT
    for metric, colour in colours.items():
        title = title_of(metric)
        drawing.rect(x, 59, 18, 2, colour)
        drawing.text(x + 23, 64, title, size=11)
        x += 38 + width_of(title, 11)
    for at, corruption in enumerate(ladder.corruptions):
        with drawing.moved(_GAP + at % _ACROSS * (_WIDTH + _GAP), _TOP + _GAP + at // _ACROSS * (_HEIGHT + 2 * _GAP)):
            _panel(drawing, corruption, [each for each in own if each.corruption == corruption.name], colours)
    return drawing.svg()


def _is_drawn(finding: CorruptionResult) -> bool:
    known = [value for value in finding.values if value is not None]
    return finding.setting != "sample" and bool(known) and all(0 <= value <= 1 for value in known)


def _panel(
    drawing: Drawing, corruption: Corruption, findings: Sequence[CorruptionResult], colours: Mapping[str, str]
) -> None:
    step, last = _WIDTH / len(corruption.levels), len(corruption.levels)
    drawing.text(0, -6, corruption.title, size=11, weight=600)
    drawing.text(_WIDTH, -6, corruption.unit, size=11, anchor="end", fill="soft")
    drawing.rect(0, 0, _WIDTH, _HEIGHT, "none", edge="line")
    drawing.line(0, _HEIGHT / 2, _WIDTH, _HEIGHT / 2, "empty")
    for level, shown in enumerate(("0", *(f"{each:g}" for each in corruption.levels))):
        anchor: Anchor = "start" if level == 0 else "end" if level == last else "middle"
        drawing.text(level * step, _HEIGHT + 13, shown, size=11, anchor=anchor, fill="soft")
    for each in findings:
        values = enumerate(each.values)
        points = [(level * step, _HEIGHT * (1 - value)) for level, value in values if value is not None]
        tooltip = f"{each.setting} {title_of(each.metric)}: {each.verdict}"
        drawing.polyline(points, colours[each.metric], dashed=each.setting == "local", tooltip=tooltip)

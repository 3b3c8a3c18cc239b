"""The paper's figure: for every criterion the models' ranks by people (across) and by the metric (up), as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from vdebench.metrics.registry import facts

_SIDE, _LEFT, _TOP, _BELOW, _GAP = 300, 56, 44, 52, 36
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#7a3e9d")
"""Told apart also by those who see few colours; every point has its name beside it."""
_LETTER, _LINE = 6.4, 13.0
_MAX_NAME = 24  # letters of a name that are shown


class _Label(NamedTuple):
    x: float
    y: float
    end: bool
    """Whether the text ends at x, not begins."""
    text: str

    def meets(self, other: _Label) -> bool:
        mine, others = self._span(), other._span()
        return abs(self.y - other.y) < _LINE and mine[0] < others[1] and others[0] < mine[1]

    def _span(self) -> tuple[float, float]:
        width = _LETTER * sum(2 if ord(c) > 0x2E7F else 1 for c in self.text)
        return (self.x - width, self.x) if self.end else (self.x, self.x + width)


def study_figure(study: Mapping[str, Any]) -> str:
    """The figure of `correlate_study`: a panel for every criterion."""
    panels = list(study["criteria"].items())
    width = _LEFT + len(panels) * (_SIDE + _GAP + _LEFT) - _LEFT
    height = _TOP + _SIDE + _BELOW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="12" role="img">',
        "<title>Ranks of models by people and by metrics</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for at, (name, criterion) in enumerate(panels):
        lines.append(f'<g transform="translate({_LEFT + at * (_SIDE + _GAP + _LEFT)} {_TOP})">')
        lines += _panel(name, criterion, study["editors"])
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(name: str, result: Mapping[str, Any], editors: Sequence[str]) -> Iterator[str]:
    """Yield axes, the diagonal, and a labelled point for every model."""
    best = len(editors)

    def position(rank: float) -> float:
        return _SIDE * (rank - 0.5) / best

    yield f'<rect width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#8a939d"/>'
    yield f'<line x1="0" y1="{_SIDE}" x2="{_SIDE}" y2="0" stroke="#b8c0c8" stroke-dasharray="5 4"/>'
    for rank in range(1, best + 1, max(1, best // 12)):
        across, up = position(rank), _SIDE - position(rank)
        yield f'<line x1="{across:.1f}" y1="{_SIDE}" x2="{across:.1f}" y2="{_SIDE + 4}" stroke="#8a939d"/>'
        yield f'<line x1="-4" y1="{up:.1f}" x2="0" y2="{up:.1f}" stroke="#8a939d"/>'
        yield f'<text x="{across:.1f}" y="{_SIDE + 18}" text-anchor="middle">{rank}</text>'
        yield f'<text x="-9" y="{up + 4:.1f}" text-anchor="end">{rank}</text>'
    metric = "text correctness" if result["metric"] == "text_correctness" else facts(result["metric"]).title
    yield f'<text x="{_SIDE / 2}" y="-24" text-anchor="middle" font-weight="600">{escape(name)}</text>'
    yield f'<text x="{_SIDE / 2}" y="-8" text-anchor="middle" fill="#5a6470">{_subtitle(result["models"])}</text>'
    yield f'<text x="{_SIDE / 2}" y="{_SIDE + 38}" text-anchor="middle">rank by people ({best} is best)</text>'
    yield (
        f'<text transform="translate(-34 {_SIDE / 2}) rotate(-90)" text-anchor="middle">'
        f"rank by {escape(metric)} ({best} is best)</text>"
    )
    placed: list[_Label] = []
    for point in result["points"]:
        if point["automatic_rank"] is None or point["human_rank"] is None:
            continue
        x, y = position(point["human_rank"]), _SIDE - position(point["automatic_rank"])
        colour = _COLOURS[list(editors).index(point["editor"]) % len(_COLOURS)]
        label = _free(x, y, point["editor"], placed)
        placed.append(label)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
        end = ' text-anchor="end"' if label.end else ""
        yield f'<text x="{label.x:.1f}" y="{label.y:.1f}"{end} fill="#1b1f24">{escape(label.text)}</text>'


def _subtitle(models: Mapping[str, Any]) -> str:
    spearman = models["spearman"]
    if spearman["value"] is None:
        return escape(str(models.get("reason", "no number")))
    bounds = f" [{spearman['interval'][0]:.2f}, {spearman['interval'][1]:.2f}]" if spearman["interval"] else ""
    return f"Spearman {spearman['value']:.2f}{bounds}, {models['n']} models"


def _free(x: float, y: float, name: str, placed: Sequence[_Label]) -> _Label:
    """A position for a name next to its point that overlaps no other label."""
    text = name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"
    end = x > _SIDE / 2
    for step in range(2 * len(placed) + 1):
        away = (step + 1) // 2 * (_LINE if step % 2 else -_LINE)
        label = _Label(x - 9 if end else x + 9, y + 4 + away, end, text)
        if not any(label.meets(label_placed) for label_placed in placed):
            break
    return label

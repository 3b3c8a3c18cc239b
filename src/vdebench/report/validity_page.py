"""Files of a validity ladder: figures of small multiples, an HTML page, JSON, CSV and Parquet."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from vdebench.io.files import write_json, write_text
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.table import Table
from vdebench.report.validity import LadderRow, ladder_csv, ladder_json, ladder_tables, title_of
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.ladder_run import Ladder
from vdebench.studies.validity.statistics import CorruptionResult

_COLOURS = ("#0b6e99", "#c2410c", "#15803d", "#7c3aed", "#111827", "#a16207", "#22b8cf", "#e11d48", "#9ca3af")
_WIDTH, _HEIGHT, _GAP, _TOP = 210, 120, 34, 64
_ACROSS = 5
_DASHES = {"global": "", "local": ' stroke-dasharray="4 2"', "sample": ' stroke-dasharray="1 2"'}
_STYLE = """
body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#111;max-width:1400px}
table{border-collapse:collapse;font-size:12px;display:block;overflow-x:auto}
td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
td:first-child,th:first-child{text-align:left;position:sticky;left:0;background:#fff}
.falls{background:#e7f6ec}.late{background:#f3f9e3}.uneven{background:#fff4d6}.blind{background:#eee}.rises{background:#fbdcdc}
img{max-width:100%}
ul{columns:2;padding-left:1.2rem}
"""


MARKER = "vdebench-validity.json"


def require_ladder_folder(folder: Path) -> None:
    """Raise `RunFolderError` if a folder has other content; called before hours of work."""
    require_generated(folder, MARKER, "ladder")


def write_ladder(ladder: Ladder, out: Path) -> None:
    """Write validity.json, validity.csv, a figure for every protocol, index.html, and the rows behind them."""
    require_ladder_folder(out)
    with replacing_folder(Path(os.path.abspath(out)), MARKER, "ladder") as folder:
        _fill(folder, ladder)


def _fill(folder: Path, ladder: Ladder) -> None:
    write_json(folder / "validity.json", ladder_json(ladder))
    write_text(folder / "validity.csv", ladder_csv(ladder))
    for name, rows in ladder.rows.items():
        if len(rows):
            rows.write_parquet(folder / f"{name}.parquet")
    protocols = list(dict.fromkeys(finding.protocol for finding in ladder.findings))
    for protocol in protocols:
        write_text(folder / f"validity-{protocol}.svg", figure(ladder, protocol))
    write_text(folder / "index.html", page(ladder, protocols))


def figure(ladder: Ladder, protocol: str) -> str:
    """Small multiples: for every corruption its metrics from 0 to 1 by level; global solid, local dashed."""
    findings = [finding for finding in ladder.findings if finding.protocol == protocol and _is_plotted(finding)]
    metrics = list(dict.fromkeys(finding.metric for finding in findings))
    colours = {metric: _COLOURS[at % len(_COLOURS)] for at, metric in enumerate(metrics)}
    rows = math.ceil(len(ladder.corruptions) / _ACROSS)
    width = _ACROSS * (_WIDTH + _GAP) + _GAP
    height = _TOP + rows * (_HEIGHT + 2 * _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui,sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{_GAP}" y="20" font-size="15" font-weight="600">{escape(protocol)}: what it says as pages get '
        "worse</text>",
        *_legend(colours),
    ]
    for at, corruption in enumerate(ladder.corruptions):
        x = _GAP + at % _ACROSS * (_WIDTH + _GAP)
        y = _TOP + _GAP + at // _ACROSS * (_HEIGHT + 2 * _GAP)
        parts += _panel(
            corruption, [finding for finding in findings if finding.corruption == corruption.name], colours, x, y
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _is_plotted(finding: CorruptionResult) -> bool:
    values = [value for value in finding.values if value is not None]
    return finding.setting != "sample" and bool(values) and all(0 <= value <= 1 for value in values)


def _legend(colours: Mapping[str, str]) -> list[str]:
    parts, x = [], _GAP
    for metric, colour in colours.items():
        title = title_of(metric)
        parts.append(f'<line x1="{x}" y1="38" x2="{x + 18}" y2="38" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 23}" y="42">{escape(title)}</text>')
        x += 42 + 7 * len(title)
    return [*parts, f'<text x="{x}" y="42" fill="#555">solid: whole page, dashed: edited regions; 0 to 1</text>']


def _panel(
    corruption: Corruption, findings: Sequence[CorruptionResult], colours: Mapping[str, str], x: int, y: int
) -> list[str]:
    step = _WIDTH / len(corruption.levels)
    parts = [
        f'<text x="{x}" y="{y - 6}" font-weight="600">{escape(corruption.title)}</text>',
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#bbb"/>',
        f'<line x1="{x}" y1="{y + _HEIGHT / 2}" x2="{x + _WIDTH}" y2="{y + _HEIGHT / 2}" stroke="#eee"/>',
    ]
    for level, label in enumerate(("0", *(f"{finding:g}" for finding in corruption.levels))):
        anchor = "start" if level == 0 else "end" if level == len(corruption.levels) else "middle"
        at = x + level * step
        parts.append(f'<text x="{at:g}" y="{y + _HEIGHT + 13}" text-anchor="{anchor}" fill="#555">{label}</text>')
    parts.append(f'<text x="{x + _WIDTH}" y="{y - 6}" text-anchor="end" fill="#777">{escape(corruption.unit)}</text>')
    for finding in findings:
        points = " ".join(
            f"{x + level * step:g},{y + _HEIGHT * (1 - value):.1f}"
            for level, value in enumerate(finding.values)
            if value is not None
        )
        title = f"<title>{escape(finding.setting)} {escape(title_of(finding.metric))}: {finding.verdict}</title>"
        line = f'fill="none" stroke="{colours[finding.metric]}" stroke-width="1.6"{_DASHES[finding.setting]}'
        parts.append(f'<polyline points="{points}" {line}>{title}</polyline>')
    return parts


def page(ladder: Ladder, protocols: Sequence[str]) -> str:
    """The page: for every protocol its figure and its table. It loads nothing but the figures beside it."""
    about = ladder.about
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Validity ladder</title>',
        f"<style>{_STYLE}</style><h1>Validity ladder</h1>",
        f"<p>{about['samples']} samples of <code>{escape(about['suite'])}</code>, read by "
        f"<code>{escape(about['reader'])}</code>.</p><ul>",
        *(f"<li><b>{escape(each.title)}</b>: {escape(each.says)}</li>" for each in ladder.corruptions),
        "</ul>",
    ]
    for protocol, table in zip(protocols, ladder_tables(ladder), strict=True):
        parts += [
            f'<h2>{escape(protocol)}</h2><img src="validity-{escape(protocol)}.svg" alt="small multiples">',
            *_html_table(table),
            *(f"<p>{escape(note)}</p>" for note in table.notes),
        ]
    return "\n".join(parts) + "\n"


def _html_table(table: Table) -> list[str]:
    verdicts = {"↓": "falls", "↘": "late", "~": "uneven", "○": "blind", "↑": "rises"}
    heads = "".join(f"<th>{escape(f'{column.group} {column.name}'.strip())}</th>" for column in table.columns)
    lines = [f"<table><tr><th>{escape(table.head)}</th>{heads}</tr>"]
    for row in table.rows:
        assert isinstance(row, LadderRow)
        marks = [next((name for mark, name in verdicts.items() if mark in cell), "") for cell in row.cells]
        cells = "".join(f'<td class="{mark}">{escape(cell)}</td>' for mark, cell in zip(marks, row.cells, strict=True))
        lines.append(f"<tr><td>{escape(row.label)}</td>{cells}</tr>")
    return [*lines, "</table>"]

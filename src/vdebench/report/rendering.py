"""Tables as text: for a terminal, as Markdown, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from vdebench.protocols.signature import with_short_signature
from vdebench.report.table import Table, run_lengths
from vdebench.report.terminal import terminal

Format = Literal["terminal", "markdown", "csv", "latex"]


def render(
    table: Table,
    form: Format,
    *,
    width: int = 100,
    bold: bool = False,
    intervals: bool = False,
    full_signature: bool = False,
    all_columns_by: str = "",
) -> str:
    """Render a table as text; for a terminal it fits `width`, with the best numbers in bold if `bold` is set.

    With `intervals`, means are shown with bounds. Signatures below the table are short unless `full_signature` is set.
    Columns that do not fit are put below the others; if `all_columns_by` names an option that shows them, they are
    omitted and a line names it.

    >>> from vdebench.report.table import Column, Row
    >>> table = Table("t", [Column("CDM")], [Row("mine", [0.8], bounds=[(0.75, 1.0)])])
    >>> print(render(table, "terminal", intervals=True), end="")
    t
    Model         CDM
    mine        0.800
           .750–1.000
    """
    table = replace(table, notes=[*table.interval_notes, *table.notes]) if intervals else table.without_intervals()
    if not full_signature:
        table = replace(table, notes=[with_short_signature(note) for note in table.notes])
    if form == "terminal":
        return terminal(table, width, bold, all_columns_by)
    return _FORMS[form](table)


def _markdown(table: Table) -> str:
    best = table.best()
    heads = [table.head, *(f"{c.group} {c.name}".strip() + (" ↓" if c.best == "lower" else "") for c in table.columns)]
    lines = [
        f"**{_md(table.title)}**",
        "",
        _piped([_md(head) for head in heads]),
        _piped(["---", *["---:"] * len(table.columns)]),
    ]
    section = ""
    for r, row in enumerate(table.rows):
        if row.section != section:
            section = row.section
            lines.append(_piped([f"*{_md(section)}*", *[""] * len(table.columns)]))
        cells = [table.cell(row, c) for c in range(len(table.columns))]
        cells = [f"**{x}**" if (r, c) in best else x for c, x in enumerate(cells)]
        bounds = (table.interval(row, c) for c in range(len(cells)))
        cells = [f"{x} [{', '.join(pair)}]" if pair else x for x, pair in zip(cells, bounds, strict=True)]
        lines.append(_piped([_md(row.label), *cells]))
    return "\n".join([*lines, *(f"\n{_md(note)}" for note in table.notes)]) + "\n"


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    sections = any(row.section for row in table.rows)
    marked = table.compare == "columns"  # otherwise published models are columns, with † in their heads
    bounded = [any(row.bounds and row.bounds[c] for row in table.rows) for c in range(len(table.columns))]
    heads = []
    for column, has_bounds in zip(table.columns, bounded, strict=True):
        head = f"{column.group} {column.name}".strip()
        heads += [head, f"{head}_low", f"{head}_high"] if has_bounds else [head]
    writer.writerow([*(["Section"] if sections else []), table.head, *(["Published"] if marked else []), *heads])
    for row in table.rows:
        values = []
        for c, (value, has_bounds) in enumerate(zip(row.values, bounded, strict=True)):
            bounds = (row.bounds[c] if row.bounds else None) or (None, None)
            values += ["" if x is None else repr(float(x)) for x in ([value, *bounds] if has_bounds else [value])]
        published = ["yes" if row.published else "no"] if marked else []
        writer.writerow([*([row.section] if sections else []), row.label, *published, *values])
    out.writelines(f"# {' '.join(note.split())}\n" for note in table.notes)
    return out.getvalue()


def _latex(table: Table) -> str:
    best = table.best()
    count = len(table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_tex(table.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * count}}}",
    ]
    lines.append(r"\toprule")
    groups = run_lengths([column.group for column in table.columns])
    if any(name for name, _ in groups):
        lines.append(" & " + " & ".join(rf"\multicolumn{{{n}}}{{c}}{{{_tex(name)}}}" for name, n in groups) + r" \\")
    heads = [_tex(c.name) + (r" $\downarrow$" if c.best == "lower" else "") for c in table.columns]
    lines += [" & ".join([first(_tex(table.head)), *heads]) + r" \\", r"\midrule"]
    section = ""
    for r, row in enumerate(table.rows):
        if row.section != section:
            lines += [r"\midrule"] if section else []
            section = row.section
            lines.append(rf"\multicolumn{{{count + 1}}}{{l}}{{\textit{{{_tex(section)}}}}} \\")
        cells = [table.cell(row, c).translate(_SIGNS) for c in range(count)]
        cells = [rf"\textbf{{{x}}}" if (r, c) in best else x for c, x in enumerate(cells)]
        bounds = (table.interval(row, c) for c in range(count))
        cells = [
            rf"{x} {{\scriptsize [{', '.join(pair)}]}}" if pair else x for x, pair in zip(cells, bounds, strict=True)
        ]
        lines.append(" & ".join([first(_tex(row.label)), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {_tex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


SIGNS = {
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "↘": r"$\searrow$",
    "○": r"$\circ$",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "†": r"$^\dagger$",
    "…": r"\ldots{}",
    "−": "--",
    "–": "--",
}
"""LaTeX commands for the signs in tables, most of which pdfLaTeX does not support."""
_SIGNS = str.maketrans(SIGNS)
_TEX = _SIGNS | str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def first(text: str) -> str:
    r"""LaTeX that can begin a row: after `\\` and rules, `[` and `*` would be their options, even on the next line.

    >>> first("[1cm]")
    '{[}1cm]'
    """
    bare = text.lstrip()
    return f"{{{bare[0]}}}{bare[1:]}" if bare.startswith(("[", "*")) else text


_FORMS: dict[Format, Callable[[Table], str]] = {"markdown": _markdown, "csv": _csv, "latex": _latex}

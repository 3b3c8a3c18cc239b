r"""LaTeX tables that compile with any name of an editor.

pdfLaTeX supports few characters; others are written as commands that `PREAMBLE` defines for the engine in use.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from vdebench.report.rendering import SIGNS, first, render
from vdebench.report.table import Table

PREAMBLE = r"""\usepackage{booktabs,graphicx,iftex}
\newif\ifvdecjk
\DeclareRobustCommand{\vdecjk}[2]{#1}
\DeclareRobustCommand{\vdeother}[2]{#1}
\ifpdftex
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \IfFileExists{CJKutf8.sty}{\vdecjktrue}{}
  \DeclareRobustCommand{\vdeother}[2]{#2}
  \ifvdecjk
    \usepackage{CJKutf8}
    \DeclareRobustCommand{\vdecjk}[2]{\begin{CJK*}{UTF8}{gbsn}#1\end{CJK*}}
  \else
    \DeclareRobustCommand{\vdecjk}[2]{#2}
  \fi
\fi
\ifxetex\IfFileExists{xeCJK.sty}{\usepackage{xeCJK}}{}\fi
"""
r"""Preamble for the tables. `\vdecjk` and `\vdeother` take a text, and its code points as a fallback."""
_HEAD = "% Your preamble needs, as in all.tex: booktabs, graphicx, \\vdecjk and \\vdeother.\n"
_REPLACEMENTS = {
    **SIGNS,
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "—": "---",
    "\u00a0": "~",
}
_UNSUPPORTED = re.compile("[^\x00-\x7f\u00a1-\u017f]+|[ĦħĸĿŀŉŦŧſ]+")  # T1 has all Latin letters except these
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def latex(table: Table) -> str:
    r"""A table as LaTeX, not wider than the page.

    >>> from vdebench.report.table import Column, Row
    >>> print(latex(Table("t", [Column("PSNR")], [Row("[我的]", [float("inf")])])).splitlines()[9])
    {[}\vdecjk{我的}{U+6211 U+7684}] & $\infty$ \\
    """
    lines = []
    for line in render(table, "latex", intervals=True, full_signature=True).splitlines():
        if line.startswith(r"\begin{tabular}"):
            line = f"{_FITTED}\n{line}"
        elif line == r"\end{tabular}":
            line += "}"
        lines.append(first(safe(line)).replace(r"\textbar{}", r"\textbar\allowbreak{}"))
    return _HEAD + "\n".join(lines) + "\n"


def safe(text: str) -> str:
    """Replace characters that an engine does not support."""
    if text.isascii() and text.isprintable():
        return text
    for character, command in _REPLACEMENTS.items():
        text = text.replace(character, command)
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs", "Cf"))
    return _UNSUPPORTED.sub(lambda match: _commands(match[0]), text)


def _commands(text: str) -> str:
    """Wrap characters in commands: runs of GB 2312, which pdfLaTeX's Chinese fonts cover; others one by one."""
    return "".join(
        _command("vdecjk", "".join(characters))
        if common
        else "".join(_command("vdeother", character) for character in characters)
        for common, characters in groupby(text, lambda character: bool(character.encode("gb2312", "ignore")))
    )


def _command(name: str, text: str) -> str:
    return rf"\{name}{{{text}}}{{{' '.join(f'U+{ord(c):04X}' for c in text)}}}"


def document(names: list[str]) -> str:
    """A document with all tables."""
    tables = "".join(rf"\input{{{name}}}" + "\n\\clearpage\n" for name in names)
    return (
        "\\documentclass[a4paper,landscape]{article}\n"
        f"\\usepackage[margin=15mm]{{geometry}}\n{PREAMBLE}\\begin{{document}}\n{tables}\\end{{document}}\n"
    )

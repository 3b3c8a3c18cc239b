r"""LaTeX that compiles whatever an editor is called: `render`'s tables with every character made safe.

pdfLaTeX knows few characters; those beyond are written as commands that `PREAMBLE` defines, by the engine at hand.
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
r"""What the tables need. `\vdecjk` and `\vdeother` take text, and its code points for where it cannot be shown."""
_HEAD = "% Your preamble needs what that of all.tex has: booktabs, graphicx, \\vdecjk and \\vdeother.\n"
_KNOWN = {
    **SIGNS,
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "—": "---",
    "\u00a0": "~",
}
_BEYOND = re.compile("[^\x00-\x7f\u00a1-\u017f]+|[ĦħĸĿŀŉŦŧſ]+")  # pdfLaTeX has Latin letters in T1, but for these
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
    """Text of LaTeX with no character that an engine does not know."""
    if text.isascii() and text.isprintable():
        return text
    for character, command in _KNOWN.items():
        text = text.replace(character, command)
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs", "Cf"))
    return _BEYOND.sub(lambda found: _named(found[0]), text)


def _named(text: str) -> str:
    """Characters as a command's text: what GB 2312 has together, as pdfLaTeX's Chinese fonts do; others each alone."""
    return "".join(
        _command("vdecjk", "".join(some)) if common else "".join(_command("vdeother", each) for each in some)
        for common, some in groupby(text, lambda each: bool(each.encode("gb2312", "ignore")))
    )


def _command(name: str, text: str) -> str:
    return rf"\{name}{{{text}}}{{{' '.join(f'U+{ord(c):04X}' for c in text)}}}"


def document(names: list[str]) -> str:
    """A document of all tables, to look at and to take the preamble from."""
    tables = "".join(rf"\input{{{name}}}" + "\n\\clearpage\n" for name in names)
    return (
        "\\documentclass[a4paper,landscape]{article}\n"
        f"\\usepackage[margin=15mm]{{geometry}}\n{PREAMBLE}\\begin{{document}}\n{tables}\\end{{document}}\n"
    )

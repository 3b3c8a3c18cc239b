"""The text of `vde verify`: every check with its result, differences, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from vdebench.report.labelled_lines import labelled, plain
from vdebench.submission.row_differences import RowDifference
from vdebench.submission.verdict import SubmissionVerdict

_MARKS = {"ok": "ok", "failed": "FAILED", "not checked": "–"}
_MAX_LINES = 20
_WIDTHS = (20, 7, 25, 10, 10)
_EXPLANATIONS = {
    "confirmed": "the samples scored again have the same rows",
    "consistent": "the files agree with each other; no rows were scored again",
    "not confirmed": "see above",
}


def verdict_text(verdict: SubmissionVerdict) -> str:
    """A verdict as text, in lines of at most 80 cells."""
    return "\n".join(_lines(verdict)) + "\n"


def _lines(verdict: SubmissionVerdict) -> Iterator[str]:
    manifest = verdict.manifest
    yield labelled("Submission", verdict.file)
    yield labelled("", f"sha256 {verdict.sha256}")
    yield labelled("Editor", manifest.editor)
    yield labelled("Signature", manifest.signature)
    yield ""
    for check in verdict.checks:
        yield labelled(check.name, f"{_MARKS[check.state]:<7}{plain(check.message)}")
    if verdict.environment:
        versions = ", ".join(
            f"{name} {claimed} (here {local})" for name, (claimed, local) in verdict.environment.items()
        )
        yield labelled("environment", f"–      versions differ: {versions}")
    yield from _mismatches(verdict)
    yield from _differences(verdict.differences)
    yield ""
    limited = verdict.limits and verdict.word == "consistent"
    explanation = (
        f"nothing is wrong, but not everything was checked: {'; '.join(verdict.limits)}"
        if limited
        else _EXPLANATIONS[verdict.word]
    )
    yield labelled("Verdict", f"{verdict.word}: {explanation}")


def _mismatches(verdict: SubmissionVerdict) -> Iterator[str]:
    if verdict.mismatches:
        yield ""
        yield "Numbers of the summary that differ from its rows"
    for mismatch in verdict.mismatches[:_MAX_LINES]:
        values = f"claimed {_number(mismatch.claimed)}, rows give {_number(mismatch.found)}"
        yield labelled(f"  {mismatch.place}", values, indent=34)
    if len(verdict.mismatches) > _MAX_LINES:
        yield f"  … and {len(verdict.mismatches) - _MAX_LINES} more; --json has all"


def _differences(differences: list[RowDifference]) -> Iterator[str]:
    if not differences:
        return
    yield ""
    yield "Rows that differ when scored again"
    yield _row(("sample", "setting", "column", "claimed", "here"))
    for difference in differences[:_MAX_LINES]:
        yield _row(
            (
                difference.sample,
                difference.setting,
                difference.column,
                _number(difference.claimed),
                _number(difference.found),
            )
        )
    if len(differences) > _MAX_LINES:
        yield f"  … and {len(differences) - _MAX_LINES} more; --json has all"


def _row(cells: Sequence[object]) -> str:
    """Cells cut to their widths, separated by spaces; names of samples are cut at the start."""
    parts = []
    for at, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True)):
        text = plain(cell)
        if cell_len(text) > width:
            text = f"…{text[1 - width :]}" if at == 0 else f"{set_cell_size(text, width - 1)}…"
        text = set_cell_size(text, min(cell_len(text), width))
        parts.append(" " * (width - cell_len(text)) + text if at > 2 else set_cell_size(text, width))
    return "  " + " ".join(parts).rstrip()


def _number(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else plain(value)[:20]

"""What `vde verify` prints: every check with what came of it, what differs, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from vdebench.report.labelled_lines import labelled, plain
from vdebench.submission.row_differences import RowDifference
from vdebench.submission.verdict import SubmissionVerdict

_MARKS = {"ok": "ok", "failed": "FAILED", "not checked": "–"}
_MOST = 20
_WIDTHS = (20, 7, 25, 10, 10)
_MEANT = {
    "confirmed": "the part that was scored again gives the same rows",
    "consistent": "it agrees with itself; its rows were not scored again",
    "not confirmed": "see above",
}


def verdict_text(verdict: SubmissionVerdict) -> str:
    """A verdict for people: lines of at most 80 cells."""
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
        told = ", ".join(f"{name} {there} (here {here})" for name, (there, here) in verdict.environment.items())
        yield labelled("environment", f"–      other versions there than here: {told}")
    yield from _mismatches(verdict)
    yield from _differences(verdict.differences)
    yield ""
    limited = verdict.limits and verdict.word == "consistent"
    meant = (
        f"nothing is wrong, but not all is checked: {'; '.join(verdict.limits)}" if limited else _MEANT[verdict.word]
    )
    yield labelled("Verdict", f"{verdict.word}: {meant}")


def _mismatches(verdict: SubmissionVerdict) -> Iterator[str]:
    if verdict.mismatches:
        yield ""
        yield "Numbers of the summary that its rows do not give"
    for mismatch in verdict.mismatches[:_MOST]:
        told = f"claimed {_number(mismatch.claimed)}, rows give {_number(mismatch.found)}"
        yield labelled(f"  {mismatch.place}", told, indent=34)
    if len(verdict.mismatches) > _MOST:
        yield f"  … and {len(verdict.mismatches) - _MOST} more; --json has all"


def _differences(differences: list[RowDifference]) -> Iterator[str]:
    if not differences:
        return
    yield ""
    yield "Rows that are not the same when they are scored again"
    yield _row(("sample", "setting", "column", "claimed", "here"))
    for each in differences[:_MOST]:
        yield _row((each.sample, each.setting, each.column, _number(each.claimed), _number(each.found)))
    if len(differences) > _MOST:
        yield f"  … and {len(differences) - _MOST} more; --json has all"


def _row(cells: Sequence[object]) -> str:
    """Cells cut to their widths, with a space between; of a sample's name the end tells more than the beginning."""
    told = []
    for at, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True)):
        text = plain(cell)
        if cell_len(text) > width:
            text = f"…{text[1 - width :]}" if at == 0 else f"{set_cell_size(text, width - 1)}…"
        text = set_cell_size(text, min(cell_len(text), width))
        told.append(" " * (width - cell_len(text)) + text if at > 2 else set_cell_size(text, width))
    return "  " + " ".join(told).rstrip()


def _number(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else plain(value)[:20]

"""What `vde verify` prints: every check with what came of it, what differs, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vdebench.report.lines import labelled, plain
from vdebench.submission.rescored import Difference
from vdebench.submission.verdict import Verdict

_MARKS = {"ok": "ok", "failed": "FAILED", "not checked": "–"}
_MOST = 20
_MEANT = {
    "confirmed": "the part that was scored again gives the same rows",
    "consistent": "it agrees with itself; its rows were not scored again",
    "not confirmed": "see above",
}


def verdict_text(verdict: Verdict) -> str:
    """A verdict for people: lines of at most 80 cells."""
    return "\n".join(_lines(verdict)) + "\n"


def _lines(verdict: Verdict) -> Iterator[str]:
    manifest = verdict.manifest
    yield labelled("Submission", verdict.file)
    yield labelled("", f"sha256 {verdict.sha256}")
    yield labelled("Editor", manifest.editor)
    yield labelled("Signature", manifest.signature)
    yield ""
    for check in verdict.checks:
        yield labelled(check.name, f"{_MARKS[check.state]:<7}{plain(check.told)}")
    if verdict.environment:
        told = ", ".join(f"{name} {there} (here {here})" for name, (there, here) in verdict.environment.items())
        yield labelled("environment", f"–      other versions there than here: {told}")
    yield from _discords(verdict)
    yield from _differences(verdict.differences)
    yield ""
    yield labelled("Verdict", f"{verdict.word}: {_MEANT[verdict.word]}")


def _discords(verdict: Verdict) -> Iterator[str]:
    if verdict.discords:
        yield ""
        yield "Numbers of the summary that its rows do not give"
    for discord in verdict.discords[:_MOST]:
        told = f"claimed {_number(discord.claimed)}, rows give {_number(discord.found)}"
        yield labelled(f"  {discord.place}", told, indent=34)
    if len(verdict.discords) > _MOST:
        yield f"  … and {len(verdict.discords) - _MOST} more; --json has all"


def _differences(differences: list[Difference]) -> Iterator[str]:
    if not differences:
        return
    yield ""
    yield "Rows that are not the same when they are scored again"
    yield f"  {'sample':<22}{'setting':<9}{'column':<20}{'claimed':>10}{'here':>10}"
    for each in differences[:_MOST]:
        numbers = f"{_number(each.claimed):>10}{_number(each.found):>10}"
        name = plain(each.sample)
        short = name if len(name) < 22 else f"…{name[-20:]}"
        yield f"  {short:<22}{plain(each.setting):<9}{plain(each.column):<20}{numbers}"
    if len(differences) > _MOST:
        yield f"  … and {len(differences) - _MOST} more; --json has all"


def _number(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else plain(value)[:20]

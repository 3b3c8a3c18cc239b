"""What `vde show` prints of a run: what was scored, how, with what result, and what it was made with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from vdebench.errors import RunFolderError
from vdebench.metrics.registry import facts
from vdebench.protocols.signature import short_signature
from vdebench.report.labelled_lines import labelled, plain
from vdebench.report.provenance import provenance_lines
from vdebench.report.tracks import track_of
from vdebench.report.usable import bounds_line
from vdebench.runs.provenance import part_of
from vdebench.stats.usable import PROPERTIES

WORDS = {
    "p": "protocol",
    "rules": "rules",
    "v": "vdebench",
    "track": "track",
    "against": "compared with",
    "match": "blocks matched",
    "tok": "words by",
    "local": "regions",
    "reader": "read by",
    "gt": "ground truth",
    "ceiling": "OCR ceiling",
    "images": "images",
    "in": "pages given",
    "rewriter": "instructions",
    "suite": "suite",
    "n": "samples",
}
"""Parts of a signature in plain words."""
_VALUES = {
    ("local", "crop"): "their crops, read by themselves",
    ("local", "filter"): "what the whole page's reading has there",
    ("local", "off"): "not scored",
    ("reader", "off"): "nobody: pixels alone",
    ("reader", "unstated"): "whoever made the readings: not stated",
    ("gt", "suite"): "the suite's own text",
    ("ceiling", "none"): "not measured: outcomes make no allowance for the reader",
    ("ceiling", "reader"): "by the same reader",
    ("images", "off"): "no image metrics",
    ("in", "whole,rgb-1"): "whole",
    ("rewriter", "none"): "the suite's own words",
    ("match", "assign"): "one to one, the best total",
}
_CELL = 26


def show_text(told: Mapping[str, Any]) -> str:
    """What was found in a folder, for people: lines of at most 80 cells."""
    lines = {"run": _run, "runs": _runs, "judged": _judged}[told["kind"]]
    try:
        return "\n".join(lines(told)) + "\n"
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # somebody has edited a summary
        raise RunFolderError(f"{told['folder']}: is not as `vde score` wrote it ({error!r}); score again") from None


def short_signatures(told: Mapping[str, Any]) -> Iterator[str]:
    """The short signature of every run in a folder."""
    runs = told.get("runs")
    for each in runs if isinstance(runs, list) else [told]:
        signature = each.get("signature") if isinstance(each, dict) else None
        if not isinstance(signature, str):
            raise RunFolderError(f"{told['folder']}: a run here has no signature; score again")
        yield short_signature(signature)


def _run(told: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Run", told["folder"])
    for label, key in (("Editor", "editor"), ("Protocol", "protocol")):
        yield labelled(label, told.get(key) or "not known")
    parts = part_of(told, "parts")
    revision = f", revision {told['revision']}" if told.get("revision") else ""
    count = f", {parts['n']} samples" if "n" in parts else ""
    yield labelled("Suite", f"{told.get('suite') or 'not known'}{count}{revision}")
    yield labelled("Reader", _VALUES.get(("reader", parts.get("reader", "")), parts.get("reader", "not known")))
    for fault in told["faults"]:
        yield labelled("Broken", fault)
    yield from _coverage(told)
    if isinstance(told.get("edits"), dict):
        yield labelled("Edits", ", ".join(f"{count} {state}" for state, count in told["edits"].items()))
    yield from _means(told)
    yield from _usable(part_of(told, "usable"))
    notes = told.get("notes")
    if isinstance(notes, list) and notes:
        yield ""
        for note in notes:
            yield labelled("Note", note)
    if parts:
        yield ""
        yield "Signature"
        for key, value in parts.items():
            meaning = _VALUES.get((key, value))
            yield labelled(f"  {WORDS.get(key, key)}", f"{value}: {meaning}" if meaning else value, indent=18)
    yield ""
    yield from provenance_lines(part_of(told, "provenance"))


def _coverage(told: Mapping[str, Any]) -> Iterator[str]:
    coverage = part_of(told, "coverage")
    if not coverage:
        yield labelled("Coverage", "not known")
        return
    yield labelled("Coverage", _covered(coverage))
    for each in told["reasons"]:
        samples = each["sample"] if each["samples"] == 1 else f"{each['samples']} samples, such as {each['sample']}"
        yield labelled("", f"{each['state']}: {samples}: {each['reason']}")


def _covered(coverage: Mapping[str, Any]) -> str:
    states = ", ".join(f"{coverage.get(state, '?')} {state}" for state in ("scored", "missing", "failed"))
    return f"{coverage.get('samples', '?')} samples: {states}"


def _means(told: Mapping[str, Any]) -> Iterator[str]:
    overall = {setting: found for setting, found in part_of(told, "overall").items() if isinstance(found, dict)}
    if not overall:
        yield labelled("Means", "none")
        return
    names = {key: facts(key).title for key in track_of(told).names()}
    yield ""
    if any(found.get("intervals") for found in overall.values()):
        yield "With 95 % intervals"
    yield f"{'Means':<14}{''.join(f'{plain(setting):<{_CELL}}' for setting in overall)}".rstrip()
    folded = any(found.get("cdm_strict") != found.get("cdm") for found in overall.values())
    for key, title in names.items():
        if key == "cdm_strict" and not folded:
            continue
        cells = [_cell(found, key) for found in overall.values()]
        if any(cell != "–" for cell in cells):
            yield f"  {title:<12}{''.join(f'{cell:<{_CELL}}' for cell in cells)}".rstrip()


def _cell(found: Mapping[str, Any], key: str) -> str:
    value, digits = found.get(key), facts(key).digits
    if key == "psnr" and found.get("images") and found.get("identical") == found.get("images"):
        return "∞ (identical images)"
    if not isinstance(value, int | float) or not math.isfinite(value):
        return "–"
    bounds = part_of(found, "intervals").get(key)
    if isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(bound, int | float) for bound in bounds):
        return f"{value:.{digits}f} [{bounds[0]:.{digits}f}, {bounds[1]:.{digits}f}]"
    return f"{value:.{digits}f}"


def _usable(usable: Mapping[str, Any]) -> Iterator[str]:
    if not usable:
        return
    yield ""
    if usable.get("rate") is None and isinstance(usable.get("bounds"), list):
        yield labelled("Usable edits", bounds_line(usable))
        return
    rate, bounds = usable.get("rate"), usable.get("interval")
    told = f"{rate:.1%}" if isinstance(rate, int | float) else "not known"
    if isinstance(bounds, list) and len(bounds) == 2:
        told += f" [{bounds[0]:.1%}, {bounds[1]:.1%}]"
    unknown = f", {usable['unknown']} without a verdict" if usable.get("unknown") else ""
    yield labelled("Usable edits", f"{told} of {usable.get('n', '?')} samples{unknown}")
    failed = [
        f"{PROPERTIES.get(name, name)} {counts.get('failed')}"
        for name, counts in part_of(usable, "properties").items()
        if isinstance(counts, dict) and counts.get("failed")
    ]
    if failed:
        yield labelled("", f"samples that fail at: {', '.join(failed)}")


def _runs(told: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Runs", told["folder"])
    asked = told["asked"]
    for label, key in (("Suite", "suite"), ("Reader", "reader")):
        if asked.get(key):
            yield labelled(label, asked[key])
    for fault in told["faults"]:
        yield labelled("Broken", fault)
    done = {run.get("editor") for run in told["runs"]}
    waiting = [name for name in asked.get("editors") or [] if name not in done]
    if waiting:
        yield labelled("Not scored", ", ".join(map(str, waiting)))
    for run in told["runs"]:
        yield ""
        yield from _judged(run) if run["kind"] == "judged" else _short(run)
    yield ""
    yield from provenance_lines(told["provenance"]) if told["provenance"] else ["Each run's own `vde show` says more."]


def _short(run: Mapping[str, Any]) -> Iterator[str]:
    """A run among others."""
    yield plain(f"{run.get('editor') or 'not known'} by {run.get('protocol') or 'not known'}")
    yield labelled("  folder", run["folder"])
    for fault in run["faults"]:
        yield labelled("  broken", fault)
    if run.get("coverage"):
        yield labelled("  coverage", _covered(run["coverage"]))
    if isinstance(run.get("edits"), dict):
        yield labelled("  edits", ", ".join(f"{count} {state}" for state, count in run["edits"].items()))
    names = {key: facts(key).title for key in track_of(run).names()}
    for setting, found in part_of(run, "overall").items():
        if isinstance(found, dict):
            cells = {title: _cell({**found, "intervals": None}, key) for key, title in names.items()}
            yield labelled(f"  {setting}", ", ".join(f"{name} {cell}" for name, cell in cells.items() if cell != "–"))


def _judged(told: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Judged run", told["folder"])
    yield labelled("Judge", told.get("judge") or "not known")
    yield labelled("Of", f"{told.get('editor') or 'instructions'} on {told.get('suite') or 'not known'}")
    dollars = part_of(told, "spent").get("dollars")
    yield labelled("Cost", f"${dollars:.2f}" if isinstance(dollars, int | float) else "not known")
    for fault in told["faults"]:
        yield labelled("Broken", fault)
    yield labelled("Look with", "the same `vde judge` command again (nothing is asked twice), or `vde report --judged`")

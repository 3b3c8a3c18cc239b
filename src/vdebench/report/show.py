"""The text of `vde show`: what was scored, how, with what result, and its provenance."""

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

LABELS = {
    "p": "protocol",
    "rules": "rules",
    "v": "vdebench",
    "track": "track",
    "against": "compared with",
    "match": "blocks matched",
    "tok": "tokenizer",
    "local": "regions",
    "reader": "read by",
    "gt": "ground truth",
    "ceiling": "OCR ceiling",
    "images": "images",
    "in": "input",
    "rewriter": "instructions",
    "suite": "suite",
    "n": "samples",
}
"""Labels of the parts of a signature."""
_VALUES = {
    ("local", "crop"): "OCR of their crops",
    ("local", "filter"): "OCR output of the whole page inside them",
    ("local", "off"): "not scored",
    ("reader", "off"): "no reader, only pixels",
    ("reader", "unstated"): "not stated with the OCR output",
    ("gt", "suite"): "from the suite",
    ("ceiling", "none"): "no: outcomes are not corrected for OCR loss",
    ("ceiling", "reader"): "by the same reader, to correct outcomes",
    ("images", "off"): "no image metrics",
    ("in", "whole,rgb-1"): "whole pages",
    ("rewriter", "none"): "from the suite",
    ("match", "assign"): "optimal one-to-one assignment",
}
_CELL = 26


def show_text(content: Mapping[str, Any]) -> str:
    """The content of a folder as text, in lines of at most 80 cells."""
    lines = {"run": _run, "runs": _runs, "judged": _judged_run}[content["kind"]]
    try:
        return "\n".join(lines(content)) + "\n"
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # an edited summary
        raise RunFolderError(f"{content['folder']}: not written by `vde score` ({error!r}); score again") from None


def short_signatures(content: Mapping[str, Any]) -> Iterator[str]:
    """The short signature of every run in a folder."""
    runs = content.get("runs")
    for run in runs if isinstance(runs, list) else [content]:
        signature = run.get("signature") if isinstance(run, dict) else None
        if not isinstance(signature, str):
            raise RunFolderError(f"{content['folder']}: a run here has no signature; score again")
        yield short_signature(signature)


def _run(run: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Run", run["folder"])
    for label, key in (("Editor", "editor"), ("Protocol", "protocol")):
        yield labelled(label, run.get(key) or "not known")
    parts = part_of(run, "parts")
    revision = f", revision {run['revision']}" if run.get("revision") else ""
    count = f", {parts['n']} samples" if "n" in parts else ""
    yield labelled("Suite", f"{run.get('suite') or 'not known'}{count}{revision}")
    yield labelled("Reader", _VALUES.get(("reader", parts.get("reader", "")), parts.get("reader", "not known")))
    for fault in run["faults"]:
        yield labelled("Broken", fault)
    yield from _coverage(run)
    if isinstance(run.get("edits"), dict):
        yield labelled("Edits", ", ".join(f"{count} {state}" for state, count in run["edits"].items()))
    yield from _means(run)
    yield from _usable(part_of(run, "usable"))
    notes = run.get("notes")
    if isinstance(notes, list) and notes:
        yield ""
        for note in notes:
            yield labelled("Note", note)
    if parts:
        yield ""
        yield "Signature"
        for key, value in parts.items():
            meaning = _VALUES.get((key, value))
            yield labelled(f"  {LABELS.get(key, key)}", f"{value}: {meaning}" if meaning else value, indent=18)
    yield ""
    yield from provenance_lines(part_of(run, "provenance"))


def _coverage(run: Mapping[str, Any]) -> Iterator[str]:
    coverage = part_of(run, "coverage")
    if not coverage:
        yield labelled("Coverage", "not known")
        return
    yield labelled("Coverage", _covered(coverage))
    for entry in run["reasons"]:
        samples = entry["sample"] if entry["samples"] == 1 else f"{entry['samples']} samples, such as {entry['sample']}"
        yield labelled("", f"{entry['state']}: {samples}: {entry['reason']}")


def _covered(coverage: Mapping[str, Any]) -> str:
    states = ", ".join(f"{coverage.get(state, '?')} {state}" for state in ("scored", "missing", "failed"))
    without = coverage.get("without_reference")
    more = f"; {without} without a reference" if without else ""
    return f"{coverage.get('samples', '?')} samples: {states}{more}"


def _means(run: Mapping[str, Any]) -> Iterator[str]:
    overall = {setting: means for setting, means in part_of(run, "overall").items() if isinstance(means, dict)}
    if not overall:
        yield labelled("Means", "none")
        return
    names = {key: facts(key).title for key in track_of(run).names()}
    yield ""
    if any(means.get("intervals") for means in overall.values()):
        yield "With 95 % intervals"
    yield f"{'Means':<14}{''.join(f'{plain(setting):<{_CELL}}' for setting in overall)}".rstrip()
    folded = any(means.get("cdm_strict") != means.get("cdm") for means in overall.values())
    for key, title in names.items():
        if key == "cdm_strict" and not folded:
            continue
        cells = [_cell(means, key) for means in overall.values()]
        if any(cell != "–" for cell in cells):
            yield f"  {title:<12}{''.join(f'{cell:<{_CELL}}' for cell in cells)}".rstrip()


def _cell(means: Mapping[str, Any], key: str) -> str:
    value, digits = means.get(key), facts(key).digits
    if key == "psnr" and means.get("images") and means.get("identical") == means.get("images"):
        return "∞ (identical images)"
    if not isinstance(value, int | float) or not math.isfinite(value):
        return "–"
    bounds = part_of(means, "intervals").get(key)
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
    text = f"{rate:.1%}" if isinstance(rate, int | float) else "not known"
    if isinstance(bounds, list) and len(bounds) == 2:
        text += f" [{bounds[0]:.1%}, {bounds[1]:.1%}]"
    unknown = f", {usable['unknown']} without a verdict" if usable.get("unknown") else ""
    yield labelled("Usable edits", f"{text} of {usable.get('n', '?')} samples{unknown}")
    failed = [
        f"{PROPERTIES.get(name, name)} {counts.get('failed')}"
        for name, counts in part_of(usable, "properties").items()
        if isinstance(counts, dict) and counts.get("failed")
    ]
    if failed:
        yield labelled("", f"samples that fail at: {', '.join(failed)}")


def _runs(content: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Runs", content["folder"])
    options = content["asked"]
    for label, key in (("Suite", "suite"), ("Reader", "reader")):
        if options.get(key):
            yield labelled(label, options[key])
    for fault in content["faults"]:
        yield labelled("Broken", fault)
    scored = {run.get("editor") for run in content["runs"]}
    waiting = [name for name in options.get("editors") or [] if name not in scored]
    if waiting:
        yield labelled("Not scored", ", ".join(map(str, waiting)))
    for run in content["runs"]:
        yield ""
        yield from _judged_run(run) if run["kind"] == "judged" else _short(run)
    yield ""
    yield from (
        provenance_lines(content["provenance"]) if content["provenance"] else ["`vde show RUN` shows more of a run."]
    )


def _short(run: Mapping[str, Any]) -> Iterator[str]:
    """A run in a list of runs."""
    yield plain(f"{run.get('editor') or 'not known'} by {run.get('protocol') or 'not known'}")
    yield labelled("  folder", run["folder"])
    for fault in run["faults"]:
        yield labelled("  broken", fault)
    if run.get("coverage"):
        yield labelled("  coverage", _covered(run["coverage"]))
    if isinstance(run.get("edits"), dict):
        yield labelled("  edits", ", ".join(f"{count} {state}" for state, count in run["edits"].items()))
    names = {key: facts(key).title for key in track_of(run).names()}
    for setting, means in part_of(run, "overall").items():
        if isinstance(means, dict):
            cells = {title: _cell({**means, "intervals": None}, key) for key, title in names.items()}
            yield labelled(f"  {setting}", ", ".join(f"{name} {cell}" for name, cell in cells.items() if cell != "–"))


def _judged_run(run: Mapping[str, Any]) -> Iterator[str]:
    yield labelled("Judged run", run["folder"])
    yield labelled("Judge", run.get("judge") or "not known")
    yield labelled("Of", f"{run.get('editor') or 'instructions'} on {run.get('suite') or 'not known'}")
    dollars = part_of(run, "spent").get("dollars")
    yield labelled("Cost", f"${dollars:.2f}" if isinstance(dollars, int | float) else "not known")
    for fault in run["faults"]:
        yield labelled("Broken", fault)
    yield labelled("Show with", "the same `vde judge` command again (grades are cached), or `vde report --judged`")

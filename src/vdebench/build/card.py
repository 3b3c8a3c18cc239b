"""The card of a data set: content, construction, rejections with reasons, review."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from vdebench.build import automatic_review as automatic
from vdebench.build import pages
from vdebench.build.decisions import REJECTION_REASONS
from vdebench.build.funnel import FunnelStep, used_filter
from vdebench.build.ledger import TOOL
from vdebench.build.package_contents import PackagedSuite
from vdebench.build.settings import BuildSettings
from vdebench.instructions.check import REASONS

CODES = {"english": ("en",), "simplified_chinese": ("zh",), "en_ch_mixed": ("en", "zh")}
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
NOT_REVIEWED = "**This data set was not reviewed by people.**"
MEANINGS: Mapping[str, str] = {
    **pages.REASONS,
    **REASONS,
    "refused": "the editor refused",
    "failed": "the editor failed",
    **REJECTION_REASONS,
    "withdrawn": "withdrawn from the review",
    **automatic.REASONS,
}
"""Explanation of every reason."""


def front_matter(suite: PackagedSuite, settings: BuildSettings, columns: Sequence[str]) -> list[str]:
    """Return the YAML header of the card; `columns` are the lines that describe the Parquet files."""
    codes = sorted({code for sample in suite for code in CODES.get(sample.language, ())})
    size = next((name for below, name in SIZES if len(suite) < below), "n>1M")
    lines = ["---", f"pretty_name: {_quoted(settings.name)}", f"license: {_quoted(settings.licence)}"]
    lines += ["language:", *(f"- {code}" for code in codes)] if codes else []
    lines += ["task_categories:", "- image-to-image", "size_categories:", f"- {size}"]
    lines += ["tags:", "- document-editing", "- text-editing", "- vde", *columns, "---"]
    return lines


def body(
    suite: PackagedSuite, settings: BuildSettings, steps: Sequence[FunnelStep], editor: str, reader: str
) -> list[str]:
    """Return the card in Markdown."""
    passed = list(suite.passed.values())
    lines = [
        f"# {settings.name}",
        "",
        f"{_count(len(passed), 'document-editing sample')}: a page, an instruction, the page",
    ]
    lines[-1] += " as it should be afterwards, the place that changes, and what all of these read."
    lines += ["", f"Licence: {settings.licence}. Made with {TOOL}.", ""]
    lines += _review(steps, sum(each.by_people for each in passed), len(passed))
    lines += ["## What is in it", ""]
    for title, values in (
        ("operation", [sample.operation.value for sample in suite]),
        ("language", [sample.language for sample in suite]),
        ("source", [sample.source for sample in suite]),
    ):
        lines += _table((title, "samples"), sorted(Counter(values).items()))
    lines += ["## How it came to be", ""]
    generators = ", ".join(each.name for each in settings.generators)
    lines += [
        f"1. Pages were taken from {_count(len(settings.sources), 'source')}.",
        f"2. Operations were drawn for each page (preset `{settings.preset}`, seed {settings.seed}); instructions were"
        f" written by {generators} and checked against the page.",
        f"3. `{editor}` carried them out{_by_hand(sum(each.record.by_hand for each in passed))}.",
        f"4. `{reader}` read every page before and after.",
        "5. Each edit went through the four steps of the review. Of those that passed, the changed place was put on the"
        " page as it was, so that all else is the page's own pixels.",
        "",
        "`provenance.jsonl` has every step of every sample: who, when, seed, hashes of prompts, inputs and outputs.",
        "",
        "## The funnel",
        "",
    ]
    lines += _table(
        ("step", "in", "passed", "rejected", "pending", "by"),
        [(step.name, step.entered, step.passed, step.rejected_count, step.pending, _by(step)) for step in steps],
    )
    lines += ["What was rejected, and why:", ""]
    reasons = [
        (step.name, f"`{reason}`", count, MEANINGS.get(reason, ""))
        for step in steps
        for reason, count in step.rejected.items()
    ]
    lines += _table(("step", "reason", "count", "meaning"), reasons) if reasons else ["Nothing.", ""]
    return lines


def _by_hand(count: int) -> str:
    return f", but for {_count(count, 'sample')} that people have edited by hand" if count else ""


def _review(steps: Sequence[FunnelStep], by_people: int, count: int) -> list[str]:
    if by_people == count:
        more = (
            " Of the edits that are not in it, an automatic filter has turned some down." if used_filter(steps) else ""
        )
        return [f"Every sample was reviewed by people.{more}", ""]
    some = f"**Only {by_people:,} of {count:,} samples were reviewed by people.**"
    words = (
        f"An automatic filter stood in for them{' for the others' if by_people else ''}: an edit was accepted where the"
        " reader finds the new text and no longer the old one, in one place, and the page elsewhere is unchanged. The"
        " filter sees little of how an edit looks, and it shares the reader's errors."
    )
    return [f"{some if by_people else NOT_REVIEWED} {words}", ""]


def _by(step: FunnelStep) -> str:
    if step.unit != "edits":
        return ""
    if step.stood_in < step.passed + step.rejected_count:
        return "people, a filter in place of some" if step.stood_in else "people"
    return "a filter in place of people" if step.stood_in else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(str(value).replace('|', chr(92) + '|') for value in row)} |" for row in rows]
    return [*lines, ""]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

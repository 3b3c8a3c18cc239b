"""The judging stage: a suite's outputs, or its instructions, through a judge into grades; see docs/judging.md.

`judge_suite` asks about an editor's outputs, `judge_ambiguity` about a suite's instructions. Both plan, ask what is not
known yet, and make the table and the summary from the journal, however the asking ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import polars as pl

from vdebench._version import __version__
from vdebench.errors import VdeError
from vdebench.io.cache import Cache, as_object
from vdebench.io.files import is_folder, write_json
from vdebench.judges.canary import canary_cases
from vdebench.judges.dimension import (
    AMBIGUITY_DIMENSIONS,
    EDIT_DIMENSIONS,
    chosen_dimensions,
    load_prompts,
    prompts_hash,
)
from vdebench.judges.judge import Judge, temperature_told
from vdebench.judges.questions import JudgedSample, canaries, edited, instructed
from vdebench.net.budget import Budget, parse_budget
from vdebench.net.image_payloads import SENDING, image_policy
from vdebench.net.prices import DATED, Price, price_of
from vdebench.pipeline.editing.journal import editors_images
from vdebench.pipeline.judging.folder import GradeJournal, WantedGrade
from vdebench.pipeline.judging.grade_record import GradeRecord
from vdebench.pipeline.judging.plan import Estimate, Plan, estimated
from vdebench.pipeline.judging.requests import JudgingSession, SpendProgress
from vdebench.protocols.digest import DIGITS, digest
from vdebench.protocols.signature import as_signature
from vdebench.stats.grades import summarise_grades
from vdebench.suites.name_check import check_names
from vdebench.suites.name_pattern import outputs_of
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite

MOST = 64
"""Requests at once, where the server bears as many."""


@dataclass(frozen=True)
class JudgingOptions:
    """How a judge is asked: what stands in the signature, and what it may cost."""

    dimensions: Sequence[str] = EDIT_DIMENSIONS
    repeat: int = 1
    prompts: Path | None = None
    images: str = "full"
    budget: float | None = None
    price: Price | None = None
    concurrency: int = MOST
    canary: bool = True
    pause: float = field(default=1.0, repr=False)
    """Seconds before a second try, where the server does not say; they double."""


@dataclass(frozen=True)
class JudgingResult:
    """What came of a run: its summary and its rows, and why it ended early where it did."""

    summary: dict[str, Any]
    rows: pl.DataFrame
    stopped: str = ""
    out_of_money: bool = False

    @property
    def signature(self) -> str:
        """What pins the grades."""
        return str(self.summary["signature"])

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Samples without a grade where one was to be had, and why."""
        lost = self.rows.filter(~pl.col("state").is_in(["graded", "missing", "not_asked"]))
        return [
            (f"{sample} {dimension}", f"{state}: {reason}")
            for sample, dimension, state, reason in lost.select("sample", "dimension", "state", "reason").iter_rows()
        ]


def judged_outputs(suite: Suite, predictions: Path, match: str = "", *, strict_names: bool = False) -> Outputs:
    """An editor's images in a folder, their names checked as `score` does; see there for `match`."""
    if not is_folder(predictions):
        raise VdeError(f"{predictions}: no such folder, expected an editor's images of {suite.name}")
    suite.require_distinct_keys()
    outputs = outputs_of(suite, editors_images(predictions), match)
    check_names(outputs, suite.samples, strict=strict_names)
    return outputs


def plan_suite(
    suite: Suite, predictions: Path, judge: Judge, asked: JudgingOptions, *, match: str = "", strict_names: bool = False
) -> Plan:
    """The questions about an editor's outputs, the canary's first: what a judge is worth is known early."""
    outputs = judged_outputs(suite, predictions, match, strict_names=strict_names)
    subjects = list(edited(suite, outputs))
    if asked.canary:
        referenced = any(subject.has_reference for subject in subjects)
        subjects = [*canaries(canary_cases(), reference=referenced), *subjects]
    return _plan(judge, asked, subjects, "edit")


def plan_ambiguity(suite: Suite, judge: Judge, asked: JudgingOptions) -> Plan:
    """The questions about a suite's instructions."""
    suite.require_distinct_keys()
    return _plan(judge, asked, list(instructed(suite)), "instruction")


def _plan(judge: Judge, asked: JudgingOptions, subjects: list[JudgedSample], sees: Any) -> Plan:
    if asked.repeat < 1:
        raise VdeError(f"--repeat is {asked.repeat}, expected 1 or more")
    dimensions = chosen_dimensions(asked.dimensions, load_prompts(asked.prompts), sees)
    price = asked.price or price_of(judge.model)
    if parse_budget(asked.budget) is not None and price is None:
        raise VdeError(
            f"the price of {judge.model} is not in our table of {DATED}, so a budget cannot be kept\n"
            "  give it with --price IN,OUT in dollars per million tokens; 0,0 for a model that costs nothing"
        )
    return Plan(judge, dimensions, asked.repeat, image_policy(asked.images), subjects, price)


def estimate_run(plan: Plan, out: Path | None = None) -> Estimate:
    """What is still to be asked, given what a run folder and the cache know."""
    cache = Cache("grades", plan.judge.identity, as_object)
    known: set[str] = GradeJournal(out).settled() if out else set()

    def is_known(wanted: WantedGrade) -> bool:
        value = None if wanted.digest in known else cache.find(wanted.digest)
        return wanted.digest in known or GradeRecord.from_cache(wanted.question, wanted.digest, value) is not None

    return estimated(plan, is_known)


def judge_suite(
    suite: Suite,
    predictions: Path,
    judge: Judge,
    out: Path,
    asked: JudgingOptions | None = None,
    *,
    editor: str = "",
    match: str = "",
    strict_names: bool = False,
    progress: SpendProgress | None = None,
) -> JudgingResult:
    """Have an editor's outputs graded; a run that was stopped goes on where it was. For `match` see `score`."""
    asked = asked or JudgingOptions()
    plan = plan_suite(suite, predictions, judge, asked, match=match, strict_names=strict_names)
    return _judge(suite, plan, asked, out, {"editor": editor or predictions.resolve().name}, progress)


def judge_ambiguity(
    suite: Suite, judge: Judge, out: Path, asked: JudgingOptions | None = None, *, progress: SpendProgress | None = None
) -> JudgingResult:
    """Have a suite's instructions graded for ambiguity."""
    asked = asked or JudgingOptions(AMBIGUITY_DIMENSIONS)
    return _judge(suite, plan_ambiguity(suite, judge, asked), asked, out, {"editor": ""}, progress)


def _judge(
    suite: Suite, plan: Plan, asked: JudgingOptions, out: Path, about: dict[str, str], progress: SpendProgress | None
) -> JudgingResult:
    pins = {
        "judge": plan.judge.name,
        "server": plan.judge.server,
        "suite": suite.name,
        **about,
        "dimensions": [dimension.key for dimension in plan.dimensions],
        "repeat": plan.repeat,
        "prompts": prompts_hash(plan.dimensions),
        "temperature": temperature_told(plan.judge.settings.temperature),
        "images": plan.images,
    }
    wanted = list(plan.wanted())
    with GradeJournal(out).open(pins) as journal:
        budget = Budget(asked.budget, journal.spent)
        cache = Cache("grades", plan.judge.identity, as_object)
        session = JudgingSession(
            plan, journal, cache, budget, most=asked.concurrency, progress=progress, pause=asked.pause
        )
        _run(session.run(wanted, len(wanted)))
        rows = journal.write_table([each._replace(reason=each.reason or session.stopped) for each in wanted])
        summary = _summary(suite, plan, pins, rows, session, journal)
        write_json(out / "summary.json", summary)
    return JudgingResult(summary, rows, session.stopped, session.out_of_money)


def _run(work: Any) -> None:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def _summary(
    suite: Suite, plan: Plan, pins: dict[str, Any], rows: pl.DataFrame, session: JudgingSession, journal: GradeJournal
) -> dict[str, Any]:
    summary = summarise_grades(rows, pins["dimensions"], plan.repeat)
    models = sorted(set(rows.filter(pl.col("state") == "graded")["model"]) - {""})
    return {
        "signature": signature(suite, plan, pins, models),
        **pins,
        "track": "judged",
        "revision": suite.revision,
        **summary,
        "spent": {"dollars": round(journal.spent, 6), "asked": session.asked, "price": plan.price},
        "notes": [*summary.get("notes", ()), *_notes(plan, journal, session)],
    }


def signature(suite: Suite, plan: Plan, pins: dict[str, Any], models: Sequence[str]) -> str:
    """Everything that changes the grades, in one line."""
    parts = {
        "judge": plan.judge.name,
        "returned": "+".join(models) or "nothing",
        "rules": _rules(plan)[:DIGITS],
        "v": __version__,
        "prompts": pins["prompts"],
        "temp": pins["temperature"],
        "images": plan.images,
        "repeat": str(plan.repeat),
        "suite": f"{suite.name}@sha256:{suite.revision[:12]}",
        "n": str(len(suite)),
    }
    return as_signature(parts)


def _rules(plan: Plan) -> str:
    """Digest of all that the grades depend on besides the suite: who is asked, and everything that is sent."""
    dimensions = [
        {**{each.name: getattr(dimension, each.name) for each in fields(dimension)}, "files": dimension.prompts}
        for dimension in plan.dimensions
    ]
    return digest([plan.judge.identity, dimensions, plan.images, SENDING, plan.repeat])


def _notes(plan: Plan, journal: GradeJournal, session: JudgingSession) -> list[str]:
    notes = []
    if session.stopped:
        notes.append(f"not all was asked: {session.stopped}")
    if not plan.judge.takes_schema:
        notes.append("the server takes no JSON schema: answers were asked for in plain words")
    if journal.invalid:
        shown = "; ".join(journal.invalid[:3])
        notes.append(f"{len(journal.invalid)} invalid lines are ignored, their questions were asked again: {shown}")
    if journal.unpriced:
        notes.append(
            f"{journal.unpriced} requests of unknown cost (no answer, or no count of tokens) are not in the sum"
        )
    return notes

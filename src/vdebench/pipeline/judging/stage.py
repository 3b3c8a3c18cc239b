"""The judging stage: `judge_suite` grades an editor's outputs, `judge_ambiguity` a suite's instructions.

Both ask the questions without a stored answer, then write table and summary from the journal. See docs/judging.md.
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
from vdebench.judges.judge import Judge, format_temperature
from vdebench.judges.questions import JudgedSample, canary_subjects, edit_subjects, instruction_subjects
from vdebench.net.budget import Budget, parse_budget
from vdebench.net.image_payloads import PAYLOAD_VERSION, parse_image_size
from vdebench.net.prices import DATED, Price, price_of
from vdebench.pipeline.editing.journal import editors_images
from vdebench.pipeline.judging.folder import GradeJournal, PlannedGrade
from vdebench.pipeline.judging.grade_record import GradeRecord
from vdebench.pipeline.judging.plan import Estimate, Plan, estimate_plan
from vdebench.pipeline.judging.requests import JudgingSession, SpendProgress
from vdebench.protocols.digest import DIGITS, digest
from vdebench.protocols.signature import as_signature
from vdebench.stats.grades import summarise_grades
from vdebench.suites.name_check import check_names
from vdebench.suites.name_pattern import outputs_of
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite

MOST = 64
"""Default limit of concurrent requests."""


@dataclass(frozen=True)
class JudgingOptions:
    """Options of a judged run."""

    dimensions: Sequence[str] = EDIT_DIMENSIONS
    repeat: int = 1
    prompts: Path | None = None
    images: str = "full"
    budget: float | None = None
    price: Price | None = None
    concurrency: int = MOST
    canary: bool = True
    pause: float = field(default=1.0, repr=False)
    """Seconds before the first retry; doubled before each further one."""


@dataclass(frozen=True)
class JudgingResult:
    """Summary and rows of a run, and the reason if it stopped early."""

    summary: dict[str, Any]
    rows: pl.DataFrame
    stopped: str = ""
    out_of_money: bool = False

    @property
    def signature(self) -> str:
        """The signature of the grades."""
        return str(self.summary["signature"])

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Questions that failed, with the reason."""
        lost = self.rows.filter(~pl.col("state").is_in(["graded", "missing", "not_asked"]))
        return [
            (f"{sample} {dimension}", f"{state}: {reason}")
            for sample, dimension, state, reason in lost.select("sample", "dimension", "state", "reason").iter_rows()
        ]


def judged_outputs(suite: Suite, predictions: Path, match: str = "", *, strict_names: bool = False) -> Outputs:
    """Find an editor's images in a folder and check their names; `match` as in `score`."""
    if not is_folder(predictions):
        raise VdeError(f"{predictions}: no such folder, expected an editor's images of {suite.name}")
    suite.require_distinct_keys()
    outputs = outputs_of(suite, editors_images(predictions), match)
    check_names(outputs, suite.samples, strict=strict_names)
    return outputs


def plan_suite(
    suite: Suite,
    predictions: Path,
    judge: Judge,
    options: JudgingOptions,
    *,
    match: str = "",
    strict_names: bool = False,
) -> Plan:
    """Plan the questions about an editor's outputs; the canary's come first."""
    outputs = judged_outputs(suite, predictions, match, strict_names=strict_names)
    subjects = list(edit_subjects(suite, outputs))
    if options.canary:
        has_reference = any(subject.has_reference for subject in subjects)
        subjects = [*canary_subjects(canary_cases(), reference=has_reference), *subjects]
    return _plan(judge, options, subjects, "edit")


def plan_ambiguity(suite: Suite, judge: Judge, options: JudgingOptions) -> Plan:
    """Plan the questions about a suite's instructions."""
    suite.require_distinct_keys()
    return _plan(judge, options, list(instruction_subjects(suite)), "instruction")


def _plan(judge: Judge, options: JudgingOptions, subjects: list[JudgedSample], sees: Any) -> Plan:
    if options.repeat < 1:
        raise VdeError(f"--repeat is {options.repeat}, expected 1 or more")
    dimensions = chosen_dimensions(options.dimensions, load_prompts(options.prompts), sees)
    price = options.price or price_of(judge.model)
    if parse_budget(options.budget) is not None and price is None:
        raise VdeError(
            f"the price of {judge.model} is not in the price table of {DATED}, so a budget cannot be checked\n"
            "  add --price IN,OUT in dollars per million tokens; 0,0 for a free model"
        )
    return Plan(judge, dimensions, options.repeat, parse_image_size(options.images), subjects, price)


def estimate_run(plan: Plan, out: Path | None = None) -> Estimate:
    """Estimate the questions without an answer in the run folder or the cache."""
    cache = Cache("grades", plan.judge.identity, as_object)
    settled: set[str] = GradeJournal(out).settled() if out else set()

    def is_known(grade: PlannedGrade) -> bool:
        value = None if grade.digest in settled else cache.find(grade.digest)
        return grade.digest in settled or GradeRecord.from_cache(grade.question, grade.digest, value) is not None

    return estimate_plan(plan, is_known)


def judge_suite(
    suite: Suite,
    predictions: Path,
    judge: Judge,
    out: Path,
    options: JudgingOptions | None = None,
    *,
    editor: str = "",
    match: str = "",
    strict_names: bool = False,
    progress: SpendProgress | None = None,
) -> JudgingResult:
    """Grade an editor's outputs; resumes an interrupted run. `match` as in `score`."""
    options = options or JudgingOptions()
    plan = plan_suite(suite, predictions, judge, options, match=match, strict_names=strict_names)
    return _judge(suite, plan, options, out, {"editor": editor or predictions.resolve().name}, progress)


def judge_ambiguity(
    suite: Suite,
    judge: Judge,
    out: Path,
    options: JudgingOptions | None = None,
    *,
    progress: SpendProgress | None = None,
) -> JudgingResult:
    """Grade the ambiguity of a suite's instructions."""
    options = options or JudgingOptions(AMBIGUITY_DIMENSIONS)
    return _judge(suite, plan_ambiguity(suite, judge, options), options, out, {"editor": ""}, progress)


def _judge(
    suite: Suite, plan: Plan, options: JudgingOptions, out: Path, about: dict[str, str], progress: SpendProgress | None
) -> JudgingResult:
    pins = {
        "judge": plan.judge.name,
        "server": plan.judge.server,
        "suite": suite.name,
        **about,
        "dimensions": [dimension.key for dimension in plan.dimensions],
        "repeat": plan.repeat,
        "prompts": prompts_hash(plan.dimensions),
        "temperature": format_temperature(plan.judge.settings.temperature),
        "images": plan.images,
    }
    grades = list(plan.grades())
    with GradeJournal(out).open(pins) as journal:
        budget = Budget(options.budget, journal.spent)
        cache = Cache("grades", plan.judge.identity, as_object)
        session = JudgingSession(
            plan, journal, cache, budget, most=options.concurrency, progress=progress, pause=options.pause
        )
        _run(session.run(grades, len(grades)))
        rows = journal.write_table([each._replace(reason=each.reason or session.stopped) for each in grades])
        summary = _summary(suite, plan, pins, rows, session, journal)
        write_json(out / "summary.json", summary)
    return JudgingResult(summary, rows, session.stopped, session.out_of_money)


def _run(work: Any) -> None:
    """Run a coroutine, also if an event loop is running already, as in a notebook."""
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
    """Return the signature: everything that determines the grades."""
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
    """Return the digest of everything but the suite that determines the grades."""
    dimensions = [
        {**{each.name: getattr(dimension, each.name) for each in fields(dimension)}, "files": dimension.prompts}
        for dimension in plan.dimensions
    ]
    return digest([plan.judge.identity, dimensions, plan.images, PAYLOAD_VERSION, plan.repeat])


def _notes(plan: Plan, journal: GradeJournal, session: JudgingSession) -> list[str]:
    notes = []
    if session.stopped:
        notes.append(f"not all questions were asked: {session.stopped}")
    if not plan.judge.takes_schema:
        notes.append("the server does not support JSON schemas: answers were requested in words")
    if journal.invalid:
        examples = "; ".join(journal.invalid[:3])
        notes.append(f"{len(journal.invalid)} invalid lines are ignored, their questions were asked again: {examples}")
    if journal.unpriced:
        notes.append(
            f"{journal.unpriced} requests of unknown cost (no answer, or no count of tokens) are not in the sum"
        )
    return notes

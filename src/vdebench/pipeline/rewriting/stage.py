"""Rewrites the instructions of a suite once for all editors of a run: `RUNS/rewritten.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.io.files import locked
from vdebench.io.images import open_image
from vdebench.io.journal import Journal
from vdebench.pipeline.options import Progress
from vdebench.pipeline.rewriting.rewriter import Rewriter
from vdebench.runs.provenance import stage
from vdebench.suites.suite import Suite

FILE = "rewritten.jsonl"
CONCURRENCY = 4
MAX_FIRST_FAILURES = 8
"""Failures at the start after which the stage stops."""


class _RewrittenRecord(NamedTuple):
    sample: str
    original: str
    instruction: str
    input: str
    """Hash of the inputs."""


def rewrite_suite(
    suite: Suite, rewriter: Rewriter, out: Path, progress: Progress | None = None
) -> dict[str, str | VdeError]:
    """Return the rephrased instruction of every sample, or the error; existing ones are used again.

    Existing lines of samples that fail now or are not in the suite are kept.
    """
    journal = Journal(out / FILE, _RewrittenRecord)
    with locked(out, wait=True), stage("rewriting"):
        known = journal.latest("input")
        instructions: dict[str, str | VdeError] = {}
        records: list[_RewrittenRecord] = []

        def rewrite(sample: Sample) -> _RewrittenRecord | VdeError:
            try:
                source = suite.image_files(sample).source
                if source is None:
                    raise InputError(f"sample {sample.key}: the suite has no source image")
                key = digest_of(rewriter.label, sample.key, digest_of_file(source), sample.instruction)
                if key in known:
                    return known[key]
                text = rewriter.rewrite(sample.key, open_image(source), sample.instruction)
                return _RewrittenRecord(sample.key, sample.instruction, text, key)
            except VdeError as error:
                return error

        for done, (sample, result) in enumerate(_in_turns(rewrite, suite.samples), start=1):
            if isinstance(result, _RewrittenRecord):
                instructions[sample.key] = result.instruction
                records.append(result)
                if result.input not in known:
                    journal.append(result)
            else:
                instructions[sample.key] = result
            if progress:
                progress(done, len(suite.samples))
            if done == MAX_FIRST_FAILURES and not records and isinstance(result, VdeError):
                raise VdeError(
                    f"{result}\n  the first {MAX_FIRST_FAILURES} instructions could not be rewritten: stopped"
                )
        rewritten = {each.sample for each in records}
        records += [each for each in known.values() if each.sample not in rewritten]
        journal.replace(records)
    return instructions


def _in_turns(
    rewrite: Callable[[Sample], _RewrittenRecord | VdeError], samples: Sequence[Sample]
) -> Iterator[tuple[Sample, _RewrittenRecord | VdeError]]:
    """Process a few samples at a time, in order, so that a stop leaves few requests in progress."""
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        for start in range(0, len(samples), CONCURRENCY):
            part = samples[start : start + CONCURRENCY]
            yield from zip(part, pool.map(rewrite, part), strict=True)

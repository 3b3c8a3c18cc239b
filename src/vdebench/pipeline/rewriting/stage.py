"""Rephrased instructions of a suite, made once for all editors of a run: `RUNS/rewritten.jsonl`."""

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
AT_ONCE = 4
ENOUGH = 8
"""Failures, and nothing else, after which no more is asked."""


class _Rewritten(NamedTuple):
    sample: str
    original: str
    instruction: str
    input: str
    """Hash of what it was made from."""


def rewrite_suite(
    suite: Suite, rewriter: Rewriter, out: Path, progress: Progress | None = None
) -> dict[str, str | VdeError]:
    """The instruction of every sample in other words, or why there is none; what was rewritten before is kept.

    So are earlier lines, whatever they were made from, of samples that fail now or are not asked for: they were paid.
    """
    journal = Journal(out / FILE, _Rewritten)
    with locked(out, wait=True), stage("rewriting"):
        known = journal.latest("input")
        found: dict[str, str | VdeError] = {}
        kept: list[_Rewritten] = []

        def one(sample: Sample) -> _Rewritten | VdeError:
            try:
                source = suite.image_files(sample).source
                if source is None:
                    raise InputError(f"sample {sample.key}: the suite has no source image of it")
                key = digest_of(rewriter.label, sample.key, digest_of_file(source), sample.instruction)
                if key in known:
                    return known[key]
                text = rewriter.rewrite(sample.key, open_image(source), sample.instruction)
                return _Rewritten(sample.key, sample.instruction, text, key)
            except VdeError as error:
                return error

        for done, (sample, made) in enumerate(_in_turns(one, suite.samples), start=1):
            if isinstance(made, _Rewritten):
                found[sample.key] = made.instruction
                kept.append(made)
                if made.input not in known:
                    journal.append(made)
            else:
                found[sample.key] = made
            if progress:
                progress(done, len(suite.samples))
            if done == ENOUGH and not kept and isinstance(made, VdeError):
                raise VdeError(f"{made}\n  the first {ENOUGH} instructions could not be rewritten: nothing is run")
        made_now = {each.sample for each in kept}
        kept += [each for each in known.values() if each.sample not in made_now]
        journal.replace(kept)
    return found


def _in_turns(
    one: Callable[[Sample], _Rewritten | VdeError], samples: Sequence[Sample]
) -> Iterator[tuple[Sample, _Rewritten | VdeError]]:
    """A few at a time, in order, so that giving up leaves few under way."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(samples), AT_ONCE):
            part = samples[start : start + AT_ONCE]
            yield from zip(part, pool.map(one, part), strict=True)

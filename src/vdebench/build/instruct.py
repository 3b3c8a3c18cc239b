"""The stage `instruct`: draw operations for pages, generate instructions, check them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from vdebench.build.answers import AnswerStore, CachedGenerator, StoredAnswer
from vdebench.build.ledger import LedgerEntry
from vdebench.build.workspace import Workspace
from vdebench.errors import EditorError, RunFolderError, VdeError
from vdebench.instructions.draw import draw
from vdebench.instructions.factory import generator
from vdebench.instructions.generator import ATTEMPTS, Generator, obtain
from vdebench.instructions.prompt_pool import pool
from vdebench.instructions.records import Instruction, InstructionDraw, Rejection, SourcePageRecord
from vdebench.io.cache import digest_of
from vdebench.pipeline.options import Progress

PARALLELISM = 4
"""Number of parallel requests to models."""
MAX_FAILURES = 8
"""Consecutive draws without an answer after which the server is considered unreachable."""


class DrawResult(NamedTuple):
    """The result of a draw."""

    drawn: InstructionDraw
    steps: Sequence[Instruction | Rejection]
    failure: str = ""
    """Why there was no answer; the request is repeated next time."""


def instruct(
    workspace: Workspace, *, attempts: int = ATTEMPTS, parallelism: int = PARALLELISM, progress: Progress | None = None
) -> Counter[str]:
    """Generate an instruction for every draw without a result; return the counts of new results."""
    with workspace.stage_lock():
        pages = workspace.pages()
        workspace.require("init", pages, "it has no pages yet")
        draws = _draws(workspace, pages)
        rejected = workspace.rejections()
        done = workspace.instructions().keys() | {
            each.id for each in rejected if each.stage == "instruct" and each.final
        }
        recorded = {(each.id, each.attempt, each.final) for each in rejected if each.stage == "instruct"}
        pending = [drawn for drawn in draws if drawn.id not in done]
        counts: Counter[str] = Counter(known=len(draws) - len(pending))
        answers = AnswerStore(
            workspace.journal(StoredAnswer), workspace.ledger, {name: each.hash for name, each in pool().items()}
        )
        chosen = {each.name: each for each in workspace.settings.generators}
        needed = {drawn.generator for drawn in pending}
        makers: dict[str, Generator] = {
            name: CachedGenerator(generator(name, chosen[name].options), answers) for name in needed
        }

        def run_draw(drawn: InstructionDraw) -> DrawResult:
            page = pages[drawn.page]
            steps: list[Instruction | Rejection] = []
            try:
                page_text, image = workspace.page_reading(page), workspace.page_image(page)
                steps += obtain(drawn, page, page_text, makers[drawn.generator], image=image, attempts=attempts)
            except VdeError as error:
                return DrawResult(drawn, steps, str(error))
            return DrawResult(drawn, steps)

        failures: list[str] = []
        failures_in_a_row = 0
        with ThreadPoolExecutor(parallelism if needed - {"template"} else 1) as threads:
            try:
                for number, result in enumerate(_in_order(threads, run_draw, pending, parallelism), start=1):
                    _record(workspace, result, recorded, counts)
                    failures_in_a_row = failures_in_a_row + 1 if result.failure else 0
                    failures += [result.failure] * bool(result.failure)
                    if failures_in_a_row == MAX_FAILURES:
                        break
                    if progress:
                        progress(number, len(pending))
            finally:
                threads.shutdown(cancel_futures=True)
        counts["answers"] = answers.asked
        if failures:
            settled = len(workspace.instructions())
            raise EditorError(
                f"{failures[-1]}\n  {len(failures)} draws have no answer yet; {settled} instructions are kept: run the"
                " same command again"
            )
    return counts


def _in_order(
    threads: ThreadPoolExecutor,
    work: Callable[[InstructionDraw], DrawResult],
    pending: Sequence[InstructionDraw],
    parallelism: int,
) -> Iterator[DrawResult]:
    """Yield results in the order of the draws, with at most `parallelism` requests in progress."""
    waiting: deque[Future[DrawResult]] = deque()
    for drawn in pending:
        waiting.append(threads.submit(work, drawn))
        if len(waiting) >= parallelism:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _draws(workspace: Workspace, pages: dict[str, SourcePageRecord]) -> list[InstructionDraw]:
    """Return the draws of all pages; raise `RunFolderError` if stored draws differ."""
    settings = workspace.settings
    names = [each.name for each in settings.generators]
    expected, known = draw(pages.values(), settings.preset, settings.seed, names), workspace.draws()
    for drawn in expected:
        if known.setdefault(drawn.id, drawn) != drawn:
            raise RunFolderError(
                f"{workspace.root}: {drawn.id} was drawn for {known[drawn.id].prompt} by {known[drawn.id].generator},"
                f" and would now be for {drawn.prompt} by {drawn.generator}\n"
                "  the preset, the seed or the generators in build.toml have changed: restore them, or choose another"
                " folder"
            )
    stored = workspace.draws()
    for drawn in expected:
        if drawn.id not in stored:
            workspace.append(drawn)
    if extra := known.keys() - {drawn.id for drawn in expected}:
        raise RunFolderError(
            f"{workspace.root}: {len(extra)} draws, such as {min(extra)}, do not follow from build.toml: the"
            " preset has changed; restore it, or choose another folder"
        )
    return expected


def _record(
    workspace: Workspace, result: DrawResult, recorded: set[tuple[str, int, bool]], counts: Counter[str]
) -> None:
    drawn = result.drawn
    for step in result.steps:
        entry = LedgerEntry("instruct", drawn.id, "", drawn.generator, seed=drawn.seed)
        if isinstance(step, Rejection):
            counts[step.reason] += step.final
            if (step.id, step.attempt, step.final) not in recorded:
                workspace.ledger.note(entry._replace(what="rejected", words=f"attempt {step.attempt}: {step.reason}"))
                workspace.append(step)
        else:
            by = f"{step.generator}: {step.model}" if step.model else step.generator
            outputs = {"instruction": digest_of(step.instruction)}
            workspace.ledger.note(entry._replace(what="accepted", by=by, prompt=step.prompt_hash, outputs=outputs))
            workspace.append(step)
            counts["instructions"] += 1

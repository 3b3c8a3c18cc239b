"""The stage `instruct`: what pages are drawn for, who is asked, what passes the checks."""

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
from vdebench.pipeline.scoring.stage import Progress

AT_ONCE = 4
"""Questions under way where models are asked."""
IN_A_ROW = 8
"""Draws without any answer, one after the other, after which a server is taken to be away."""


class DrawResult(NamedTuple):
    """What became of a draw."""

    drawn: InstructionDraw
    steps: Sequence[Instruction | Rejection]
    failure: str = ""
    """Why there was no answer at all: it is asked again next time."""


def instruct(
    workspace: Workspace, *, attempts: int = ATTEMPTS, at_once: int = AT_ONCE, progress: Progress | None = None
) -> Counter[str]:
    """Have an instruction made for every draw that has none and was not turned down. How many became what, now."""
    with workspace.at_work():
        pages = workspace.pages()
        workspace.require("init", pages, "it has no pages yet")
        draws = _draws(workspace, pages)
        rejected = workspace.rejections()
        done = workspace.instructions().keys() | {
            each.id for each in rejected if each.stage == "instruct" and each.final
        }
        told = {(each.id, each.attempt, each.final) for each in rejected if each.stage == "instruct"}
        left = [drawn for drawn in draws if drawn.id not in done]
        counts: Counter[str] = Counter(known=len(draws) - len(left))
        answers = AnswerStore(
            workspace.journal(StoredAnswer), workspace.ledger, {name: each.hash for name, each in pool().items()}
        )
        chosen = {each.name: each for each in workspace.settings.generators}
        needed = {drawn.generator for drawn in left}
        makers: dict[str, Generator] = {
            name: CachedGenerator(generator(name, chosen[name].options), answers) for name in needed
        }

        def come_by(drawn: InstructionDraw) -> DrawResult:
            page = pages[drawn.page]
            steps: list[Instruction | Rejection] = []
            try:
                reading, image = workspace.page_reading(page), workspace.page_image(page)
                steps += obtain(drawn, page, reading, makers[drawn.generator], image=image, attempts=attempts)
            except VdeError as error:
                return DrawResult(drawn, steps, str(error))
            return DrawResult(drawn, steps)

        failures: list[str] = []
        in_a_row = 0
        with ThreadPoolExecutor(at_once if needed - {"template"} else 1) as threads:
            try:
                for number, came in enumerate(_in_order(threads, come_by, left, at_once), start=1):
                    _write_down(workspace, came, told, counts)
                    in_a_row = in_a_row + 1 if came.failure else 0
                    failures += [came.failure] * bool(came.failure)
                    if in_a_row == IN_A_ROW:
                        break
                    if progress:
                        progress(number, len(left))
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
    left: Sequence[InstructionDraw],
    at_once: int,
) -> Iterator[DrawResult]:
    """What comes of each draw, in the order of the draws; no more are under way than are asked at once."""
    waiting: deque[Future[DrawResult]] = deque()
    for drawn in left:
        waiting.append(threads.submit(work, drawn))
        if len(waiting) >= at_once:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _draws(workspace: Workspace, pages: dict[str, SourcePageRecord]) -> list[InstructionDraw]:
    """What all pages are drawn for; once drawn, it stays."""
    settings = workspace.settings
    names = [each.name for each in settings.generators]
    wanted, known = draw(pages.values(), settings.preset, settings.seed, names), workspace.draws()
    for drawn in wanted:
        if known.setdefault(drawn.id, drawn) != drawn:
            raise RunFolderError(
                f"{workspace.root}: {drawn.id} was drawn for {known[drawn.id].prompt} by {known[drawn.id].generator},"
                f" and would now be for {drawn.prompt} by {drawn.generator}\n"
                "  the preset, the seed or the generators in build.toml have changed: put them back, or choose another"
                " folder"
            )
    there = workspace.draws()
    for drawn in wanted:
        if drawn.id not in there:
            workspace.append(drawn)
    if extra := known.keys() - {drawn.id for drawn in wanted}:
        raise RunFolderError(
            f"{workspace.root}: {len(extra)} draws, {min(extra)} among them, are no longer drawn by build.toml: the"
            " preset has changed; put it back, or choose another folder"
        )
    return wanted


def _write_down(workspace: Workspace, came: DrawResult, told: set[tuple[str, int, bool]], counts: Counter[str]) -> None:
    drawn = came.drawn
    for step in came.steps:
        entry = LedgerEntry("instruct", drawn.id, "", drawn.generator, seed=drawn.seed)
        if isinstance(step, Rejection):
            counts[step.reason] += step.final
            if (step.id, step.attempt, step.final) not in told:
                workspace.ledger.note(entry._replace(what="rejected", words=f"attempt {step.attempt}: {step.reason}"))
                workspace.append(step)
        else:
            by = f"{step.generator}: {step.model}" if step.model else step.generator
            outputs = {"instruction": digest_of(step.instruction)}
            workspace.ledger.note(entry._replace(what="accepted", by=by, prompt=step.prompt_hash, outputs=outputs))
            workspace.append(step)
            counts["instructions"] += 1

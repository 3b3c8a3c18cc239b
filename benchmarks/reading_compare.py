"""Compare the embedded reader of a git revision with that of the working tree: accuracy and CPU time.

python benchmarks/reading_compare.py --before REV [--pages real,text-layer,typeset] [--part held-out] [--limit N]

Both readers run in one process each, on one thread, and read every page in turn, so that the load of the machine affects
both alike; the first of the two alternates. The revision is checked out in a temporary git worktree. Both outputs are
scored by the code of the working tree. Without --before, only the working tree is measured.

Pages:
  real        18 annotated pages of OmniDocBench's demo (../shared/data/omnidocbench, or $VDE_SHARED/data/omnidocbench)
  text-layer  PDF pages with their text layer as ground truth (`text_layer_pages.py`), in two halves; --part selects one
  typeset     pages of a generated suite (--suite)
Rows of the result tables, for each language:
  accuracy, mean   1 − edits / length, mean over blocks (text-layer: lines); NFKC, without white space; on annotated
                   pages without LaTeX markup, tables, figures and display formulas; on text-layer pages quotation
                   marks and dashes of any shape are equal
  accuracy, chars  the same over all characters
  IoU, CDM, TEDS   by `strict`: missed and invented blocks count as 0; mean over pages
  CPU              seconds per page: `lines` (detection and recognition) and the rest of `read`; difference: ratio

Before version 0.2, OpenVINO computed in bfloat16 on processors that have it, and in f32 on others; now always in f32.
--precision f32 makes an older revision compute in f32 too, so that CPU times are comparable.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from reading_scores import (
    Edits,
    block_edits,
    block_scores,
    character_accuracy,
    line_edits,
    mean,
    mean_accuracy,
    real_pages,
)
from text_layer_pages import default_folder, layer_pages

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.io.images import open_image
from vdebench.readers.lines.line import Line
from vdebench.suites.suite import load_suite

ROOT = Path(__file__).parents[1]
CORPORA = ("real", "text-layer", "typeset")
BLOCK_SCORES = ("iou", "cdm", "teds")
WORST = 5
"""Number of pages to list for each score."""


class Task(NamedTuple):
    """A page to read. Its ground truth is lines (text layer) or blocks (annotation)."""

    corpus: str
    language: str
    name: str
    image: Image
    truth: PageText | list[Line]


class Result(NamedTuple):
    """Scores of the OCR output of a page."""

    corpus: str
    language: str
    name: str
    edits: list[Edits]
    scores: dict[str, float]
    text: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REV", help="git revision to compare with")
    parser.add_argument("--pages", default=",".join(CORPORA), help="corpora, separated by commas (default: all)")
    parser.add_argument("--part", choices=("tuning", "held-out"), default="", help="half of the text-layer pages")
    parser.add_argument("--limit", type=int, help="largest number of pages of each corpus and language")
    parser.add_argument("--folder", type=Path, default=default_folder(), help="folder of the text-layer pages")
    parser.add_argument("--suite", default="typeset:n=24,seed=31,languages=en+zh", help="generated suite")
    parser.add_argument("--precision", default="", help="f32: both readers compute in it (see below)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write scores and OCR output of every page")
    options = parser.parse_args()
    corpora = options.pages.split(",")
    if unknown := set(corpora) - set(CORPORA):
        parser.error(f"--pages: unknown corpus {', '.join(sorted(unknown))}; expected {', '.join(CORPORA)}")
    results: dict[str, list[Result]] = {}
    with ExitStack() as stack:
        exchange = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "page.npy"
        sources = {"after": ROOT / "src"}
        if options.before:
            sources = {"before": stack.enter_context(checkout(options.before)) / "src", **sources}
        workers = {
            side: stack.enter_context(start_worker(source, options.precision)) for side, source in sources.items()
        }
        readers = {side: read_answer(worker) for side, worker in workers.items()}
        check_sources(readers, sources)
        for number, task in enumerate(limited(tasks(corpora, options), options.limit)):
            np.save(exchange, task.image)
            for side in list(workers)[:: -1 if number % 2 else 1]:
                answer = ask(workers[side], {"image": str(exchange)})
                results.setdefault(side, []).append(score(task, answer))
            print(f"\r{number + 1} pages", end="", file=sys.stderr)
    print(file=sys.stderr)
    if not results:
        sys.exit("reading_compare: no pages")
    show(results)
    if options.json:
        sides = {side: [page_record(result) for result in pages] for side, pages in results.items()}
        record = {"revision": options.before, "readers": readers, "pages": sides, "summary": summary(results)}
        options.json.write_text(json.dumps(record, ensure_ascii=False, indent=1), "utf-8")


def tasks(corpora: list[str], options: argparse.Namespace) -> Iterator[Task]:
    """All pages of the corpora."""
    if "real" in corpora:
        for page in real_pages(18):
            yield Task("real", page.language, page.name, page.image, page.truth)
    if "text-layer" in corpora:
        for layer in layer_pages(options.folder, options.part):
            lines = [Line(*line) for line in layer.lines]
            yield Task(f"text-layer {layer.part}", layer.language, layer.name, layer.image, lines)
    if "typeset" in corpora:
        suite = load_suite(options.suite)
        for sample in suite.samples:
            image = open_image(suite.image_files(sample).reference)
            yield Task("typeset", sample.language, sample.key, image, suite.ground_truth(sample))


def limited(pages: Iterator[Task], limit: int | None) -> Iterator[Task]:
    counts: dict[tuple[str, str], int] = {}
    for task in pages:
        group = task.corpus, task.language
        counts[group] = counts.get(group, 0) + 1
        if limit is None or counts[group] <= limit:
            yield task


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """Check a revision out in a temporary git worktree."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        result = subprocess.run([*git, "add", "--detach", folder, revision], capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"reading_compare: cannot check out {revision}: {result.stderr.strip()}")
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True, capture_output=True)


@contextmanager
def start_worker(source: Path, precision: str) -> Iterator[subprocess.Popen[str]]:
    """Start a worker that imports `vdebench` from a folder; its cache is empty."""
    with tempfile.TemporaryDirectory() as cache:
        worker = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("reading_worker.py"), precision],
            env={**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "VDE_CACHE": cache},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield worker
        finally:
            worker.kill()
            worker.wait()


def ask(worker: subprocess.Popen[str], request: dict[str, Any]) -> dict[str, Any]:
    assert worker.stdin
    print(json.dumps(request), file=worker.stdin, flush=True)
    return read_answer(worker)


def read_answer(worker: subprocess.Popen[str]) -> dict[str, Any]:
    assert worker.stdout
    line = worker.stdout.readline()
    if not line:
        sys.exit(f"reading_compare: a worker exited with status {worker.wait()}, see its error above")
    answer: dict[str, Any] = json.loads(line)
    return answer


def check_sources(readers: dict[str, dict[str, Any]], sources: dict[str, Path]) -> None:
    for side, source in sources.items():
        if not Path(readers[side]["source"]).samefile(source / "vdebench"):
            sys.exit(f"reading_compare: the worker '{side}' imported {readers[side]['source']}, expected {source}")


def score(task: Task, answer: dict[str, Any]) -> Result:
    """Score the answer of a worker."""
    lines = [Line(Box(*box), text, confidence) for *box, text, confidence in answer["lines"]]
    blocks = [Block(Box(*box), content, label) for *box, content, label in answer["blocks"]]
    scores = {name: answer[name] for name in ("cpu_lines", "cpu_blocks")}
    if isinstance(task.truth, PageText):
        edits = block_edits(task.truth, lines)
        of_blocks = block_scores(task.truth, blocks)
        scores |= {name: of_blocks[name] for name in BLOCK_SCORES if name in of_blocks}
    else:
        edits = line_edits(task.truth, lines)
    text = [line.text for line in lines] + [block.content for block in blocks]
    return Result(task.corpus, task.language, task.name, edits, scores, text)


def page_record(result: Result) -> dict[str, Any]:
    return {**result._asdict(), **page_accuracy(result)}


def page_accuracy(result: Result) -> dict[str, float]:
    return {name: function(result.edits) for name, function in ACCURACY.items()} if result.edits else {}


ACCURACY = {"accuracy, mean": mean_accuracy, "accuracy, chars": character_accuracy}


def summary(results: dict[str, list[Result]]) -> dict[str, dict[str, dict[str, float]]]:
    """Scores by corpus and language, side and name."""
    groups = dict.fromkeys((page.corpus, page.language) for page in next(iter(results.values())))
    return {
        f"{corpus}, {language}": {
            side: aggregate([page for page in pages if (page.corpus, page.language) == (corpus, language)])
            for side, pages in results.items()
        }
        for corpus, language in groups
    }


def aggregate(pages: list[Result]) -> dict[str, float]:
    values: dict[str, float] = {"pages": len(pages)}
    if edits := [each for page in pages for each in page.edits]:
        values |= {name: function(edits) for name, function in ACCURACY.items()}
    for name in (*BLOCK_SCORES, "cpu_lines", "cpu_blocks"):
        if scored := [page.scores[name] for page in pages if name in page.scores]:
            values[name] = mean(scored)
    return values


def show(results: dict[str, list[Result]]) -> None:
    """Print the tables and the pages that lose most."""
    for group, sides in summary(results).items():
        first, after = next(iter(sides.values())), sides["after"]
        print(f"{group}: {first['pages']:.0f} pages")
        for name in filter("pages".__ne__, first):
            if "before" not in sides:
                print(f"  {name:16} {after[name]:8.4f}")
            elif name.startswith("cpu"):
                print(f"  {name:16} {first[name]:8.4f} {after[name]:8.4f}   {first[name] / after[name]:7.2f} times")
            else:
                print(f"  {name:16} {first[name]:8.4f} {after[name]:8.4f}   {after[name] - first[name]:+.4f}")
    if "before" in results:
        show_pages(list(zip(results["before"], results["after"], strict=True)))


def show_pages(pairs: list[tuple[Result, Result]]) -> None:
    same = sum(before.text == after.text for before, after in pairs)
    print(f"identical text on {same} of {len(pairs)} pages")
    for name in ("accuracy, chars", *BLOCK_SCORES):
        changes = []
        for before, after in pairs:
            one, other = (side.scores | page_accuracy(side) for side in (before, after))
            if name in one and name in other:
                changes.append((other[name] - one[name], one[name], other[name], f"{after.corpus} {after.name}"))
        worse, better = sum(each[0] < 0 for each in changes), sum(each[0] > 0 for each in changes)
        print(f"{name}: {better} pages better, {worse} worse, {len(changes) - better - worse} equal")
        for change, one, other, page in sorted(changes)[:WORST]:
            if change < 0:
                print(f"  {change:+.4f} ({one:.4f} to {other:.4f})  {page}")


if __name__ == "__main__":
    main()

"""The usable verdict on realistic outputs, beside what a careful person says of them.

python benchmarks/verdicts.py [--samples 14] [--seed 5] [--ppi 150] [--corruptions "digit elsewhere" …] [--list]
    [--out FOLDER] [--workers 2]

`output_corruptions.py` makes the outputs from the samples of a typeset suite; the embedded reader reads them, `strict`
scores them. A row shows the accepted outputs / those that were judged; samples that no editor can be judged on are left
out. False accepts are usable outputs that a person calls bad, false rejects unusable ones that are ok; outputs that are
minor, arguable, or depend on the size of the type count in neither. `--out` keeps the images and runs, and the next call
continues there.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from output_corruptions import CORRUPTIONS

from vdebench import load_suite, score
from vdebench.core.png import encode_png
from vdebench.io.files import write_bytes
from vdebench.stats.usable_runs import judge_runs
from vdebench.studies.validity.export import PartialSuite
from vdebench.studies.validity.subject import CorruptionWorkspace, cached_typesetter, ladder_samples, typeset_suite
from vdebench.suites.names import names_of
from vdebench.suites.typeset.suite import TypesetSuite

OPERATIONS = "text_replace+text_insert+text_delete+table_replace+table_insert+table_delete+table_structure"
SUITE = f"typeset:n={{}},seed={{}},languages=en+zh,operations={OPERATIONS},ppi={{}}"


class Judged(NamedTuple):
    """The verdict on one output, and the first property that failed."""

    sample: str
    usable: bool | None
    fails_at: str
    evidence: str


def main() -> None:
    """Write the outputs, judge them and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=14)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--ppi", type=int, default=150)
    parser.add_argument("--corruptions", nargs="+", choices=CORRUPTIONS, default=list(CORRUPTIONS), metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print every false accept and false reject")
    parser.add_argument("--out", type=Path, help="folder for images and runs; by default they are not kept")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    suite = typeset_suite(load_suite(SUITE.format(options.samples, options.seed, options.ppi)))
    suite.prepare()
    results: dict[str, list[Judged]] = {}
    with _folder(options.out) as folder:
        write_outputs(suite, options.corruptions, folder)
        print(f"{'output':28}{'a person':>10}{'accepted':>12}   first failed property")
        for name in options.corruptions:
            results[name] = judge_outputs(suite, folder / _file_name(name), options.workers)
            show_row(name, results[name])
    show_errors(results, options.list)


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


def _file_name(name: str) -> str:
    return name.replace(" %", "").replace(" ", "-")


def write_outputs(suite: TypesetSuite, names: Sequence[str], folder: Path) -> None:
    """Write an image for each corruption and sample, where it applies: `<corruption>/images/<name>.png`."""
    for subject in ladder_samples(suite):
        with CorruptionWorkspace(subject, cached_typesetter(suite.recipe.ppi)) as workspace:
            for name in names:
                file = folder / _file_name(name) / "images" / f"{names_of(subject.sample)[0]}.png"
                image = None if file.is_file() else CORRUPTIONS[name].make(workspace)
                if image is not None:
                    write_bytes(file, encode_png(image))


def judge_outputs(suite: TypesetSuite, folder: Path, workers: int) -> list[Judged]:
    """Score the outputs of a corruption and return the verdicts."""
    images = folder / "images"
    keys = [sample.key for sample in suite.samples if (images / f"{names_of(sample)[0]}.png").is_file()]
    if not keys:
        return []
    part, metrics = PartialSuite(suite, keys), ["psnr"]
    score(part, images, reader="rapidocr", metrics=metrics, out=folder / "run", workers=workers)
    (run,) = judge_runs([folder / "run"]).runs
    return [
        Judged(each.sample, each.usable, each.fails_at, each.evidence.get(each.fails_at, "")) for each in run.verdicts
    ]


def show_row(name: str, judged: Sequence[Judged]) -> None:
    """Print the accepted outputs, and which properties fail first."""
    decided = [each for each in judged if each.usable is not None]
    accepted = f"{sum(bool(each.usable) for each in decided)}/{len(decided)}"
    failed = Counter(each.fails_at for each in decided if each.fails_at)
    reasons = ", ".join(f"{count} {reason}" for reason, count in failed.most_common())
    print(f"{name:28}{CORRUPTIONS[name].opinion:>10}{accepted:>12}   {reasons}", flush=True)


def show_errors(results: dict[str, list[Judged]], listed: bool) -> None:
    """Print the numbers of false accepts and false rejects, and each of them if asked."""
    for opinion, wrong, title in (("bad", True, "false accepts"), ("ok", False, "false rejects")):
        decided = [
            (name, each)
            for name, judged in results.items()
            for each in judged
            if CORRUPTIONS[name].opinion == opinion and each.usable is not None
        ]
        errors = [(name, each) for name, each in decided if each.usable is wrong]
        print(f"{title}: {len(errors)} of {len(decided)} that a person calls {opinion}")
        for name, each in errors if listed else ():
            print(f"  {name}: sample {each.sample} {each.fails_at} {each.evidence}".rstrip())


if __name__ == "__main__":
    main()

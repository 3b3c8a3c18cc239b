"""How often `overlay` makes a usable edit: the text right by OCR, the outside untouched; by operation and language.

python benchmarks/overlay.py --seed 202 --n 60 [--operations text_replace+text_delete] [--out FOLDER]

An edit is usable where every region's crop of the edited page, read by the embedded reader, has the outcome `done` of
the protocol `strict`, and at least 99.9 % of the pixels outside the suite's mask differ by no more than 8 grey levels
from the page before. `reference` is the same for the suite's reference images: what the reader allows at best.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.core.sample import Sample
from vdebench.editors.editor import EditTask
from vdebench.editors.overlay import OverlayEditor
from vdebench.io.cache import Cache, digest_of
from vdebench.io.images import open_image
from vdebench.pipeline.scoring.sample import EVERYWHERE
from vdebench.protocols.pages.region_texts import PageSides, RegionView
from vdebench.protocols.pages.strict import STRICT, raw_text, region_outcome
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.lines.line import Line
from vdebench.readers.predictions import crops
from vdebench.readers.rapid import RapidReader
from vdebench.suites.suite import Suite, load_suite

OPERATIONS = "text_replace+text_delete+text_insert+table_replace+table_insert+table_delete"
TOLERANCE, KEPT = 8, 0.999


class KeptLines:
    """Lines of pages, kept between runs: reading costs more than all the rest."""

    def __init__(self, threads: int) -> None:
        self.reader = RapidReader(threads=threads, tables=False)
        self.cache = Cache("lines", self.reader.identity)

    def lines(self, image: Image) -> Sequence[Line]:
        """Lines of a page."""
        key = digest_of(repr(image.shape), image.tobytes().hex())
        found = self.cache.get(key, lambda: [[*line.box, line.text, line.score] for line in self.reader.lines(image)])
        return [Line(Box(*box), text, score) for *box, text, score in found]


class Result(NamedTuple):
    """What became of a sample."""

    state: str
    """usable, or why not: refused, outside, or the outcome of a region."""
    reason: str = ""
    reference: bool = False
    seconds: float = 0.0


def judge(suite: Suite, sample: Sample, file: Path, reader: CachedReader) -> list[str]:
    """Outcome of each region of an image."""
    source, wanted = suite.source(sample), suite.ground_truth_regions(sample)
    assert source is not None
    assert source.size is not None
    assert wanted is not None
    read = [reader.read(crop) for crop in crops(ImageCrop.of(file), sample)]
    outcomes = []
    for region, truth, seen in zip(sample.regions, wanted, read, strict=True):
        box = region.box(source.size)
        before = [block for block in source.blocks if block.box.shared_area(box) > 0]
        how = {"size": truth.size, "matching": STRICT.matching, "join": raw_text}
        view = RegionView(sample, PageSides(truth.blocks, seen.blocks, before, **how), EVERYWHERE)
        outcomes.append(str(region_outcome(view)["outcome"]))
    return outcomes


def outside_kept(before: Image, after: Image, mask: Image) -> float:
    """Share of the pixels outside the mask that are as they were."""
    outside = mask == 0
    same = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2) <= TOLERANCE
    return float(same[outside].mean()) if outside.any() else 1.0


def run(suite: Suite, editor: OverlayEditor, reader: CachedReader, out: Path, references: bool) -> dict[str, Result]:
    """Edit and judge every sample."""
    results = {}
    for sample in suite.samples:
        files = suite.image_files(sample)
        assert files.source
        assert files.reference
        assert files.mask
        best = references and set(judge(suite, sample, files.reference, reader)) == {"done"}
        page = open_image(files.source)
        editor.reader.lines(page)  # kept from here on, so that reading is not timed
        start = time.perf_counter()
        edit = editor.edit(EditTask(page, sample.instruction))
        seconds = time.perf_counter() - start
        if edit.image is None:
            results[sample.key] = Result("refused", edit.reason, best, seconds)
            continue
        file = out / f"{sample.key.replace('/', '_')}.png"
        file.write_bytes(encode_png(edit.image))
        outcomes = set(judge(suite, sample, file, reader))
        kept = outside_kept(page, edit.image, open_image(files.mask)[..., 0])
        state = "usable" if outcomes == {"done"} else "+".join(sorted(outcomes))
        results[sample.key] = Result(state if kept >= KEPT else f"outside ({state})", f"{kept:.4f}", best, seconds)
        print(sample.key, sample.operation.value, sample.language, results[sample.key].state, f"{kept:.5f}", flush=True)
    return results


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, default=60)
    options.add_argument("--seed", type=int, default=202)
    options.add_argument("--languages", default="en+zh")
    options.add_argument("--operations", default=OPERATIONS)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--references", action="store_true", help="judge the reference images too")
    options.add_argument("--out", type=Path, help="keep the edited pages here")
    given = options.parse_args()
    order = f"typeset:n={given.n},seed={given.seed},languages={given.languages},operations={given.operations}"
    suite = load_suite(order)
    suite.prepare()
    lines = KeptLines(given.threads)
    editor = OverlayEditor(threads=given.threads)
    editor.reader = lines
    reader = CachedReader(RapidReader(threads=given.threads))
    with TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        results = run(suite, editor, reader, out, given.references)
    print(order)
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for sample in suite.samples:
        groups[sample.operation.value, str(sample.language)].append(results[sample.key])
    for (operation, language), rows in sorted(groups.items()):
        states = Counter(row.state for row in rows)
        best = f", reference {sum(row.reference for row in rows)}" if given.references else ""
        print(f"{operation:14} {language:20} usable {states['usable']}/{len(rows)}{best}  {dict(states)}")
    reasons = Counter(row.reason for row in results.values() if row.state == "refused")
    for reason, count in reasons.most_common():
        print(f"  refused {count}: {reason}")
    print(f"median {np.median([row.seconds for row in results.values()]):.2f} s an edit, pages read before not counted")


if __name__ == "__main__":
    main()

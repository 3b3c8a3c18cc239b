"""Share of typeset reference regions that the embedded reader reads exactly, by language, kind and operation.

python benchmarks/typeset_exact.py [--n 60] [--seeds 201 202 203] [--languages en+zh] [--degradation none] [--pages]
    [--failures]

The region of every edit is cut out of the reference image and read alone, as `local` scoring does.
  exact    the text read equals the region's ground truth, folded as in `strict`, white space ignored; a table needs the
           same rows, cells, spans and texts
  outcome  the protocol's outcome for the reference is `done` (`text_kept` if the edit changes no text): weaker, since up
           to 5 % of the text around the changed words may be wrong
  page     exact, by the OCR output of the whole page (with --pages: 7 s of processor time each)
Regions that contain a displayed formula are counted, and are exact only if its LaTeX folds to plain characters.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Sample
from vdebench.metrics.folding import folded
from vdebench.metrics.teds import Table
from vdebench.pipeline.scoring.sample import EVERYWHERE
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.comparison import compare
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.pages.region_outcome import same_text
from vdebench.protocols.pages.region_texts import PageSides, RegionView
from vdebench.protocols.pages.table_blocks import folded_cells, joined_tables
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.predictions import crops
from vdebench.suites.suite import Suite, load_suite

_PROTOCOL = get_protocol("strict")
assert isinstance(_PROTOCOL, PageProtocol)
STRICT: PageProtocol = _PROTOCOL
_SUCCESSES = ("done", "text_kept")


class RegionResult(NamedTuple):
    """How one region of a reference was read."""

    sample: Sample
    name: str
    exact: bool
    outcome: str
    page_exact: bool | None
    """None if whole pages are not read."""
    page_texts: tuple[str, str]
    """Text expected and read on the page."""
    expected: str
    read: str
    grids: tuple[Table, Table]
    """Tables of the ground truth and of the OCR output."""

    @property
    def cause(self) -> str:
        """Cause of an error in the crop."""
        return cause_of(self.expected, self.read)


def cause_of(expected: str, read: str) -> str:
    """Return a first guess at the cause of an error: the grid, the order, or the characters that differ."""
    expected, read = (_compact(folded(text)) for text in (expected, read))
    if expected == read:
        return "grid"
    if sorted(expected) == sorted(read):
        return "order"
    hunks = [
        f"{expected[op.src_start : op.src_end]}→{read[op.dest_start : op.dest_end]}"
        for op in Levenshtein.opcodes(expected, read)
        if op.tag != "equal"
    ]
    return " ".join(hunks[:6]) + (" …" if len(hunks) > 6 else "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=60, help="samples per seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[201, 202, 203])
    parser.add_argument("--languages", default="en+zh")
    parser.add_argument("--degradation", default="none")
    parser.add_argument("--pages", action="store_true", help="read whole pages too")
    parser.add_argument("--failures", action="store_true", help="list regions that are not exact")
    options = parser.parse_args()
    reader = CachedReader.named("rapidocr")
    results: list[RegionResult] = []
    for seed in options.seeds:
        recipe = f"n={options.n},seed={seed},languages={options.languages},degradation={options.degradation}"
        results += read_suite(load_suite(f"typeset:{recipe}"), str(seed), reader, options.pages)
    if options.failures:
        show_failures(results)
    show(results)


def read_suite(suite: Suite, name: str, reader: CachedReader, pages: bool) -> Iterator[RegionResult]:
    """Yield how each region of a suite's references is read."""
    for sample in suite.samples:
        file = suite.reference_image(sample)
        truths = suite.ground_truth_regions(sample)
        assert file is not None
        assert truths is not None
        image = ImageCrop.of(file)
        page = reader.read(image) if pages else None
        for index, (truth, crop) in enumerate(zip(truths, crops(image, sample), strict=True)):
            yield read_region(suite, sample, f"{name}/{sample.id}.{index}", truth, reader.read(crop), page, index)


def read_region(
    suite: Suite, sample: Sample, name: str, truth: PageText, read: PageText, page: PageText | None, index: int
) -> RegionResult:
    """Compare the OCR output of a region, and of the page if it is read, with the ground truth."""
    page_truth = suite.ground_truth(sample)
    size = page_truth.size
    assert size is not None
    box = sample.regions[index].box(size)
    source = suite.source(sample)
    # Without OCR output of the page its ground truth stands in: only the neighbours of a deletion are checked there.
    sides = _sides(page_truth, page or page_truth, source.blocks if source else None)
    view = RegionView(sample, _sides(truth, read, None), EVERYWHERE, page=sides, page_box=box, is_crop=True)
    rule = STRICT.region
    assert rule is not None
    texts = view.texts
    grids = folded_table(truth.blocks), folded_table(read.blocks)
    return RegionResult(
        sample,
        name,
        same_text(texts.read, texts.expected.text) and grids[0] == grids[1],
        str(rule(view)["outcome"]),
        None if page is None else page_is_exact(sides, page_truth, page, box),
        page_texts(sides, box),
        texts.expected.text,
        texts.read,
        grids,
    )


def page_is_exact(sides: PageSides, truth: PageText, page: PageText, box: Box) -> bool:
    """Whether the OCR output of the page has the region's text and, if it is in a table, the table."""
    texts = sides.region(box)
    tables = [folded_table([block]) for block in truth.blocks if block.html and block.box.shared_area(box) > 0]
    read = [folded_table([block]) for block in page.blocks if block.html]
    return same_text(texts.read, texts.expected.text) and all(table in read for table in tables)


def page_texts(sides: PageSides, box: Box) -> tuple[str, str]:
    """Return the region's text on the page: expected and read."""
    texts = sides.region(box)
    return texts.expected.text, texts.read


def folded_table(blocks: Sequence[Block]) -> Table:
    """Return the joined tables of blocks, texts folded and without white space."""
    table = folded_cells(joined_tables(blocks))
    return tuple(tuple(cell._replace(text=_compact(cell.text)) for cell in row) for row in table)


def _sides(truth: PageText, prediction: PageText, source: Sequence[Block] | None) -> PageSides:
    comparison = compare(truth, prediction, STRICT)
    assert STRICT.raw_text is not None
    return PageSides(
        comparison.truth,
        comparison.prediction,
        source,
        size=truth.size,
        matching=STRICT.matching,
        join=STRICT.raw_text,
        units=[score.unit for score in comparison.units],
    )


def _compact(text: str) -> str:
    return "".join(text.split())


def show(results: Sequence[RegionResult]) -> None:
    """Print the share of exactly read regions per language, by kind and by operation."""
    languages = sorted({result.sample.language for result in results})
    for language in languages:
        chosen = [result for result in results if result.sample.language == language]
        print(f"\n{language}\n  {'':22}{'regions':>8}{'exact':>8}{'outcome':>8}{'page':>8}")
        _show_row("all", chosen)
        for title, key in (("kind", lambda r: r.sample.source), ("operation", lambda r: r.sample.operation.value)):
            groups: dict[str, list[RegionResult]] = defaultdict(list)
            for result in chosen:
                groups[key(result)].append(result)
            print(f"  by {title}")
            for name, group in sorted(groups.items()):
                _show_row(name, group)


def _show_row(name: str, group: Sequence[RegionResult]) -> None:
    exact = sum(result.exact for result in group)
    good = sum(result.outcome in _SUCCESSES for result in group)
    pages = [result.page_exact for result in group if result.page_exact is not None]
    page = f"{sum(pages) / len(pages):8.3f}" if pages else ""
    print(f"  {name:22}{len(group):8}{exact / len(group):8.3f}{good / len(group):8.3f}{page}")


def show_failures(results: Sequence[RegionResult]) -> None:
    """Print the regions that are not exact, with both texts, and the frequency of causes."""
    failures = [result for result in results if not result.exact or result.page_exact is False]
    for result in failures:
        sample = result.sample
        where = "page only" if result.exact else "crop"
        print(f"\n{result.name} {sample.language} {sample.source} {sample.operation.value} {result.outcome} ({where})")
        if result.page_exact is False:
            expected, read = result.page_texts
            print(f"  page      {cause_of(expected, read)}\n  expected  {expected!r}\n  read      {read!r}")
        if result.exact:
            continue
        print(f"  cause     {result.cause}\n  expected  {result.expected!r}\n  read      {result.read!r}")
        if result.grids[0] != result.grids[1]:
            for title, table in zip(("grid", "read"), result.grids, strict=True):
                print(f"  {title}: " + " / ".join("|".join(_cell_text(cell) for cell in row) for row in table))
    print()
    for cause, count in Counter(result.cause for result in failures if not result.exact).most_common(20):
        print(f"{count:4} {cause}")


def _cell_text(cell: object) -> str:
    text, colspan, rowspan = cell  # type: ignore[misc]
    spans = "" if colspan == rowspan == 1 else f"[{colspan}×{rowspan}]"
    return f"{text}{spans}"


if __name__ == "__main__":
    main()

"""A blind sheet, in which people rank outputs, and the key with the editors of the outputs.

DIR/key.json            the key, not to be handed out
DIR/sheet/index.html    the page, self-contained except for the images
DIR/sheet/sheet.csv     the same as a form
DIR/sheet/pictures/     sources and outputs, encoded again: names and bytes do not identify editors
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.core.png import encode_png
from vdebench.core.sample import Sample
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.io.files import list_folder, write_bytes, write_json, write_text
from vdebench.io.images import open_image
from vdebench.parallel.local import usable_processors
from vdebench.pipeline.options import Progress
from vdebench.pipeline.scoring.mask_sample import union_of
from vdebench.report.output_folder import replacing_folder
from vdebench.report.site.gather import SuiteRuns
from vdebench.report.site.pictures import areas
from vdebench.report.web.assets import script_json, shared_text
from vdebench.studies.human.sheet import CRITERIA, Key, draw_samples, letter, make_key

SHEET = "sheet"
MARKER = "vdebench-sheet.json"
_TIME = 946684800  # start of 2000, which zip files can store
COLUMNS = ("annotator", "sample", "candidate", "criterion", "rank", "sheet")


class WrittenSheet(NamedTuple):
    """The files of a sheet, and its key."""

    page: Path
    key_file: Path
    key: Key


def write_sheet(
    runs: Path | Sequence[Path],
    out: Path,
    *,
    samples: int = 20,
    seed: int = 0,
    editors: Sequence[str] = (),
    criteria: Sequence[str] = CRITERIA,
    annotators: int = 3,
    progress: Progress | None = None,
) -> WrittenSheet:
    """Write a sheet of runs (see `write_report`) to the new folder `out`, atomically.

    Raises `RunFolderError` if the folder is not empty: answers to an old sheet need its key.
    """
    target = Path(os.path.realpath(out))
    if target.exists() and list_folder(target):
        raise RunFolderError(f"{out}: is not empty; choose a new folder: answers need the key of their sheet")
    suite_runs = SuiteRuns(runs)
    chosen = _chosen_editors(suite_runs, editors)
    selected = draw_samples(_rankable(suite_runs, chosen), samples, seed)
    with replacing_folder(target, MARKER, "sheet") as folder:
        pictures = _Pictures(folder / SHEET / "pictures", seed)
        pages = [_source(suite_runs, sample) for sample in selected]
        for sample, (source, _) in zip(selected, pages, strict=True):
            pictures.ask(sample.key, "", source)
            for editor in chosen:
                pictures.ask(sample.key, editor, suite_runs.image(editor, sample))
        pictures.make(progress or (lambda _, total: None))
        rankable = [
            (sample, regions)
            for sample, (_, regions) in zip(selected, pages, strict=True)
            if pictures.rankable(sample.key, chosen)
        ]
        selected = [sample for sample, _ in rankable]
        if not selected:
            raise _nothing(suite_runs, chosen)
        absent = {
            sample.key: {
                editor: _state(suite_runs, editor, sample)
                for editor in chosen
                if not pictures.there(sample.key, editor)
            }
            for sample in selected
        }
        suite = str(suite_runs.results[0].summary["suite"])
        key = make_key(suite, selected, chosen, absent, criteria=criteria, annotators=annotators, seed=seed)
        write_text(folder / SHEET / "index.html", _page(_data(key, rankable, pictures)))
        write_text(folder / SHEET / "sheet.csv", _csv(key))
        write_json(folder / "key.json", key.to_json())
        _same_times(folder / SHEET)
    return WrittenSheet(Path(out) / SHEET / "index.html", Path(out) / "key.json", key)


def _chosen_editors(runs: SuiteRuns, requested: Sequence[str]) -> list[str]:
    if unknown := [name for name in requested if name not in runs.editors]:
        raise InputError(f"{runs.root}: no scores of {unknown[0]!r}; there are: {', '.join(runs.editors)}")
    chosen = list(dict.fromkeys(requested)) or runs.editors
    if len(chosen) < 2:
        raise InputError(
            f"{runs.root}: {len(chosen)} editor; ranking needs two or more\n"
            "  pass the runs of others too, or a folder that contains them"
        )
    for editor in chosen:
        if lacking := runs.lacking(editor):
            raise InputError(
                f"{editor}: {lacking}; ranking needs images\n"
                f"  score it again with its images (`vde score SUITE IMAGES --ocr-output {editor}=DIR --out …`),\n"
                "  or leave it out by naming the others with --editor"
            )
    return chosen


def _rankable(runs: SuiteRuns, editors: Sequence[str]) -> list[Sample]:
    """Samples that no editor failed on, with at least two outputs."""
    keys = {sample.key for sample in runs.suite.samples}
    for result in runs.results:
        if result.editor in editors:
            rows = result.table("scores").select("sample", "state").collect()
            failed = rows.filter(pl.col("state") == "failed")["sample"]
            scored = rows.filter(pl.col("state").is_in(["scored", "missing"]))["sample"]
            keys &= set(scored) - set(failed)
    samples = [
        sample
        for sample in runs.suite.samples
        if sample.key in keys and sum(runs.image(editor, sample) is not None for editor in editors) > 1
    ]
    if not samples:
        raise _nothing(runs, editors)
    return samples


def _nothing(runs: SuiteRuns, editors: Sequence[str]) -> InputError:
    return InputError(
        f"{runs.root}: no sample with scores of every editor ({', '.join(editors)}) and two images to compare\n"
        "  run `vde run` again, or leave out an editor by naming the others with --editor"
    )


def _source(runs: SuiteRuns, sample: Sample) -> tuple[Path | None, list[list[float]]]:
    """The source page, and the regions to edit in percent of it."""
    regions = [[region.x, region.y, region.width, region.height] for region in sample.regions]
    try:
        source = runs.suite.image_files(sample).source
        masks = () if regions else runs.suite.mask_files(sample)
        if masks:
            regions = areas(union_of(masks, open_image(masks[0])))
    except VdeError:  # ambiguous or unreadable; reported by the run
        return None, regions
    return source, regions


def _state(runs: SuiteRuns, editor: str, sample: Sample) -> str:
    edit = runs.edits[editor].get(sample.key)
    return edit.state if edit and edit.state != "edited" else "missing"


class _Pictures:
    """Images by sample and editor, with anonymous names; the editor of a source is ""."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._seed = seed
        self._asked: dict[tuple[str, str], Path] = {}
        self._sizes: dict[tuple[str, str], list[int]] = {}

    def ask(self, sample: str, editor: str, file: Path | None) -> None:
        if file:
            self._asked[sample, editor] = file

    def name(self, sample: str, editor: str) -> str:
        content = f"{self._seed}\n{sample}\n{editor}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).hexdigest()[:16]

    def there(self, sample: str, editor: str) -> bool:
        return (sample, editor) in self._sizes

    def rankable(self, sample: str, editors: Sequence[str]) -> bool:
        """Whether two outputs or more could be read; if not, the sample's images are deleted."""
        enough = sum(self.there(sample, editor) for editor in editors) > 1
        for editor in () if enough else ("", *editors):
            (self._root / f"{self.name(sample, editor)}.png").unlink(missing_ok=True)
        return enough

    def shown(self, sample: str, editor: str) -> list[Any] | None:
        """File and size, or None."""
        size = self._sizes.get((sample, editor))
        return [f"pictures/{self.name(sample, editor)}.png", *size] if size else None

    def make(self, progress: Callable[[int, int], Any]) -> None:
        """Write all images, in the order of their names."""
        order = sorted(self._asked, key=lambda key: self.name(*key))
        with ThreadPoolExecutor(usable_processors()) as pool:
            for done, (key, size) in enumerate(zip(order, pool.map(self._make, order), strict=True)):
                if size:
                    self._sizes[key] = size
                progress(done + 1, len(order))

    def _make(self, key: tuple[str, str]) -> list[int] | None:
        try:
            image = open_image(self._asked[key])
        except VdeError:  # treated as missing
            return None
        write_bytes(self._root / f"{self.name(*key)}.png", encode_png(image))
        return [image.shape[1], image.shape[0]]


def _data(key: Key, samples: Sequence[tuple[Sample, list[list[float]]]], pictures: _Pictures) -> Mapping[str, Any]:
    """JSON data of the page."""
    listed = []
    for (sample, regions), key_sample in zip(samples, key.samples, strict=True):
        orders = {
            person: [pictures.shown(sample.key, editor) for editor in order]
            for person, order in key_sample.orders.items()
        }
        about = {"number": key_sample.number, "instruction": sample.instruction, "regions": regions}
        listed.append({**about, "source": pictures.shown(sample.key, ""), "candidates": orders})
    return {"sheet": key.sheet, "criteria": key.criteria, "annotators": key.annotators, "samples": listed}


def _page(data: Mapping[str, Any]) -> str:
    own = {name: files("vdebench.report.human").joinpath(f"assets/sheet.{name}") for name in ("html", "css", "js")}
    html, css, js = (file.read_text(encoding="utf-8") for file in own.values())
    page = html.replace("/*style*/", "".join(map(shared_text, ("style.css", "panes.css"))) + css)
    scripts = (*map(shared_text, ("elements.js", "panes.js")), f"const SHEET = {script_json(data)};", js)
    return page.replace("<!--scripts-->", "\n".join(f"<script>{script}</script>" for script in scripts))


def _csv(key: Key) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_lines(key))
    return out.getvalue()


def _lines(key: Key) -> Iterator[tuple[str, ...]]:
    """Yield a line for every output to be ranked, without missing ones."""
    for person in key.annotators:
        for sample in key.samples:
            for criterion in key.criteria:
                for position, editor in enumerate(sample.orders[person]):
                    if editor not in sample.absent:
                        yield person, sample.number, letter(position), criterion, "", key.sheet


def _same_times(folder: Path) -> None:
    """Set one modification time for all files, so that their order does not identify editors."""
    for file in folder.rglob("*.*"):
        os.utime(file, (_TIME, _TIME))

"""Corrupted pages as a folder of predictions, for any reader and any protocol."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import write_bytes, write_text
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.ladder import get_corruption
from vdebench.studies.validity.subject import CorruptionWorkspace, cached_typesetter, ladder_samples, typeset_suite
from vdebench.suites.names import REGIONS, names_of
from vdebench.suites.suite import Suite, load_suite
from vdebench.suites.vde import VdeSuite

EXACT_LAYOUT = "exact-layout"
"""Name of the "reader" that returns the typesetter's exact layout."""
IMAGES = "images"
READINGS = "readings"


class PartialSuite(VdeSuite):
    """Some samples of a suite, as a suite."""

    def __init__(self, suite: VdeSuite, keys: Collection[str]) -> None:
        super().__init__(suite.root, suite.name, suite.groups)
        self._keys = frozenset(keys)

    @cached_property
    def _selected(self) -> list[Sample]:
        return [sample for sample in self._loaded[0] if sample.key in self._keys]

    @property
    def samples(self) -> list[Sample]:
        """The selected samples."""
        return self._selected


def write_corrupted(
    suite: Suite | str, corruption: Corruption | str, level: int, folder: str | Path, *, seed: int = 0
) -> PartialSuite:
    """Write corrupted pages (`images/`) and their exact OCR output (`readings/`); return their samples as a suite.

    Level 0 is the reference. Score the result with one of

    - `score(part, folder / "readings", images=folder / "images")`: by the exact layout;
    - `score(part, folder / "images", reader="rapidocr")`: by a reader.
    """
    full_suite = typeset_suite(suite if isinstance(suite, Suite) else load_suite(suite))
    chosen = corruption if isinstance(corruption, Corruption) else get_corruption(corruption)
    if level not in chosen.depths:
        raise InputError(f"{chosen.name} has no level {level}; it has 0 to {len(chosen.levels)}")
    full_suite.prepare()
    root, keys = Path(folder), list[str]()
    for subject in ladder_samples(full_suite):
        if not chosen.applies(subject):
            continue
        name = names_of(subject.sample)[0]
        with CorruptionWorkspace(subject, cached_typesetter(full_suite.recipe.ppi), seed) as workspace:
            page = chosen.page(workspace, level)
        write_bytes(root / IMAGES / f"{name}.png", encode_png(page.image))
        _write(root / READINGS / f"{name}.json", page.reading)
        for k, crop in enumerate(page.regions):
            _write(root / READINGS / REGIONS / f"{name}_region_{k}.json", crop)
        keys.append(subject.sample.key)
    if not keys:
        raise InputError(f"{full_suite.name}: {chosen.name} applies to none of its samples; use more samples")
    return PartialSuite(full_suite, keys)


def _write(file: Path, reading: PageText) -> None:
    write_text(file, json.dumps(reading.to_json(), ensure_ascii=False) + "\n")

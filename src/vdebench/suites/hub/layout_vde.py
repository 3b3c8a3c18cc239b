"""Find the parts of VDE Bench in a folder: lists of entries, and the folders with the files they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vdebench.core.sample import Sample
from vdebench.suites.hub.errors import HubError
from vdebench.suites.names import REGIONS, candidates, names_of, stem
from vdebench.suites.suite import SuiteGroup
from vdebench.suites.vde_entries import read_entries

PUBLISHED = {
    "text": ("text_info_all.json", "text_info.json"),
    "table": ("merged_with_label_output.json", "table_info.json"),
}
"""Names of the lists of entries in the released scripts and papers."""
BEFORE = {"in", "input", "inputs", "source", "sources", "original", "before", "src"}
AFTER = {"out", "output", "outputs", "gt", "edited", "target", "targets", "after", "reference", "references"}
MASKS = {"mask", "masks"}

Stems = Mapping[str, set[str]]


def vde_groups(root: Path, lists: Mapping[str, list[Any]], readings: Stems, images: Stems) -> dict[str, dict[str, str]]:
    """Return the groups for `suite.toml`; empty if there is no list of entries."""
    infos: dict[str, list[str]] = {"text": [], "table": []}
    for path, data in lists.items():
        if "image_output" in data[0] and {"instruction", "image_input"} & data[0].keys():
            infos[_group_of(path, data)].append(path)
    groups = {}
    for group, paths in infos.items():
        if paths:
            info = _the_one(root, group, paths)
            samples = [sample for sample, _ in read_entries(SuiteGroup(group, root / info))]
            groups[group] = {"info": info, **_parts(group, samples, readings, images)}
    return groups


def _group_of(path: str, data: Sequence[Any]) -> str:
    name = Path(path).name
    for group, names in PUBLISHED.items():
        if name in names or (group in _words(name) and not _words(name) & (PUBLISHED.keys() - {group})):
            return group
    kinds = [str(entry.get("instruction type") or entry.get("edit_type")) for entry in data if isinstance(entry, dict)]
    return "table" if sum("table" in kind.lower() for kind in kinds) * 2 > len(kinds) else "text"


def _the_one(root: Path, group: str, paths: Sequence[str]) -> str:
    """Return the list of a group: the only one, or the first with a published name."""
    for name in PUBLISHED[group]:
        for path in paths:
            if Path(path).name == name:
                return path
    if len(paths) > 1:
        raise HubError(
            f"{root}: {' and '.join(paths[:3])} could all list the entries of the group {group}\n"
            "  write a suite.toml that names the right one: docs/formats.md"
        )
    return paths[0]


def _parts(group: str, samples: Sequence[Sample], readings: Stems, images: Stems) -> dict[str, str]:
    """Return the folders of a group's OCR output and images."""
    own = {names_of(sample)[0] for sample in samples}
    read_names = [candidates(sample, own) for sample in samples]
    after = [[stem(sample.reference_image)] for sample in samples]
    before = [[stem(sample.source_image)] for sample in samples]
    readings = {folder: stems for folder, stems in readings.items() if REGIONS not in Path(folder).parts}
    masks = {folder: stems for folder, stems in images.items() if _words(folder) & MASKS}
    images = {folder: stems for folder, stems in images.items() if folder not in masks}
    early = {folder: stems for folder, stems in readings.items() if _words(folder) & BEFORE - AFTER}
    parts = {
        "readings": _best(readings, read_names, group, AFTER, BEFORE),
        "source_readings": _best(early, read_names, group, BEFORE, AFTER),
        "images": _best(images, after, group, AFTER, BEFORE),
        "source_images": _best(images, before, group, BEFORE, AFTER),
        "masks": _best(masks, after, group, MASKS, set()),
    }
    if parts["readings"] == parts["source_readings"]:
        parts["source_readings"] = ""
    if parts["images"] == parts["source_images"] and before == after:  # one folder cannot be used for both
        is_early = _words(parts["images"]) & BEFORE - AFTER
        parts["images" if is_early else "source_images"] = ""
    return {kind: folder for kind, folder in parts.items() if folder}


def _best(folders: Stems, expected: Sequence[Sequence[str]], group: str, preferred: set[str], avoided: set[str]) -> str:
    """Return the folder with most of the files; among similar folders the name decides."""
    others = PUBLISHED.keys() - {group}

    def rank(folder: str) -> tuple[int, int, int]:
        words = _words(folder)
        hints = bool(words & preferred) - bool(words & avoided) + (group in words) - bool(words & others)
        return _count(folders[folder], expected) * 20 // max(len(expected), 1), hints, -len(folder)

    return max((folder for folder in folders if _count(folders[folder], expected)), key=rank, default="")


def _count(stems: set[str], expected: Iterable[Sequence[str]]) -> int:
    return sum(any(name in stems for name in names) for names in expected)


def _words(path: str) -> set[str]:
    """Return the words of a path.

    >>> sorted(_words("data/text_output_all"))
    ['all', 'data', 'output', 'text']
    """
    return set(re.split(r"[^a-z]+", path.lower())) - {""}

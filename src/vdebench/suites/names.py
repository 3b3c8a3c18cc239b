"""Find the files of samples by the naming rules of the release, without guessing.

For an image `page_12.png`, OCR output is named `page_12.json`, `page_12_0.json`, `page_12_res.json`,
`page_12_modified_0.json` or `page_12_merged_0_0.json`, optionally after the numeric id: `48234_page_12.json`. Two files
for one sample, or one file for two samples, are an error. A file with the exact name of another sample's image belongs
to that sample only: `page_1_0.json` does not belong to `page_1` if the suite has a `page_1_0.png`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal
from typing import Protocol as Interface

from vdebench.core.sample import Sample
from vdebench.errors import AmbiguousNameError
from vdebench.io.files import is_folder, list_folder
from vdebench.io.stores import place

ENDINGS = ("", "_0", "_res", "_modified_0", "_merged_0_0")
FILES = {"reading": (".json",), "image": (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp")}
REGIONS = "regions"
"""Subfolder for the OCR output of regions: `<name>_region_<k>.json`, k from 0."""


def stem(image: str) -> str:
    """Return the name of an image without folders and suffix, for both kinds of slashes.

    >>> stem("outputs\\\\page_12.v2.png")
    'page_12.v2'
    """
    name = re.split(r"[/\\]", image)[-1]
    return name.rpartition(".")[0] or name


def names_of(sample: Sample) -> list[str]:
    """Return the names that files of a sample may have: from its reference image, else its source image,
    else its id.
    """
    name = stem(sample.reference_image or sample.source_image) or sample.id
    if not sample.id.isdigit() or name == sample.id:
        return [name]
    prefix = f"{sample.id}_"
    return [name, prefix + name if not name.startswith(prefix) else name.removeprefix(prefix)]


class Outputs(Interface):
    """Interface of an editor's images by sample, for any layout."""

    root: Path
    kind: Literal["reading", "image"]

    def expected(self, sample: Sample) -> str:
        """Return the expected name of the sample's file, for messages."""

    def find(self, sample: Sample) -> Path | None:
        """Return the sample's image; None if there is none; raise `AmbiguousNameError` if it is not certain."""

    def has_any(self, sample: Sample) -> bool:
        """Whether any file matches the sample."""

    def unmatched_files(self, samples: Sequence[Sample]) -> list[Path]:
        """Return images that match no sample."""


class NamedFiles:
    """OCR output or images of samples in a folder, or in its subfolder named after the group."""

    def __init__(self, root: Path, samples: Sequence[Sample], kind: Literal["reading", "image"] = "reading") -> None:
        self.root = root = place(root)
        self.kind: Literal["reading", "image"] = kind
        names = list_folder(root)
        groups = {sample.group for sample in samples}
        self._folders = {group: root / group for group in groups if group in names and is_folder(root / group)}
        listed = {root: names, **{folder: list_folder(folder) for folder in self._folders.values()}}
        self.has_regions = any(REGIONS in names for names in listed.values())
        """Whether any folder contains OCR output of regions."""
        crops = [folder / REGIONS for folder, names in listed.items() if kind == "reading" and REGIONS in names]
        self._crops = {folder: set(list_folder(folder)) for folder in crops if is_folder(folder)}
        self._present = {folder: files_by_stem(names, FILES[kind]) for folder, names in listed.items()}
        self._own_names: dict[Path, set[str]] = {folder: set() for folder in self._present}
        for sample in samples:
            self._own_names[self.folder_of(sample)].add(names_of(sample)[0])
        claims = Counter((self.folder_of(sample), name) for sample in samples for name in self._names(sample))
        self._claimed_twice: dict[tuple[Path, str], list[str]] = {
            claim: [] for claim, count in claims.items() if count > 1
        }
        for sample in samples if self._claimed_twice else ():
            for name in self._names(sample):
                if (self.folder_of(sample), name) in self._claimed_twice:
                    self._claimed_twice[self.folder_of(sample), name].append(sample.key)

    def folder_of(self, sample: Sample) -> Path:
        """Return the folder that is searched for the sample's files."""
        return self._folders.get(sample.group, self.root)

    def _names(self, sample: Sample) -> list[str]:
        """Return the names of files that match the sample."""
        folder = self.folder_of(sample)
        present = self._present[folder]
        return [name for stem in candidates(sample, self._own_names[folder]) for name in present.get(stem, ())]

    def expected(self, sample: Sample) -> str:
        """Return the expected name of the sample's file, for messages."""
        name = names_of(sample)[0] + FILES[self.kind][0]
        return f"{sample.group}/{name}" if sample.group in self._folders else name

    def has_any(self, sample: Sample) -> bool:
        """Whether any file matches the sample."""
        return bool(self._names(sample))

    def find(self, sample: Sample) -> Path | None:
        """Return the sample's file; None if there is none; raise `AmbiguousNameError` if it is not certain."""
        folder, names = self.folder_of(sample), self._names(sample)
        if len(names) > 1:
            listed = " and ".join(str(folder / name) for name in names)
            raise AmbiguousNameError(f"sample {sample.key}: {listed} could both be its {self.kind}; keep one")
        if not names:
            return None
        owners = self._claimed_twice.get((folder, names[0]))
        if owners:
            raise AmbiguousNameError(
                f"{folder / names[0]}: could be the {self.kind} of {' and '.join(owners)}; name it after the reference "
                "image, or make one folder per group"
            )
        return folder / names[0]

    def regions(self, sample: Sample) -> list[Path] | None:
        """Return the OCR output files of the sample's regions; None if one is missing."""
        page = self.folder_of(sample) / REGIONS
        files = []
        for index in range(len(sample.regions)):
            possible = [f"{name}_region_{index}.json" for name in names_of(sample)]
            found = [page / name for name in possible if name in self._crops.get(page, ())]
            if len(found) > 1:
                raise AmbiguousNameError(f"sample {sample.key}: {found[0]} and {found[1]} could both be region {index}")
            files += found
        return files if files and len(files) == len(sample.regions) else None

    def unmatched_files(self, samples: Sequence[Sample]) -> list[Path]:
        """Return files of this kind that match no sample."""
        known = {(self.folder_of(sample), name) for sample in samples for name in self._names(sample)}
        return sorted(
            folder / name
            for folder, present in self._present.items()
            for names in present.values()
            for name in names
            if (folder, name) not in known and not name.startswith(".")
        )


def candidates(sample: Sample, own_names: set[str]) -> list[str]:
    """Return the stems that a sample's file may have, without those that are another sample's own name.

    >>> sample = Sample(id="7", group="text", reference_image="out/page_1.png")
    >>> candidates(sample, {"page_1", "page_1_0"})[:3]
    ['page_1', 'page_1_res', 'page_1_modified_0']
    """
    names = names_of(sample)
    possible = [name + ending for name in names for ending in ENDINGS]
    return [name for name in possible if name == names[0] or name not in own_names]


def image_of(folder: Path, name: str, present: Mapping[str, list[str]]) -> Path | None:
    """Return the image of a stem in a folder, in any format; raise `AmbiguousNameError` if there are two."""
    files = present.get(name, [])
    if len(files) > 1:
        raise AmbiguousNameError(f"{folder}: {' and '.join(files)} could both be the image {name}; keep one")
    return folder / files[0] if files else None


def images_by_stem(folder: Path) -> dict[str, list[str]]:
    """Return the image files of a folder by stem."""
    return files_by_stem(list_folder(folder), FILES["image"])


def files_by_stem(names: Iterable[str], endings: tuple[str, ...]) -> dict[str, list[str]]:
    """Group names with one of the suffixes by their stem.

    >>> files_by_stem(["p.v2.PNG", "p.v2.jpg", "p.json"], FILES["image"])
    {'p.v2': ['p.v2.PNG', 'p.v2.jpg']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        if name.lower().endswith(endings):
            found.setdefault(stem(name), []).append(name)
    return found

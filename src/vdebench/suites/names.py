"""Which file belongs to which sample, by the names the release uses, exactly and without guessing.

For an image `page_12.png` a reading is called `page_12.json`, `page_12_0.json`, `page_12_res.json`,
`page_12_modified_0.json` or `page_12_merged_0_0.json`, sometimes behind the sample's numeric id: `48234_page_12.json`.
Two such files for one sample are an error that names both; so is one file for two samples. A file that bears the very
name of another sample's image belongs to that sample alone: `page_1_0.json` is not `page_1`'s where a `page_1_0.png`
exists in the suite.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from vdebench.errors import AmbiguousNameError, InputError
from vdebench.files import list_folder
from vdebench.sample import Sample

ENDINGS = ("", "_0", "_res", "_modified_0", "_merged_0_0")
REGIONS = "regions"
"""Sub-folder for readings of the regions' crops: `<name>_region_<k>.json`, k from 0."""


def stem(image: str) -> str:
    """Name of an image without folders and ending, whatever the slashes.

    >>> stem("outputs\\\\page_12.v2.png")
    'page_12.v2'
    """
    name = re.split(r"[/\\]", image)[-1]
    return name.rpartition(".")[0] or name


def names_of(sample: Sample) -> list[str]:
    """Names under which files of a sample may stand: its reference image's, else its source image's, else its id."""
    name = stem(sample.reference_image or sample.source_image) or sample.id
    if not sample.id.isdigit() or name == sample.id:
        return [name]
    prefix = f"{sample.id}_"
    return [name, prefix + name if not name.startswith(prefix) else name.removeprefix(prefix)]


class NamedReadings:
    """The readings of some samples in a folder (or in its sub-folder of the group's name)."""

    def __init__(self, root: Path, samples: Iterable[Sample]) -> None:
        self.root = root
        self._folders: dict[Path, set[str]] = {}
        names = set(list_folder(root))
        self._found: dict[str, list[Path]] = {}
        owners: dict[Path, list[Sample]] = defaultdict(list)
        by_group: dict[str, list[Sample]] = defaultdict(list)
        for sample in samples:
            by_group[sample.group].append(sample)
        for group, members in by_group.items():
            folder = root / group if group in names and (root / group).is_dir() else root
            present = names if folder == root else set(list_folder(folder))
            self._folders[folder] = present
            own_names = {names_of(sample)[0] for sample in members}
            for sample in members:
                files = [folder / name for name in candidates(sample, own_names) if name in present]
                self._found[sample.key] = files
                for file in files:
                    owners[file].append(sample)
        self._shared = {file: samples for file, samples in owners.items() if len(samples) > 1}

    def find(self, sample: Sample) -> Path | None:
        """The sample's file, nothing where there is none, an error where that is not certain."""
        files = self._found.get(sample.key, [])
        if len(files) > 1:
            listed = " and ".join(str(file) for file in files)
            raise AmbiguousNameError(f"sample {sample.key}: {listed} could both be its reading; keep one")
        if not files:
            return None
        owners = self._shared.get(files[0])
        if owners:
            keys = " and ".join(owner.key for owner in owners)
            raise AmbiguousNameError(
                f"{files[0]}: could be the reading of {keys}; name it after the image, or make one folder per group"
            )
        return files[0]

    def find_any(self, sample: Sample) -> bool:
        """Whether any file could be the sample's."""
        return bool(self._found.get(sample.key))

    def regions(self, sample: Sample) -> list[Path] | None:
        """The readings of the sample's regions, nothing where one of them is missing."""
        page = self.folder_of(sample) / REGIONS
        files = []
        for index in range(len(sample.regions)):
            found = [file for name in names_of(sample) if (file := page / f"{name}_region_{index}.json").is_file()]
            if len(found) > 1:
                raise AmbiguousNameError(f"sample {sample.key}: {found[0]} and {found[1]} could both be region {index}")
            files += found
        return files if files and len(files) == len(sample.regions) else None

    def folder_of(self, sample: Sample) -> Path:
        """The folder in which the sample's files are looked for."""
        return self.root / sample.group if self.root / sample.group in self._folders else self.root

    @property
    def has_regions(self) -> bool:
        """Whether any folder holds readings of regions."""
        return any(REGIONS in present for present in self._folders.values())

    def strangers(self) -> list[Path]:
        """JSON files that belong to no sample."""
        known = {file for files in self._found.values() for file in files}
        present = (folder / name for folder, names in self._folders.items() for name in names if name.endswith(".json"))
        return sorted(file for file in present if file not in known)


def candidates(sample: Sample, own_names: set[str]) -> list[str]:
    """File names a sample's reading may have, without those that are another sample's own.

    >>> sample = Sample(id="7", group="text", reference_image="out/page_1.png")
    >>> candidates(sample, {"page_1", "page_1_0"})[:3]
    ['page_1.json', 'page_1_res.json', 'page_1_modified_0.json']
    """
    names = names_of(sample)
    possible = [name + ending for name in names for ending in ENDINGS]
    return [f"{name}.json" for name in possible if name == names[0] or name not in own_names]


def image_of(folder: Path, name: str, present: Mapping[str, list[str]]) -> Path | None:
    """The image of a given stem in a folder, whatever its format; two of them are an error."""
    files = present.get(name, [])
    if len(files) > 1:
        raise AmbiguousNameError(f"{folder}: {' and '.join(files)} could both be the image {name}; keep one")
    return folder / files[0] if files else None


def images_by_stem(folder: Path) -> dict[str, list[str]]:
    """Image files of a folder by stem."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in list_folder(folder):
        if name.lower().endswith((".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp")):
            found[stem(name)].append(name)
    return found


def image_size(path: Path) -> tuple[int, int]:
    """Width and height from an image file's header."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            return image.size
    except UnidentifiedImageError:
        raise InputError(f"{path}: not an image we can read") from None
    except (OSError, Image.DecompressionBombError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None

"""An editor's images of TextEditBench: `<split>/<Topic>/<NNN>_edited.png`, or named by the sample's key.

A split may have any of its folder names, a topic the suite's spelling or the correct one; `019.png` in the topic's
folder and `manual__Packaging_Logistics__019.png` are accepted too. The split is always part of the name, so that an
image of the web split is never used for the same number of the manual split.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from vdebench.core.sample import Sample
from vdebench.errors import AmbiguousNameError
from vdebench.io.files import is_folder, list_folder
from vdebench.io.stores import at_once, place
from vdebench.suites.names import FILES, files_by_stem
from vdebench.suites.textedit_vocabulary import SPLITS, folder_name

_DEPTH = 3
"""Depth of folders that are searched for images; the paper's layout has depth 2."""


class TextEditOutputs:
    """Images of samples in a folder."""

    kind: Literal["reading", "image"] = "image"

    def __init__(self, root: Path, samples: Sequence[Sample]) -> None:
        self.root = root = place(root)
        folders: dict[tuple[str, str], set[str]] = {}
        for sample in samples:
            folders.setdefault((sample.group, sample.source), set()).add(_topic_folder(sample))
        self._shared = {place for place, names in folders.items() if len(names) > 1}
        """Topics with two folders in one split, which only their exact spelling distinguishes."""
        with at_once(root):
            listed = _listed(root, Path(), _DEPTH)
        self._present = {folder: files_by_stem(names, FILES["image"]) for folder, names in listed.items()}

    def _files(self, sample: Sample) -> list[Path]:
        """Return the files that match the sample, relative to the root."""
        number = sample.id.rpartition("/")[2]
        topics = {_topic_folder(sample)}
        if (sample.group, sample.source) not in self._shared:
            topics |= {sample.source, folder_name(sample.source)}
        places = [(Path(), sample.key.replace("/", "__"))]
        for split in SPLITS[sample.group]:
            for topic in sorted(topics):
                places += [(Path(split, topic), f"{number}_edited"), (Path(split, topic), number)]
        return [folder / name for folder, stem in places for name in self._present.get(folder, {}).get(stem, ())]

    def expected(self, sample: Sample) -> str:
        """Return the expected name of the sample's image, for messages."""
        return f"{sample.key}_edited.png"

    def has_any(self, sample: Sample) -> bool:
        """Whether any file matches the sample."""
        return bool(self._files(sample))

    def find(self, sample: Sample) -> Path | None:
        """Return the sample's image; None if there is none; raise `AmbiguousNameError` if there are two."""
        files = self._files(sample)
        if len(files) > 1:
            listed = " and ".join(str(self.root / file) for file in files)
            raise AmbiguousNameError(f"sample {sample.key}: {listed} could both be its image; keep one")
        return self.root / files[0] if files else None

    def unmatched_files(self, samples: Sequence[Sample]) -> list[Path]:
        """Return images that match no sample."""
        known = {file for sample in samples for file in self._files(sample)}
        return sorted(
            self.root / folder / name
            for folder, present in self._present.items()
            for names in present.values()
            for name in names
            if folder / name not in known
        )


def _topic_folder(sample: Sample) -> str:
    return sample.id.partition("/")[0]


def _listed(root: Path, folder: Path, depth: int) -> dict[Path, list[str]]:
    """Return the names in the root and in folders below it, by folder."""
    names = [name for name in list_folder(root / folder) if not name.startswith(".")]
    found = {folder: names}
    for name in names if depth else ():
        if not name.lower().endswith(FILES["image"]) and is_folder(root / folder / name):
            found |= _listed(root, folder / name, depth - 1)
    return found

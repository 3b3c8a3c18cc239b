"""An editor's images of TextEditBench: `<split>/<Topic>/<NNN>_edited.png`, or by the sample's key.

A split counts under any name its folder has had, a topic under the suite's spelling and the right one; `019.png` in the
topic's folder will do, and so will `manual__Packaging_Logistics__019.png`. The split is always part of the name: an
image of the web split never stands for the sample of the same number in the manual one.
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
"""Folders below the root in which images are looked for; they are two deep in the paper's layout."""


class TextEditOutputs:
    """Images of some samples in a folder."""

    kind: Literal["reading", "image"] = "image"

    def __init__(self, root: Path, samples: Sequence[Sample]) -> None:
        self.root = root = place(root)
        folders: dict[tuple[str, str], set[str]] = {}
        for sample in samples:
            folders.setdefault((sample.group, sample.source), set()).add(_topic_folder(sample))
        self._shared = {place for place, names in folders.items() if len(names) > 1}
        """Topics with two folders in one split: there only a folder's own spelling tells them apart."""
        with at_once(root):
            listed = _listed(root, Path(), _DEPTH)
        self._present = {folder: files_by_stem(names, FILES["image"]) for folder, names in listed.items()}

    def _files(self, sample: Sample) -> list[Path]:
        """Files that could be the sample's, relative to the root."""
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
        """The name that the sample's image should have, for messages."""
        return f"{sample.key}_edited.png"

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the sample's."""
        return bool(self._files(sample))

    def find(self, sample: Sample) -> Path | None:
        """The sample's image, nothing where there is none, an error where there are two."""
        files = self._files(sample)
        if len(files) > 1:
            listed = " and ".join(str(self.root / file) for file in files)
            raise AmbiguousNameError(f"sample {sample.key}: {listed} could both be its image; keep one")
        return self.root / files[0] if files else None

    def strangers(self, samples: Sequence[Sample]) -> list[Path]:
        """Images that belong to none of the samples."""
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
    """Names in the root and in the folders below it."""
    names = [name for name in list_folder(root / folder) if not name.startswith(".")]
    found = {folder: names}
    for name in names if depth else ():
        if not name.lower().endswith(FILES["image"]) and is_folder(root / folder / name):
            found |= _listed(root, folder / name, depth - 1)
    return found

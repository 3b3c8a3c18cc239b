"""TextEditBench as published: `<split>/<Topic>/<NNN>/`, six operations on text in images, 1,196 samples.

Numbers and ids repeat between splits and topics; the key of a sample is its path, `manual/Packaging_Logistics/019`.
There is no ground-truth text: outputs are compared with the reference, or the input, outside the masks.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image as Pictures

from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import SuiteError, VdeError
from vdebench.io.files import fetched, is_folder, list_folder, read_bytes
from vdebench.io.images import image_size, open_image
from vdebench.io.stores import address, at_once, is_url, place
from vdebench.suites.names import FILES
from vdebench.suites.suite import Fault, ImageFiles, Suite, SuiteGroup
from vdebench.suites.textedit_outputs import TextEditOutputs
from vdebench.suites.textedit_record import RecordReader, TextEditRecord
from vdebench.suites.textedit_vocabulary import SPLITS, split_named, topic_named

SYNTAX = "textedit:DIR"
WHITE = 128
"""Pixels of a mask from this value on may change."""


class _Loaded(NamedTuple):
    records: dict[str, TextEditRecord]
    faults: list[Fault]


class TextEditSuite(Suite):
    """The samples below a folder that contains one or both splits."""

    track = "pixels"

    def __init__(self, root: Path) -> None:
        super().__init__(root, "textedit", _splits(root))
        self.origin = f"textedit:{address(root)}"

    @cached_property
    def _loaded(self) -> _Loaded:
        with at_once(self.root, fetched=True):
            return self._load()

    def _load(self) -> _Loaded:
        loaded = _Loaded({}, [])
        for group in self.groups:
            for topic_folder in _folders(group.info):
                topic, fault = _topic(topic_folder)
                if fault:
                    where = str(topic_folder.relative_to(self.root))
                    loaded.faults.append(Fault("warning", "", where, fault))
                self._load_topic(loaded, group.name, topic_folder, topic)
        return loaded

    def _load_topic(self, loaded: _Loaded, group: str, topic_folder: Path, topic: str) -> None:
        """Read the samples of a topic. Folders inside a sample's folder are samples too: the release has
        one such case.
        """
        seen: dict[str, Path] = {}
        ids: dict[str, str] = {}
        folders = _sample_folders(topic_folder)
        if not folders:
            where = str(topic_folder.relative_to(self.root))
            loaded.faults.append(Fault("warning", "", where, "contains no sample folders"))
        for folder in folders:
            identity = f"{topic_folder.name}/{folder.name}"
            inside = str(folder.relative_to(topic_folder))
            if folder.name in seen:
                first = seen[folder.name].relative_to(topic_folder)
                what = f"folders {first} and {inside} have the same name; the second is left out"
                loaded.faults.append(Fault("error", f"{group}/{topic_folder.name}/{inside}", "", what))
                continue
            seen[folder.name] = folder
            reader = RecordReader(folder, group, identity, topic)
            record = reader.read()
            loaded.faults.extend(reader.faults)
            if folder.parent != topic_folder:
                what = f"is inside another sample's folder ({inside})"
                loaded.faults.append(Fault("warning", f"{group}/{identity}", "", what))
            if record is None:
                continue
            loaded.records[record.sample.key] = record
            stated = str(record.sample.extra["id"]).strip()
            if stated and stated in ids:
                what = f"id {stated!r} is also that of {ids[stated]}"
                loaded.faults.append(Fault("warning", record.sample.key, "", what))
            ids.setdefault(stated, record.sample.key)

    @property
    def samples(self) -> list[Sample]:
        """All usable samples, split by split, in the order of their folders."""
        return [record.sample for record in self._loaded.records.values()]

    @property
    def left_out(self) -> dict[str, str]:
        """Folders that are not usable as samples, with the reason."""
        errors = [fault for fault in self._loaded.faults if fault.severity == "error"]
        return {fault.sample: fault.what for fault in errors if fault.sample not in self._loaded.records}

    def ground_truth(self, sample: Sample) -> PageText:
        """Raise `SuiteError`: the suite has no ground-truth text."""
        raise SuiteError(
            f"suite textedit: sample {sample.key}: TextEditBench has no ground-truth text\n"
            "  score its pixels (protocols textedit, textedit-release, strict), or run OCR on its references"
        )

    def provides_text(self, sample: Sample) -> bool:
        """Return False: OCR of its images is allowed."""
        return False

    def image_files(self, sample: Sample) -> ImageFiles:
        """Return input and reference; for the masks see `mask_files`."""
        record = self._loaded.records[sample.key]
        return ImageFiles(record.source, record.reference)

    def mask_files(self, sample: Sample) -> tuple[Path, ...]:
        """Return all readable masks."""
        return self._loaded.records[sample.key].masks

    def image_size(self, sample: Sample) -> Size | None:
        """Return the size of the reference, else of the input."""
        record = self._loaded.records[sample.key]
        return image_size(record.reference or record.source)

    def output_name(self, sample: Sample) -> str:
        """Return the paper's name of an output below our name of the split: `manual/Packaging_Logistics/019_edited`."""
        return f"{sample.key}_edited"

    def outputs(self, root: Path) -> TextEditOutputs:
        """Return an editor's images, in the paper's layout or named by sample keys."""
        return TextEditOutputs(root, self.samples)

    def digest(self, sample: Sample) -> str:
        """Return a hash of the sample's data and image bytes."""
        record = self._loaded.records[sample.key]
        fields = [sample.key, sample.instruction, sample.operation.value, sample.source, dict(sample.extra)]
        parts = [json.dumps(fields, sort_keys=True).encode("utf-8", "surrogatepass")]
        for kind, file in enumerate((record.source, record.reference, *record.masks)):
            try:
                content = hashlib.sha256(read_bytes(file)).hexdigest() if file else ""
            except VdeError:
                content = "unreadable"
            parts.append(f"{min(kind, 2)} {content}".encode())
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of folders and JSON files, then of pixels."""
        yield from self._loaded.faults
        for key, record in self._loaded.records.items():
            for file in record.images:
                if what := _pixel_fault(file, is_mask=file in record.masks):
                    yield Fault("error" if file not in record.masks else "warning", key, file.name, what)


def textedit_suite(specification: str) -> TextEditSuite:
    """Return the suite of a specification `textedit:DIR`."""
    path = specification.partition(":")[2].strip()
    if not path:
        raise SuiteError(f"{specification}: no folder given, expected {SYNTAX} with TextEditBench's folder")
    try:
        return TextEditSuite(place(path) if is_url(path) else Path(path).expanduser())
    except RuntimeError:
        raise SuiteError(f"{specification}: there is no such home folder") from None


def _splits(root: Path) -> list[SuiteGroup]:
    """Return the splits in the folder."""
    folders: dict[str, Path] = {}
    for folder in _folders(root):
        split = split_named(folder.name)
        if split is not None and split in folders:
            raise SuiteError(f"{root}: {folders[split].name} and {folder.name} are both the {split} split; keep one")
        if split is not None:
            folders[split] = folder
    if not folders:
        present = ", ".join(folder.name for folder in _folders(root)[:3]) or "no folder"
        known = " or ".join(names[0] for names in SPLITS.values())
        raise SuiteError(
            f"{root}: no split of TextEditBench here: found {present}\n"
            f"  expected {known} (or canva and real, their former names); pass the folder that contains them"
        )
    return [SuiteGroup(split, folders[split]) for split in SPLITS if split in folders]


def _topic(folder: Path) -> tuple[str, str]:
    """Return the topic of a folder, and what is wrong with the folder's name."""
    topic = topic_named(folder.name)
    if topic is None:
        return folder.name, "is not one of the fourteen topics; kept as it is"
    return topic.meaning, "" if topic.is_right else f"topic is misspelt, taken as {topic.meaning!r}"


def _sample_folders(folder: Path) -> list[Path]:
    """Return folders below a topic that contain files, nested ones last."""
    folders: list[Path] = []
    inner: list[Path] = []
    for child in _folders(folder):
        below = _sample_folders(child)
        names = [name for name in list_folder(child) if name.lower().endswith((".json", *FILES["image"]))]
        if names or not below:
            folders.append(child)
        inner += below
    return folders + inner


def _folders(path: Path) -> list[Path]:
    return [path / name for name in list_folder(path) if not name.startswith((".", "__")) and is_folder(path / name)]


def _pixel_fault(file: Path, *, is_mask: bool) -> str:
    """Return what is wrong with the pixels: unreadable, or a mask that allows no change or any change."""
    try:
        with warnings.catch_warnings(), Pictures.open(fetched(file)) as picture:
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # checked by `image_size`
            picture.draft("L", (128, 128))  # decoding at an eighth of the size is ten times faster
            values = np.asarray(picture.convert("L"))
        if not is_mask or (values.max() >= WHITE > values.min()):
            return ""
        values = open_image(file)  # thin lines may have been averaged away
    except (VdeError, OSError, SyntaxError, ValueError, EOFError) as error:
        return f"cannot be read: {error}"
    if values.max() < WHITE:
        return "mask is black: no pixel may change"
    return "mask is white: every pixel may change" if values.min() >= WHITE else ""

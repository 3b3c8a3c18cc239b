"""TextEditBench as it was published: `<split>/<Topic>/<NNN>/`, six operations on text in pictures, 1,196 samples.

Numbers and ids repeat between splits and topics; a sample's key is `manual/Packaging_Logistics/019`, of its folders.
There are no readings: outputs are held against the reference, or the input, outside the masks.
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
"""From here on a mask's value means: may change."""


class _Loaded(NamedTuple):
    records: dict[str, TextEditRecord]
    faults: list[Fault]


class TextEditSuite(Suite):
    """The samples below a folder that holds one or both splits."""

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
        """Read a topic's samples. Folders inside a sample's folder are samples too: the release has one such."""
        seen: dict[str, Path] = {}
        ids: dict[str, str] = {}
        folders = _sample_folders(topic_folder)
        if not folders:
            where = str(topic_folder.relative_to(self.root))
            loaded.faults.append(Fault("warning", "", where, "holds no folders of samples"))
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
                what = f"stands inside another sample's folder ({inside})"
                loaded.faults.append(Fault("warning", f"{group}/{identity}", "", what))
            if record is None:
                continue
            loaded.records[record.sample.key] = record
            told = str(record.sample.extra["id"]).strip()
            if told and told in ids:
                what = f"id {told!r} is also that of {ids[told]}"
                loaded.faults.append(Fault("warning", record.sample.key, "", what))
            ids.setdefault(told, record.sample.key)

    @property
    def samples(self) -> list[Sample]:
        """All samples that can be used, split after split, in the order of their folders."""
        return [record.sample for record in self._loaded.records.values()]

    @property
    def left_out(self) -> dict[str, str]:
        """Folders that are no sample, and why."""
        errors = [fault for fault in self._loaded.faults if fault.severity == "error"]
        return {fault.sample: fault.what for fault in errors if fault.sample not in self._loaded.records}

    def truth(self, sample: Sample) -> PageText:
        """Never: the suite has no readings."""
        raise SuiteError(
            f"suite textedit: sample {sample.key}: TextEditBench has no readings of its pages\n"
            "  score it in pixels (protocols textedit, textedit-release, strict), or let a reader read its references"
        )

    def means_to_read(self, sample: Sample) -> bool:
        """Never: a reader may read its images."""
        return False

    def image_files(self, sample: Sample) -> ImageFiles:
        """The input and the reference; of masks there are several: see `mask_files`."""
        record = self._loaded.records[sample.key]
        return ImageFiles(record.source, record.reference)

    def mask_files(self, sample: Sample) -> tuple[Path, ...]:
        """All masks that can be read."""
        return self._loaded.records[sample.key].masks

    def image_size(self, sample: Sample) -> Size | None:
        """Size of what outputs are compared with: the reference, else the input."""
        record = self._loaded.records[sample.key]
        return image_size(record.reference or record.source)

    def output_name(self, sample: Sample) -> str:
        """As the paper names outputs, under our name of the split: `manual/Packaging_Logistics/019_edited`."""
        return f"{sample.key}_edited"

    def outputs(self, root: Path) -> TextEditOutputs:
        """An editor's images, in the paper's layout or by the samples' keys."""
        return TextEditOutputs(root, self.samples)

    def digest(self, sample: Sample) -> str:
        """Hash of all that is known of the sample and of its images' bytes."""
        record = self._loaded.records[sample.key]
        told = [sample.key, sample.instruction, sample.operation.value, sample.source, dict(sample.extra)]
        parts = [json.dumps(told, sort_keys=True).encode("utf-8", "surrogatepass")]
        for kind, file in enumerate((record.source, record.reference, *record.masks)):
            try:
                content = hashlib.sha256(read_bytes(file)).hexdigest() if file else ""
            except VdeError:
                content = "unreadable"
            parts.append(f"{min(kind, 2)} {content}".encode())
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def faults(self) -> Iterator[Fault]:
        """Faults of folders and of what they say, then of the images' pixels."""
        yield from self._loaded.faults
        for key, record in self._loaded.records.items():
            for file in record.images:
                if what := _pixel_fault(file, is_mask=file in record.masks):
                    yield Fault("error" if file not in record.masks else "warning", key, file.name, what)


def textedit_suite(order: str) -> TextEditSuite:
    """The suite of an order `textedit:DIR`."""
    given = order.partition(":")[2].strip()
    if not given:
        raise SuiteError(f"{order}: no folder given, expected {SYNTAX} with TextEditBench's folder")
    try:
        return TextEditSuite(place(given) if is_url(given) else Path(given).expanduser())
    except RuntimeError:
        raise SuiteError(f"{order}: there is no such home folder") from None


def _splits(root: Path) -> list[SuiteGroup]:
    """The splits that are there, in our order."""
    found: dict[str, Path] = {}
    for folder in _folders(root):
        split = split_named(folder.name)
        if split is not None and split in found:
            raise SuiteError(f"{root}: {found[split].name} and {folder.name} are both the {split} split; keep one")
        if split is not None:
            found[split] = folder
    if not found:
        there = ", ".join(folder.name for folder in _folders(root)[:3]) or "no folder"
        known = " or ".join(names[0] for names in SPLITS.values())
        raise SuiteError(
            f"{root}: no split of TextEditBench here: found {there}\n"
            f"  expected {known} (or canva and real, as they were called); give the folder that holds them"
        )
    return [SuiteGroup(split, found[split]) for split in SPLITS if split in found]


def _topic(folder: Path) -> tuple[str, str]:
    """The topic that a folder holds, and what is wrong with its name."""
    topic = topic_named(folder.name)
    if topic is None:
        return folder.name, "is none of the fourteen topics; kept as it is"
    return topic.meaning, "" if topic.is_right else f"topic is misspelt, taken as {topic.meaning!r}"


def _sample_folders(folder: Path) -> list[Path]:
    """Folders below a topic's that hold files: a sample's, also inside another's. Outer ones come first."""
    found: list[Path] = []
    inner: list[Path] = []
    for child in _folders(folder):
        below = _sample_folders(child)
        names = [name for name in list_folder(child) if name.lower().endswith((".json", *FILES["image"]))]
        if names or not below:
            found.append(child)
        inner += below
    return found + inner


def _folders(path: Path) -> list[Path]:
    return [path / name for name in list_folder(path) if not name.startswith((".", "__")) and is_folder(path / name)]


def _pixel_fault(file: Path, *, is_mask: bool) -> str:
    """What is wrong with an image's pixels: that there are none, or that a mask allows nothing or everything."""
    try:
        with warnings.catch_warnings(), Pictures.open(fetched(file)) as picture:
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # `image_size` has let it pass
            picture.draft("L", (128, 128))  # an eighth of the size costs a tenth of the time
            values = np.asarray(picture.convert("L"))
        if not is_mask or (values.max() >= WHITE > values.min()):
            return ""
        values = open_image(file)  # a line thinner than eight pixels may have been averaged away
    except (VdeError, OSError, SyntaxError, ValueError, EOFError) as error:
        return f"cannot be read: {error}"
    if values.max() < WHITE:
        return "mask is black: it lets nothing change"
    return "mask is white: it lets everything change" if values.min() >= WHITE else ""

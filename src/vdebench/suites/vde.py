"""The VDE Bench release: per group a JSON list of entries, a folder of readings, perhaps one of images."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from vdebench.core.box import Size
from vdebench.core.page_text import PageText, as_numbers, as_size
from vdebench.core.sample import LANGUAGES, SOURCES, Operation, Region, Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import parse_json, read_bytes, read_json
from vdebench.io.images import image_size
from vdebench.suites.names import ENDINGS, NamedFiles, image_of, images_by_stem, names_of, stem
from vdebench.suites.suite import Fault, ImageFiles, Suite, SuiteGroup

_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_OWN = {
    "id",
    "image_input",
    "image_output",
    "instruction",
    "instruction type",
    "edit_type",
    "language",
    "data_source",
    "label_output",
}


class VdeSuite(Suite):
    """Samples of the release layout."""

    @cached_property
    def _loaded(self) -> tuple[list[Sample], list[Fault]]:
        samples: list[Sample] = []
        faults: list[Fault] = []
        for group in self.groups:
            for sample, found in read_entries(group):
                samples.append(sample)
                faults += found
        return samples, faults

    @property
    def samples(self) -> list[Sample]:
        """All samples, group after group."""
        return self._loaded[0]

    @cached_property
    def _readings(self) -> dict[str, NamedFiles]:
        return self._named("readings")

    @cached_property
    def _source_readings(self) -> dict[str, NamedFiles]:
        return self._named("source_readings")

    def _named(self, kind: str) -> dict[str, NamedFiles]:
        folders = {group.name: getattr(group, kind) for group in self.groups}
        return {
            name: NamedFiles(folder, [sample for sample in self.samples if sample.group == name])
            for name, folder in folders.items()
            if folder is not None
        }

    def truth_file(self, sample: Sample) -> Path:
        """File of the ground-truth reading, or an error that says which names were looked for."""
        named = self._readings.get(sample.group)
        found = named.find(sample) if named else None
        if found is None:
            where = f" in {named.root}" if named else f": [groups.{sample.group}] has no 'readings' in suite.toml"
            tried = ", ".join(f"{names_of(sample)[0]}{ending}.json" for ending in ENDINGS)
            raise InputError(
                f"sample {sample.key}: no reading for {sample.reference_image or 'its image'}\n"
                f"  looked for {tried}{where}\n"
                "  put it there, or mend `readings` in suite.toml"
            )
        return found

    def means_to_read(self, sample: Sample) -> bool:
        """Whether the sample's group names a folder of readings."""
        return sample.group in self._readings

    def truth(self, sample: Sample) -> PageText:
        """What the edited page should read."""
        file = self.truth_file(sample)
        return PageText.from_json(read_json(file), str(file))

    def source(self, sample: Sample) -> PageText | None:
        """What the page read before the edit, where the suite has it."""
        named = self._source_readings.get(sample.group)
        file = named.find(sample) if named else None
        return PageText.from_json(read_json(file), str(file)) if file else None

    def truth_regions(self, sample: Sample) -> list[PageText] | None:
        """What each region's crop should read, where the suite has it."""
        named = self._readings.get(sample.group)
        files = named.regions(sample) if named else None
        return None if files is None else [PageText.from_json(read_json(file), str(file)) for file in files]

    @property
    def has_region_readings(self) -> bool:
        """Whether ground truth for crops exists at all."""
        return any(named.has_regions for named in self._readings.values())

    def has_regions_of(self, sample: Sample) -> bool:
        """Whether the ground truth of all the sample's crops exists."""
        named = self._readings.get(sample.group)
        return named is not None and named.regions(sample) is not None

    def digest(self, sample: Sample) -> str:
        """Hash of the entry and of the readings that belong to it."""
        parts = [json.dumps(entry_of(sample), sort_keys=True, default=str).encode()]
        for named in (self._readings.get(sample.group), self._source_readings.get(sample.group)):
            try:
                files = [named.find(sample), *(named.regions(sample) or [])] if named else []
                parts += [read_bytes(file) if file else b"" for file in files]
            except VdeError as error:
                parts.append(type(error).__name__.encode())  # its words say where the suite lies
        return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    def digested(self) -> Iterator[Path]:
        """Their readings, and those of their regions."""
        for named in (self._readings, self._source_readings):
            for sample in self.samples if named else ():
                with suppress(VdeError):  # it is not certain which file is the sample's
                    files = named.get(sample.group)
                    yield from filter(None, [files.find(sample), *(files.regions(sample) or [])] if files else [])

    def image_size(self, sample: Sample) -> Size | None:
        """Size of the reference image, where the suite has it."""
        file = self._image(sample)
        return image_size(file) if file else None

    @cached_property
    def _images(self) -> dict[Path, dict[str, list[str]]]:
        folders = {folder for group in self.groups for folder in (group.images, group.source_images, group.masks)}
        return {folder: images_by_stem(folder) for folder in folders if folder is not None}

    def _image_in(self, kind: str, sample: Sample, name: str) -> Path | None:
        folder = next((getattr(group, kind) for group in self.groups if group.name == sample.group), None)
        return None if folder is None else image_of(folder, stem(name), self._images[folder])

    def _image(self, sample: Sample) -> Path | None:
        return self._image_in("images", sample, sample.reference_image)

    def image_files(self, sample: Sample) -> ImageFiles:
        """Where the sample's images are: found by name in the group's folders."""
        return ImageFiles(
            self._image_in("source_images", sample, sample.source_image),
            self._image(sample),
            self._image_in("masks", sample, sample.reference_image),
        )

    def faults(self) -> Iterator[Fault]:
        """Faults of entries, of readings, of images, in that order for each sample."""
        yield from self._loaded[1]
        yield from _duplicates(self.samples)
        for sample in self.samples:
            yield from self._reading_faults(sample)
            yield from self._further_reading_faults(sample)
            yield from self._image_faults(sample)
        for group, named in self._readings.items():
            for stranger in named.strangers([sample for sample in self.samples if sample.group == group]):
                yield Fault("warning", "", str(stranger), "belongs to no sample")

    def _reading_faults(self, sample: Sample) -> Iterator[Fault]:
        try:
            file = self.truth_file(sample)
            reading = PageText.from_json(read_json(file), str(file))
        except VdeError as error:
            where = self._readings[sample.group].root if sample.group in self._readings else self.root / "suite.toml"
            yield Fault("error", sample.key, str(where), str(error).removeprefix(f"sample {sample.key}: "))
        else:
            yield from reading_faults(sample.key, str(file), reading, self._known_size(sample))

    def _known_size(self, sample: Sample) -> Size | None:
        try:
            return self.image_size(sample)
        except VdeError:  # reported with the images
            return None

    def _further_reading_faults(self, sample: Sample) -> Iterator[Fault]:
        """What is wrong with readings of the page before the edit and of the regions' crops, where there are any."""
        for read in (self.source, self.truth_regions):
            try:
                read(sample)
            except VdeError as error:
                yield Fault("error", sample.key, "", str(error).removeprefix(f"sample {sample.key}: "))

    def _image_faults(self, sample: Sample) -> Iterator[Fault]:
        try:
            file = self._image(sample)
            size = self.image_size(sample)
        except VdeError as error:
            yield Fault("error", sample.key, "", str(error))
            return
        folders = {group.name: group for group in self.groups}[sample.group]
        files = self.image_files(sample)
        for folder, found, name in (
            (folders.images, file, sample.reference_image),
            (folders.source_images, files.source, sample.source_image),
            (folders.masks, files.mask, sample.reference_image),
        ):
            if folder is not None and found is None:
                yield Fault("warning", sample.key, "", f"no image {stem(name)} in {folder}")
        for index, region in enumerate(sample.regions):
            if size and region.page and tuple(region.page) != tuple(size):
                what = f"region {index} is for a page of {_by(region.page)}, the image is {_by(size)}"
                yield Fault("warning", sample.key, str(file), what)


def reading_faults(key: str, file: str, reading: PageText, image: Size | None = None) -> Iterator[Fault]:
    """What is wrong with a reading that could be read; `image` is the page's size where the reading has none."""
    size = reading.size or image
    for index, reason, _ in reading.left_out:
        yield Fault("warning", key, file, f"block {index} left out: {reason}")
    left_out = {position for position, _, _ in reading.left_out}
    positions = (i for i in range(len(reading.blocks) + len(left_out)) if i not in left_out)
    for index, block in zip(positions, reading.blocks, strict=True):
        if block.box.area == 0:
            yield Fault("warning", key, file, f"block {index}: box {list(block.box)} has no area")
        elif size and not _inside(block.box, size):
            yield Fault("warning", key, file, f"block {index}: box {list(block.box)} outside the page of {_by(size)}")


def _inside(box: Sequence[float], size: Size, slack: float = 1.0) -> bool:
    return box[0] >= -slack and box[1] >= -slack and box[2] <= size.width + slack and box[3] <= size.height + slack


def _by(size: Size) -> str:
    return f"{size.width:g}×{size.height:g}"


def _duplicates(samples: Sequence[Sample]) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    for index, sample in enumerate(samples):
        if sample.key in seen:
            yield Fault("error", sample.key, "", f"samples number {seen[sample.key]} and {index} have the same id")
        seen.setdefault(sample.key, index)


def read_entries(group: SuiteGroup) -> Iterator[tuple[Sample, list[Fault]]]:
    """Samples of a group's info file, each with the faults of its entry."""
    data = parse_json(read_bytes(group.info), group.info)
    if not isinstance(data, list):
        raise InputError(f"{group.info}: expected a list of entries, found {type(data).__name__}")
    for index, entry in enumerate(data):
        if not isinstance(entry, dict):
            where = f"{group.name}/#{index}"
            fault = Fault("error", where, str(group.info), f"entry {index} is no object")
            yield Sample(id=f"#{index}", group=group.name), [fault]
        else:
            yield _sample(entry, index, group)


def _sample(entry: Mapping[str, Any], index: int, group: SuiteGroup) -> tuple[Sample, list[Fault]]:
    faults: list[Fault] = []
    identity = entry.get("id")
    name = str(identity) if isinstance(identity, int | str) and str(identity).strip() else f"#{index}"

    def fault(what: str, severity: Any = "error") -> None:
        faults.append(Fault(severity, f"{group.name}/{name}", str(group.info), what))

    if name.startswith("#"):
        fault(f"entry {index} has no id")

    texts: dict[str, str] = {}

    def text(field: str) -> str:
        if field not in texts:
            value = entry.get(field)
            if value is not None and not isinstance(value, str):
                fault(f"{field!r} is {value!r}, expected text")
            texts[field] = value if isinstance(value, str) else ""
        return texts[field]

    kind = text("instruction type") or text("edit_type")
    operation = Operation.parse(kind, in_table=group.name == "table")
    if operation is Operation.OTHER:
        fault(f"operation {kind!r} is not one we know; counted as 'other'", "warning")
    language, source = text("language"), text("data_source")
    if language not in LANGUAGES:
        fault(f"language {language!r}, expected one of {', '.join(LANGUAGES)}", "warning")
    if source not in SOURCES:
        fault(f"data_source {source!r}, expected one of {', '.join(SOURCES)}", "warning")
    if not text("image_output"):
        fault("no 'image_output': its files cannot be found by name")
    if not text("instruction"):
        fault("no 'instruction'", "warning")
    sample = Sample(
        id=name,
        group=group.name,
        instruction=text("instruction"),
        operation=operation,
        language=language or "unknown",
        source=source or "unknown",
        source_image=text("image_input"),
        reference_image=text("image_output"),
        regions=tuple(_regions(entry.get("label_output"), fault)),
        extra={key: value for key, value in entry.items() if key not in _OWN} | {"instruction type": kind},
    )
    return sample, faults


def _regions(labels: object, fault: Any) -> Iterator[Region]:
    if not isinstance(labels, list) or not labels:
        fault("no 'label_output': nothing to score locally", "warning")
        return
    for index, label in enumerate(labels):
        given = [label.get(side) for side in ("x", "y", "width", "height")] if isinstance(label, dict) else None
        sides = as_numbers(given, 4)
        if sides is None:
            fault(f"region {index} is {given or label!r}, expected x, y, width and height as numbers")
            continue
        x, y, width, height = sides
        if width <= 0 or height <= 0:
            fault(f"region {index}: {width:g}×{height:g} percent has no area")
            continue
        if x < -0.01 or y < -0.01 or x + width > 100.01 or y + height > 100.01:
            fault(f"region {index}: {x:g},{y:g} + {width:g}×{height:g} percent reaches outside the image", "warning")
        told = [label.get("original_width"), label.get("original_height")]
        page = as_size(*told)
        if page is None and told != [None, None]:
            fault(f"region {index}: original size {told[0]!r}×{told[1]!r}, expected two positive numbers")
        own = {"x", "y", "width", "height"} | ({"original_width", "original_height"} if page else set())
        extra = {key: value for key, value in label.items() if key not in own}
        yield Region(x, y, width, height, page, extra)


def entry_of(sample: Sample) -> dict[str, Any]:
    """A sample as an entry of the release's info file, with all it was read with."""
    extra = dict(sample.extra)
    return {
        "id": int(sample.id) if _WHOLE_NUMBER.fullmatch(sample.id) else sample.id,
        "image_input": sample.source_image,
        "image_output": sample.reference_image,
        "instruction": sample.instruction,
        "instruction type": extra.pop("instruction type", None) or sample.operation.value,
        "language": sample.language,
        "data_source": sample.source,
        "label_output": [
            {
                "x": region.x,
                "y": region.y,
                "width": region.width,
                "height": region.height,
                **({"original_width": region.page.width, "original_height": region.page.height} if region.page else {}),
                **region.extra,
            }
            for region in sample.regions
        ],
        **extra,
    }

"""The VDE Bench release: for each group a JSON list of entries, a folder of OCR output, optionally folders
of images.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import read_bytes, read_json
from vdebench.io.images import image_size
from vdebench.suites.names import ENDINGS, NamedFiles, image_of, images_by_stem, names_of, stem
from vdebench.suites.suite import Fault, ImageFiles, Suite
from vdebench.suites.vde_entries import entry_of, read_entries


class VdeSuite(Suite):
    """Samples in the layout of the release."""

    @cached_property
    def _loaded(self) -> tuple[list[Sample], list[Fault]]:
        samples: list[Sample] = []
        faults: list[Fault] = []
        for group in self.groups:
            for sample, entry_faults in read_entries(group):
                samples.append(sample)
                faults += entry_faults
        return samples, faults

    @property
    def samples(self) -> list[Sample]:
        """All samples, group by group."""
        return self._loaded[0]

    @cached_property
    def _text_files(self) -> dict[str, NamedFiles]:
        return self._named("readings")

    @cached_property
    def _source_text_files(self) -> dict[str, NamedFiles]:
        return self._named("source_readings")

    def _named(self, kind: str) -> dict[str, NamedFiles]:
        folders = {group.name: getattr(group, kind) for group in self.groups}
        return {
            name: NamedFiles(folder, [sample for sample in self.samples if sample.group == name])
            for name, folder in folders.items()
            if folder is not None
        }

    def ground_truth_file(self, sample: Sample) -> Path:
        """Return the file of the ground-truth text; raise `InputError` with the names searched for if there is none."""
        files = self._text_files.get(sample.group)
        found = files.find(sample) if files else None
        if found is None:
            where = f" in {files.root}" if files else f": [groups.{sample.group}] has no 'readings' in suite.toml"
            tried = ", ".join(f"{names_of(sample)[0]}{ending}.json" for ending in ENDINGS)
            raise InputError(
                f"sample {sample.key}: no ground-truth OCR output for {sample.reference_image or 'its image'}\n"
                f"  looked for {tried}{where}\n"
                "  add the file, or fix `readings` in suite.toml"
            )
        return found

    def provides_text(self, sample: Sample) -> bool:
        """Whether the sample's group has a folder of OCR output."""
        return sample.group in self._text_files

    def has_reference(self, sample: Sample) -> bool:
        """Whether the sample's group has images or OCR output of the edited pages."""
        return next(group.has_references for group in self.groups if group.name == sample.group)

    def ground_truth(self, sample: Sample) -> PageText:
        """Return the ground-truth text of the edited page."""
        file = self.ground_truth_file(sample)
        return PageText.from_json(read_json(file), str(file))

    def source(self, sample: Sample) -> PageText | None:
        """Return the ground-truth text of the page before the edit; None if the suite does not have it."""
        files = self._source_text_files.get(sample.group)
        file = files.find(sample) if files else None
        return PageText.from_json(read_json(file), str(file)) if file else None

    def ground_truth_regions(self, sample: Sample) -> list[PageText] | None:
        """Return the ground-truth text of each region; None if the suite does not have it."""
        files = self._text_files.get(sample.group)
        regions = files.regions(sample) if files else None
        return None if regions is None else [PageText.from_json(read_json(file), str(file)) for file in regions]

    @property
    def has_region_ground_truth(self) -> bool:
        """Whether the suite has ground-truth text of regions."""
        return any(files.has_regions for files in self._text_files.values())

    def has_regions_of(self, sample: Sample) -> bool:
        """Whether ground-truth text exists for all regions of the sample."""
        files = self._text_files.get(sample.group)
        return files is not None and files.regions(sample) is not None

    def digest(self, sample: Sample) -> str:
        """Return a hash of the entry and its ground-truth files."""
        parts = [json.dumps(entry_of(sample), sort_keys=True, default=str).encode()]
        for named in (self._text_files.get(sample.group), self._source_text_files.get(sample.group)):
            try:
                files = [named.find(sample), *(named.regions(sample) or [])] if named else []
                parts += [read_bytes(file) if file else b"" for file in files]
            except VdeError as error:
                parts.append(type(error).__name__.encode())  # the message contains the location of the suite
        return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    def digest_files(self) -> Iterator[Path]:
        """Yield the ground-truth files of pages and regions."""
        for by_group in (self._text_files, self._source_text_files):
            for sample in self.samples if by_group else ():
                with suppress(VdeError):  # the file is ambiguous
                    files = by_group.get(sample.group)
                    yield from filter(None, [files.find(sample), *(files.regions(sample) or [])] if files else [])

    def image_size(self, sample: Sample) -> Size | None:
        """Return the size of the reference image; None if the suite does not have it."""
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
        """Return the sample's images, found by name in the folders of its group."""
        return ImageFiles(
            self._image_in("source_images", sample, sample.source_image),
            self._image(sample),
            self._image_in("masks", sample, sample.reference_image),
        )

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of entries, ground-truth files and images."""
        yield from self._loaded[1]
        yield from _duplicates(self.samples)
        yield from self._output_name_faults()
        for sample in self.samples:
            if self.has_reference(sample):
                yield from self._ground_truth_faults(sample)
                yield from self._other_ground_truth_faults(sample)
            yield from self._image_faults(sample)
        for group, files in self._text_files.items():
            for unmatched in files.unmatched_files([sample for sample in self.samples if sample.group == group]):
                yield Fault("warning", "", str(unmatched), "matches no sample")

    def _output_name_faults(self) -> Iterator[Fault]:
        """Yield samples without a reference whose outputs would have the name of another sample's."""
        names: dict[str, str] = {}
        for sample in self.samples:
            name = self.output_name(sample)
            if not self.has_reference(sample) and names.get(name, sample.key) != sample.key:
                what = f"its outputs are named {name} like those of {names[name]}: give each entry an 'image_output'"
                yield Fault("error", sample.key, "", what)
            names.setdefault(name, sample.key)

    def _ground_truth_faults(self, sample: Sample) -> Iterator[Fault]:
        try:
            file = self.ground_truth_file(sample)
            page_text = PageText.from_json(read_json(file), str(file))
        except VdeError as error:
            where = (
                self._text_files[sample.group].root if sample.group in self._text_files else self.root / "suite.toml"
            )
            yield Fault("error", sample.key, str(where), str(error).removeprefix(f"sample {sample.key}: "))
        else:
            yield from page_text_faults(sample.key, str(file), page_text, self._known_size(sample))

    def _known_size(self, sample: Sample) -> Size | None:
        try:
            return self.image_size(sample)
        except VdeError:  # reported with the images
            return None

    def _other_ground_truth_faults(self, sample: Sample) -> Iterator[Fault]:
        """Yield faults of the ground-truth text of source pages and regions."""
        for read in (self.source, self.ground_truth_regions):
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
            needed = folder is folders.source_images and not folders.has_references
            if folder is not None and found is None and (name or not needed):
                yield Fault("error" if needed else "warning", sample.key, "", f"no image {stem(name)} in {folder}")
        for index, region in enumerate(sample.regions):
            if size and region.page and tuple(region.page) != tuple(size):
                what = f"region {index} is for a page of {_by(region.page)}, the image is {_by(size)}"
                yield Fault("warning", sample.key, str(file), what)


def page_text_faults(key: str, file: str, page_text: PageText, image: Size | None = None) -> Iterator[Fault]:
    """Yield the faults of OCR output; `image` is the page size if the output has none."""
    size = page_text.size or image
    for index, reason, _ in page_text.left_out:
        yield Fault("warning", key, file, f"block {index} left out: {reason}")
    left_out = {position for position, _, _ in page_text.left_out}
    positions = (i for i in range(len(page_text.blocks) + len(left_out)) if i not in left_out)
    for index, block in zip(positions, page_text.blocks, strict=True):
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

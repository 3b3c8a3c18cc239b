"""Ground truth of predictions: the suite's own text, or OCR output of its reference images."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.predictions import crops
from vdebench.suites.suite import Suite


class GroundTruth:
    """The ground truth of a suite; the reader reads pages and crops for which the suite has no text.

    With `all_read` the reader reads every reference image, as in the papers.
    """

    def __init__(self, suite: Suite, reader: CachedReader | None = None, *, all_read: bool = False) -> None:
        self.suite = suite
        self.reader = reader
        self._all_read = all_read and reader is not None

    @property
    def reads_crops(self) -> bool:
        """Whether crops are read from the reference images."""
        return self.reader is not None and (self._all_read or not self.suite.has_region_ground_truth)

    def reads_page(self, sample: Sample) -> bool:
        """Whether a page is read from its reference image."""
        if self.reader is None or not self.suite.has_reference(sample):
            return False
        return self._all_read or not self.suite.provides_text(sample)

    @property
    def has_regions(self) -> bool:
        """Whether there is ground truth for crops at all."""
        return self.suite.has_region_ground_truth or self.reads_crops

    def has_regions_of(self, sample: Sample) -> bool:
        """Whether there is ground truth for all of a sample's crops."""
        return self.suite.reference_image(sample) is not None if self.reads_crops else self.suite.has_regions_of(sample)

    def page(self, sample: Sample) -> PageText:
        """Return the expected text of the edited page, with the page size from the text, the image or the regions."""
        if self.reads_page(sample):
            assert self.reader is not None
            return self.reader.read(self.picture(sample))
        truth = self.suite.ground_truth(sample)
        if truth.size is None:
            region_page = next((region.page for region in sample.regions if region.page), None)
            size = self.suite.image_size(sample) or region_page
            return replace(truth, size=size) if size else truth
        return truth

    def regions(self, sample: Sample) -> list[PageText] | None:
        """Return the expected text of each region's crop."""
        if not self.reads_crops:
            return self.suite.ground_truth_regions(sample)
        assert self.reader is not None
        return [self.reader.read(crop) for crop in crops(self.picture(sample), sample)]

    def source_crop_blocks(self, sample: Sample) -> list[Sequence[Block]] | None:
        """Return the OCR output of each region of the source page; None if it is not needed or not possible."""
        read = [self.reader.read(crop).blocks for crop in self.source_crops(sample)] if self.reader else []
        return [*read] or None

    def source_crops(self, sample: Sample) -> list[ImageCrop]:
        """Return the crops of the source page that the reader must read.

        These are needed if the reader also reads the crops of the reference, so that both sides have the same OCR
        errors, or if the suite has no text of the source page.
        """
        if self.reader is None or (self.suite.source(sample) is not None and not self.reads_crops):
            return []
        file = self.suite.image_files(sample).source
        return list(crops(ImageCrop.of(file, lasting=True), sample)) if file else []

    def picture(self, sample: Sample) -> ImageCrop:
        """Return the reference image as OCR input."""
        return ImageCrop.of(self.reference(sample), lasting=True)

    def reference(self, sample: Sample) -> Path:
        """Return the file of the reference image; raises `InputError` if there is none."""
        file = self.suite.reference_image(sample)
        if file is None:
            raise InputError(
                f"sample {sample.key}: the suite has no reference image of it\n"
                f"  looked for {sample.reference_image!r} in `images` of [groups.{sample.group}] in suite.toml"
            )
        return file

    def compared_image(self, sample: Sample) -> Path:
        """Return the image that outputs are compared with: the reference, or the page of a sample without one."""
        if self.suite.has_reference(sample):
            return self.reference(sample)
        file = self.suite.image_files(sample).source
        if file is None:
            raise InputError(
                f"sample {sample.key}: the suite has no image of its page\n"
                f"  looked for {sample.source_image!r} in `source_images` of [groups.{sample.group}] in suite.toml"
            )
        return file

    def digest(self, sample: Sample) -> str:
        """Return a hash of all inputs of a sample's ground truth."""
        if not self.suite.has_reference(sample):
            return self.suite.digest(sample)
        parts = [self.suite.digest(sample)]
        try:
            parts.append(repr(self.suite.image_size(sample)))
            if self.reader and (self.reads_crops or self.reads_page(sample)):
                parts += [self.picture(sample).content, self.reader.cache.folder.name, str(self._all_read)]
            parts += [crop.key for crop in self.source_crops(sample)]
        except VdeError as error:
            parts.append(str(error))
        return digest_of(*parts)

    def references(self) -> str:
        """Return a hash of the reference images, or the pages of samples without them, for the signature."""
        digests = []
        for sample in self.suite.samples:
            with suppress(VdeError):
                files = self.suite.image_files(sample)
                file = files.reference if self.suite.has_reference(sample) else files.source
                digests.append(f"{sample.key} {digest_of_file(file) if file else ''}")
        return digest_of(*sorted(digests))

    def origin(self, local: str) -> str:
        """Return the origin of the ground truth for the signature: suite, OCR, instructions, or several."""
        found = {
            "instruction" if not self.suite.has_reference(sample) else "ocr" if self.reads_page(sample) else "suite"
            for sample in self.suite.samples
        }
        page = "+".join(each for each in ("suite", "ocr", "instruction") if each in found) or "suite"
        crops = "ocr" if self.reads_crops else "suite"
        same = page == "instruction" or crops == page.removesuffix("+instruction")
        return page if local != "crop" or same else f"{page},crops:{crops}"

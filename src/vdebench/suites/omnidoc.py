"""OmniDocBench: annotated pages without edits.

Its samples have no instruction: a reader, or an editor that should change nothing, is scored against the annotation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText, SkippedBlock, as_numbers, as_size
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import read_json
from vdebench.io.images import image_size
from vdebench.suites.names import image_of, images_by_stem, stem
from vdebench.suites.suite import Fault, ImageFiles, Suite
from vdebench.suites.vde import page_text_faults

LABELS = {
    "text_block": "text",
    "title": "paragraph_title",
    "table": "table",
    "figure": "image",
    "equation_isolated": "display_formula",
    "equation_caption": "formula_number",
    "table_caption": "figure_title",
    "figure_caption": "figure_title",
    "table_footnote": "vision_footnote",
    "figure_footnote": "vision_footnote",
    "page_footnote": "footnote",
    "page_number": "number",
    "header": "header",
    "footer": "footer",
    "abandon": "aside_text",
    "reference": "reference",
    "code_txt": "algorithm",
}
"""PaddleOCR-VL's labels for OmniDocBench's categories; others keep their name."""


class OmniDocSuite(Suite):
    """Pages of an OmniDocBench JSON file, with a folder of images if there is one."""

    @cached_property
    def _pages(self) -> dict[str, tuple[Sample, Mapping[str, Any]]]:
        pages: dict[str, tuple[Sample, Mapping[str, Any]]] = {}
        for group in self.groups:
            data = read_json(group.info)
            if not isinstance(data, list):
                raise InputError(f"{group.info}: expected a list of pages, found {type(data).__name__}")
            for index, page in enumerate(data):
                info = page.get("page_info") if isinstance(page, dict) else None
                image = info.get("image_path") if isinstance(info, dict) else None
                if info is None or not isinstance(image, str) or not isinstance(page.get("layout_dets"), list):
                    raise InputError(f"{group.info}: page {index} lacks 'layout_dets' or 'page_info.image_path'")
                attributes = info.get("page_attribute")
                attributes = attributes if isinstance(attributes, dict) else {}
                sample = Sample(
                    id=stem(image),
                    group=group.name,
                    language=_text(attributes.get("language")),
                    source=_text(attributes.get("data_source")),
                    reference_image=image,
                )
                if sample.key in pages:
                    raise InputError(f"{group.info}: two pages have the name {sample.id}")
                pages[sample.key] = sample, page
        return pages

    @property
    def samples(self) -> list[Sample]:
        """One sample per page."""
        return [sample for sample, _ in self._pages.values()]

    def ground_truth(self, sample: Sample) -> PageText:
        """Return the annotation of the page."""
        return page_text_of_annotation(self._pages[sample.key][1], self.image_size(sample))

    def digest(self, sample: Sample) -> str:
        """Return a hash of the annotation."""
        return hashlib.sha256(json.dumps(self._pages[sample.key][1], sort_keys=True).encode()).hexdigest()

    @cached_property
    def _images(self) -> dict[str, dict[str, list[str]]]:
        return {group.name: images_by_stem(group.images) for group in self.groups if group.images is not None}

    def image_files(self, sample: Sample) -> ImageFiles:
        """Return the page's image as source and reference, since nothing is edited."""
        folder = next((group.images for group in self.groups if group.name == sample.group), None)
        if folder is None:
            return ImageFiles()
        file = image_of(folder, stem(sample.reference_image), self._images[sample.group])
        return ImageFiles(file, file)

    def image_size(self, sample: Sample) -> Size | None:
        """Return the size of the image file; the annotation's width and height are sometimes swapped."""
        file = self.image_files(sample).reference
        return image_size(file) if file else None

    def faults(self) -> Iterator[Fault]:
        """Yield blocks without a valid box, missing images, and wrong page sizes."""
        for key, (sample, page) in self._pages.items():
            try:
                size = self.image_size(sample)
            except VdeError as error:
                yield Fault("error", key, "", str(error))
                continue
            if size is None and sample.group in self._images:
                yield Fault("warning", key, sample.reference_image, "image not found")
            stated = page["page_info"].get("width"), page["page_info"].get("height")
            if size and stated != tuple(size):
                what = f"page_info says {stated[0]}×{stated[1]}, the image is {size.width:g}×{size.height:g}"
                yield Fault("warning", key, sample.reference_image, what)
            yield from page_text_faults(key, sample.reference_image, self.ground_truth(sample))


def _text(value: object) -> str:
    return value if isinstance(value, str) and value else "unknown"


def page_text_of_annotation(page: Mapping[str, Any], size: Size | None = None) -> PageText:
    """Convert an annotation to `PageText`; elements marked to be ignored go to `left_out`.

    >>> page = {"layout_dets": [{"category_type": "title", "poly": [1, 2, 9, 2, 9, 5, 1, 5], "text": "Hi"}]}
    >>> page_text_of_annotation(page).blocks[0].label
    'paragraph_title'
    """
    blocks: list[Block] = []
    left_out: list[SkippedBlock] = []
    for index, element in enumerate(page["layout_dets"]):
        if not isinstance(element, dict) or as_numbers(element.get("poly"), 8) is None:
            left_out.append(SkippedBlock(index, "no polygon of eight numbers", element))
        elif element.get("ignore"):
            left_out.append(SkippedBlock(index, "marked to be ignored", element))
        else:
            blocks.append(_block(element))
    info = page.get("page_info") or {}
    blocks.sort(key=lambda block: (1, 0) if not isinstance(block.order, int | float) else (0, block.order))
    return PageText(tuple(blocks), size or as_size(info.get("width"), info.get("height")), tuple(left_out))


def _block(element: Mapping[str, Any]) -> Block:
    category = str(element.get("category_type") or "")
    xs, ys = element["poly"][0::2], element["poly"][1::2]
    content = element.get("html") if category == "table" else element.get("text") or element.get("latex")
    own = {"category_type", "poly", "order", "text", "html", "ignore"}
    return Block(
        box=Box(min(xs), min(ys), max(xs), max(ys)),
        content=content if isinstance(content, str) else "",
        label=LABELS.get(category, category),
        id=element.get("anno_id"),
        order=element.get("order"),
        extra={"category_type": category} | {key: value for key, value in element.items() if key not in own},
    )


def annotation_of(page_text: PageText, image: str, attributes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Convert `PageText` to an OmniDocBench page.

    >>> page = annotation_of(PageText((Block(Box(1, 2, 9, 5), "Hi"),), Size(20, 10)), "a.png")
    >>> page["layout_dets"][0]["category_type"], page["layout_dets"][0]["poly"]
    ('text_block', [1, 2, 9, 2, 9, 5, 1, 5])
    """
    categories = {label: category for category, label in reversed(LABELS.items())}
    elements = []
    for index, block in enumerate(page_text.blocks):
        x1, y1, x2, y2 = block.box
        extra = dict(block.extra)
        element = {
            "category_type": extra.pop("category_type", None) or categories.get(block.label, block.label),
            "poly": [x1, y1, x2, y1, x2, y2, x1, y2],
            "ignore": False,
            "order": block.order,
            "anno_id": block.id if block.id is not None else index,
            ("html" if block.label == "table" else "text"): block.content,
        }
        elements.append(extra | element)
    size = page_text.size or Size(0, 0)
    return {
        "layout_dets": elements,
        "extra": {"relation": []},
        "page_info": {
            "image_path": image,
            "width": size.width,
            "height": size.height,
            "page_attribute": dict(attributes or {}),
        },
    }

"""Pages for layout statistics: from annotations of OmniDocBench, or from the OCR output of any suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.core.box import Size
from vdebench.core.page_text import PageText, as_numbers, as_size
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import read_json
from vdebench.io.images import image_size
from vdebench.studies.layout.statistics import Element, PageLayout
from vdebench.suites.names import image_of, images_by_stem, stem
from vdebench.suites.omnidoc import OmniDocSuite
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import Suite

ReadPage = Callable[[Path], PageText]
ANNOTATION, SOURCES, REFERENCES, READER = "annotation", "readings before the edit", "readings after the edit", "reader"


class Layouts(NamedTuple):
    """Pages, the origin of each (one of the constants above), and the reasons for pages that are left out."""

    pages: list[PageLayout]
    origins: dict[str, str]
    left_out: dict[str, str]


def annotated_pages(file: Path, images: Path | None = None, *, ignored: bool = True) -> Layouts:
    """Read the pages of an OmniDocBench JSON file, with their polygons.

    The size of a page is that of its image file, because some annotations have width and height swapped; without an
    image file, the annotated size is used. `ignored` includes elements that OmniDocBench marks as ignored in scoring.
    """
    data = read_json(file)
    if not isinstance(data, list):
        raise InputError(f"{file}: expected a list of pages, found {type(data).__name__}")
    layouts = Layouts([], {}, {})
    image_files = images_by_stem(images) if images is not None else {}
    for index, page in enumerate(data):
        info = page.get("page_info") if isinstance(page, dict) else None
        name = info.get("image_path") if isinstance(info, dict) else None
        if not isinstance(info, dict) or not isinstance(name, str) or not isinstance(page.get("layout_dets"), list):
            raise InputError(f"{file}: page {index} lacks 'layout_dets' or 'page_info.image_path'")
        key = stem(name)
        try:
            image = image_of(images, key, image_files) if images is not None else None
            size = image_size(image) if image else as_size(info.get("width"), info.get("height"))
        except VdeError as error:
            layouts.left_out[key] = str(error)
            continue
        _add(layouts, key, _source(info.get("page_attribute")), size, _annotated_elements(page, ignored), ANNOTATION)
    return layouts


def _annotated_elements(page: Mapping[str, Any], ignored: bool) -> tuple[Element, ...]:
    elements = []
    for each in page["layout_dets"]:
        corners = as_numbers(each.get("poly"), 8) if isinstance(each, dict) else None
        if corners is not None and (ignored or not each.get("ignore")):
            polygon = tuple(zip(corners[0::2], corners[1::2], strict=True))
            elements.append(Element(str(each.get("category_type") or "unknown"), polygon))
    return tuple(elements)


def _source(attributes: object) -> str:
    source = attributes.get("data_source") if isinstance(attributes, dict) else None
    return source if isinstance(source, str) and source else "unknown"


def suite_pages(suite: Suite, read: ReadPage | None = None) -> Layouts:
    """Return the source pages of a suite, each once.

    Elements come from the annotation (OmniDocBench), else from the suite's OCR output before the edit, else after it,
    else from `read`. Pages without any of these are left out, with the reason.
    """
    layouts = Layouts([], {}, {})
    if isinstance(suite, OmniDocSuite):
        for group in suite.groups:
            one = annotated_pages(group.info, group.images)
            layouts.pages.extend(page._replace(id=f"{group.name}/{page.id}") for page in one.pages)
            layouts.origins.update({f"{group.name}/{page}": origin for page, origin in one.origins.items()})
            layouts.left_out.update({f"{group.name}/{page}": reason for page, reason in one.left_out.items()})
        return layouts
    pages = pages_of(suite)
    for sample in suite:
        page = pages[sample.key]
        if page in layouts.origins:
            continue
        try:
            page_text, size, origin = _page_text(suite, sample, read)
        except VdeError as error:
            layouts.left_out.setdefault(page, str(error))
            continue
        elements = tuple(Element.of_box(block.label or "unknown", block.box) for block in page_text.blocks)
        _add(layouts, page, sample.source, size, elements, origin)
    for page in layouts.origins:  # another sample of the page could be read
        layouts.left_out.pop(page, None)
    return layouts


def _page_text(suite: Suite, sample: Sample, read: ReadPage | None) -> tuple[PageText, Size | None, str]:
    """Return the OCR output of a page, its size and its origin."""
    files = suite.image_files(sample)
    if suite.provides_text(sample):
        before = suite.source(sample)
        if before is not None:
            return before, before.size or (image_size(files.source) if files.source else None), SOURCES
        after = suite.ground_truth(sample)
        return after, after.size or suite.image_size(sample), REFERENCES
    file = files.source or files.reference
    if read is None or file is None:
        raise InputError("the suite has no OCR output of it; choose a reader with --reader")
    return read(file), image_size(file), READER


def _add(
    layouts: Layouts, key: str, source: str, size: Size | None, elements: tuple[Element, ...], origin: str
) -> None:
    if size is None:
        layouts.left_out[key] = "the size of the page is unknown: no image, and the OCR output does not state it"
        return
    layouts.pages.append(PageLayout(key, source, size, elements))
    layouts.origins[key] = origin

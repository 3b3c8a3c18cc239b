"""Pages for layout statistics: from OmniDocBench's annotation, or from the readings of any suite."""

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

Read = Callable[[Path], PageText]
ANNOTATION, SOURCES, REFERENCES, READER = "annotation", "readings before the edit", "readings after the edit", "reader"


class Layouts(NamedTuple):
    """Pages, what they were taken from (one of the names above, by page), and why others are not among them."""

    pages: list[PageLayout]
    origins: dict[str, str]
    left_out: dict[str, str]


def annotated_pages(file: Path, images: Path | None = None, *, ignored: bool = True) -> Layouts:
    """Pages of an OmniDocBench JSON file, with their polygons.

    A page is as large as its image file, since some annotations have width and height swapped; as the annotation says
    where there is none. Elements that are marked to be ignored in scoring are on the page nevertheless: `ignored` says
    whether they count.
    """
    data = read_json(file)
    if not isinstance(data, list):
        raise InputError(f"{file}: expected a list of pages, found {type(data).__name__}")
    found = Layouts([], {}, {})
    present = images_by_stem(images) if images is not None else {}
    for index, page in enumerate(data):
        info = page.get("page_info") if isinstance(page, dict) else None
        name = info.get("image_path") if isinstance(info, dict) else None
        if not isinstance(info, dict) or not isinstance(name, str) or not isinstance(page.get("layout_dets"), list):
            raise InputError(f"{file}: page {index} lacks 'layout_dets' or 'page_info.image_path'")
        key = stem(name)
        try:
            image = image_of(images, key, present) if images is not None else None
            size = image_size(image) if image else as_size(info.get("width"), info.get("height"))
        except VdeError as error:
            found.left_out[key] = str(error)
            continue
        _add(found, key, _source(info.get("page_attribute")), size, _annotated(page, ignored), ANNOTATION)
    return found


def _annotated(page: Mapping[str, Any], ignored: bool) -> tuple[Element, ...]:
    elements = []
    for each in page["layout_dets"]:
        corners = as_numbers(each.get("poly"), 8) if isinstance(each, dict) else None
        if corners is not None and (ignored or not each.get("ignore")):
            polygon = tuple(zip(corners[0::2], corners[1::2], strict=True))
            elements.append(Element(str(each.get("category_type") or "unknown"), polygon))
    return tuple(elements)


def _source(attributes: object) -> str:
    found = attributes.get("data_source") if isinstance(attributes, dict) else None
    return found if isinstance(found, str) and found else "unknown"


def suite_pages(suite: Suite, read: Read | None = None) -> Layouts:
    """The pages that a suite's samples start from, each once however many samples it has.

    OmniDocBench pages by their annotation; others by their readings before the edit, else by those after it, else as
    `read` reads their images. A page that has none of these is left out, with the reason.
    """
    found = Layouts([], {}, {})
    if isinstance(suite, OmniDocSuite):
        for group in suite.groups:
            one = annotated_pages(group.info, group.images)
            found.pages.extend(page._replace(id=f"{group.name}/{page.id}") for page in one.pages)
            found.origins.update({f"{group.name}/{page}": origin for page, origin in one.origins.items()})
            found.left_out.update({f"{group.name}/{page}": reason for page, reason in one.left_out.items()})
        return found
    pages = pages_of(suite)
    for sample in suite:
        page = pages[sample.key]
        if page in found.origins:
            continue
        try:
            reading, size, origin = _read(suite, sample, read)
        except VdeError as error:
            found.left_out.setdefault(page, str(error))
            continue
        elements = tuple(Element.of_box(block.label or "unknown", block.box) for block in reading.blocks)
        _add(found, page, sample.source, size, elements, origin)
    for page in found.origins:  # another sample on it could be read
        found.left_out.pop(page, None)
    return found


def _read(suite: Suite, sample: Sample, read: Read | None) -> tuple[PageText, Size | None, str]:
    """A page's reading, its size and where the reading is from."""
    files = suite.image_files(sample)
    if suite.provides_text(sample):
        before = suite.source(sample)
        if before is not None:
            return before, before.size or (image_size(files.source) if files.source else None), SOURCES
        after = suite.ground_truth(sample)
        return after, after.size or suite.image_size(sample), REFERENCES
    file = files.source or files.reference
    if read is None or file is None:
        raise InputError("the suite has no reading of it; a reader can read it (--reader)")
    return read(file), image_size(file), READER


def _add(found: Layouts, key: str, source: str, size: Size | None, elements: tuple[Element, ...], origin: str) -> None:
    if size is None:
        found.left_out[key] = "the size of the page is not known: no image, and the reading does not say it"
        return
    found.pages.append(PageLayout(key, source, size, elements))
    found.origins[key] = origin

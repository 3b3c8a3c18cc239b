"""Where pages come from: an OmniDocBench file, PDFs, images, folders. Each page is opened when it is asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.pdf import PageOfPdf, count_pages, wanted_pages
from vdebench.build.settings import FILE, PACKAGE, SourceSettings
from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import LANGUAGES
from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.files import is_file, is_folder, list_folder, read_bytes, read_json
from vdebench.suites.names import FILES, stem
from vdebench.suites.omnidoc import OmniDocSuite, page_text_of_annotation
from vdebench.suites.suite import SuiteGroup

_UNSAFE = re.compile(r"[^\w.+-]+")
LONGEST = 100
"""Bytes of a page's name, so that no file system minds what is added to it."""


class SourcePage(NamedTuple):
    """A page in a source."""

    file: Path
    name: str
    """What it is called there, without ending."""
    source: SourceSettings
    page: int | None = None
    """Of a PDF, from 1."""
    annotation: Mapping[str, Any] | None = None
    """OmniDocBench's."""
    data_set: str = ""
    fault: str = ""
    """Why it cannot be had."""
    root: Path | None = None
    """The workspace to which its source is relative."""

    @property
    def key(self) -> str:
        """The same for the same page of the same file, for whoever looks at a source again.

        A source that is named relative to the workspace may move with it.
        """
        named = self.source.images if self.annotation is not None and self.source.images else self.source.path
        where = os.path.abspath(self.file)
        if self.root is not None and not Path(named).is_absolute():
            where = Path(os.path.relpath(where, os.path.abspath(self.root))).as_posix()
        return digest_of(where, str(self.page))[:16]

    def content(self) -> tuple[bytes, str]:
        """Its image file and that file's ending."""
        if self.page is not None:
            return PageOfPdf(self.file, self.page, self.source.ppi).png(), ".png"
        return read_bytes(self.file), self.file.suffix.lower()

    @property
    def attributes(self) -> dict[str, Any]:
        """What the data set says of it."""
        told = (self.annotation or {}).get("page_info", {}).get("page_attribute")
        return dict(told) if isinstance(told, dict) else {}

    def reading(self, size: Size) -> PageText | None:
        """Its annotation as a reading, where it has one."""
        return None if self.annotation is None else page_text_of_annotation(self.annotation, size)

    @property
    def language(self) -> str:
        """As the data set says, else the user; nothing where neither does."""
        told = str(self.attributes.get("language") or "")
        return told if told not in ("", "unknown") else self.source.language

    @property
    def document(self) -> str:
        """The kind of document, as the data set says, else the user."""
        told = str(self.attributes.get("data_source") or "")
        return told if told not in ("", "unknown") else self.source.document or "unknown"

    @property
    def origin(self) -> dict[str, Any]:
        """Where it comes from, without the user's folders."""
        told: dict[str, Any] = {"file": self.file.name, "data_set": self.data_set}
        told |= {} if self.page is None else {"page": self.page, "ppi": self.source.ppi}
        return {key: value for key, value in {**told, "key": self.key}.items() if value}


def find_pages(source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    """All pages of a source, in the order of their files; relative paths are the workspace's."""
    return (found._replace(root=root) for found in _find_pages(source, root))


def _find_pages(source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    path = root / source.path
    if source.language and source.language not in LANGUAGES:
        raise InputError(f"language {source.language!r}, expected one of {', '.join(LANGUAGES)}")
    if source.ppi <= 0:
        raise InputError(f"{path}: drawn with {source.ppi} pixels per inch, expected 1 or more, such as 150")
    wanted_pages(source.pages)  # says what is wrong with it before any work is done
    if is_folder(path):
        files = list(_files_below(path))
        if not files:
            raise InputError(f"{path}: no images and no PDFs here; {', '.join(FILES['image'])} and .pdf are looked for")
        for file in files:
            yield from _in_file(file, source)
    elif not is_file(path):
        raise InputError(f"{path}: is not there; expected an OmniDocBench .json, a PDF, an image, or a folder of these")
    elif path.suffix.lower() == ".json":
        yield from _in_omnidoc(path, source, root)
    elif path.suffix.lower() in (".pdf", *FILES["image"]):
        yield from _in_file(path, source)
    else:
        raise InputError(f"{path}: is no source we know: an OmniDocBench .json, a PDF, an image, or a folder of these")


def _files_below(folder: Path) -> Iterator[Path]:
    for name in list_folder(folder):
        if name.startswith("."):
            continue
        if is_folder(folder / name):
            if any(is_file(folder / name / mark) for mark in (FILE, PACKAGE)):  # a workspace's own pages are no sources
                continue
            yield from _files_below(folder / name)
        elif name.lower().endswith((".pdf", *FILES["image"])):
            yield folder / name


def _in_file(file: Path, source: SourceSettings) -> Iterator[SourcePage]:
    if file.suffix.lower() != ".pdf":
        yield SourcePage(file, stem(file.name), source)
        return
    try:
        count = count_pages(file)
    except InputError as error:
        yield SourcePage(file, stem(file.name), source, fault=str(error))
        return
    for page in wanted_pages(source.pages) or range(1, count + 1):
        if page <= count:
            yield SourcePage(file, f"{stem(file.name)}_p{page:03}", source, page)


def _in_omnidoc(file: Path, source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    images = root / source.images if source.images else file.parent / "images"
    if not is_folder(images):
        raise InputError(f"{images}: no folder of images here; name it with --images DIR")
    suite = OmniDocSuite(file.parent, file.stem, [SuiteGroup("pages", file, images=images)])
    samples = suite.samples  # which says what is wrong with the file
    for sample, page in zip(samples, read_json(file), strict=True):
        image = suite.image_files(sample).source
        fault = "" if image else f"no image {sample.reference_image} in {images}"
        place = image or images / sample.reference_image
        yield SourcePage(place, sample.id, source, annotation=page, data_set=file.stem, fault=fault)


def safe_name(name: str) -> str:
    """A name that every file system takes: letters, digits and - . _ +, not too long.

    >>> safe_name("Q3 report (final)/p. 7")
    'Q3-report-final-p.-7'
    >>> safe_name("../.."), len(safe_name("页" * 200).encode()) <= LONGEST
    ('page', True)
    """
    safe = _UNSAFE.sub("-", name).strip("-.") or "page"
    if len(safe.encode()) > LONGEST:
        safe = f"{safe.encode()[: LONGEST - 9].decode(errors='ignore')}-{digest_of(name)[:8]}"
    return safe

"""Sources of pages: an OmniDocBench file, PDFs, images, folders. Pages are opened on demand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.pdf import PageOfPdf, count_pages, parse_pages
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
"""Maximum length of a page's name in bytes."""


class SourcePage(NamedTuple):
    """A page of a source."""

    file: Path
    name: str
    """Name without suffix."""
    source: SourceSettings
    page: int | None = None
    """Page number of a PDF, from 1."""
    annotation: Mapping[str, Any] | None = None
    """Annotation of OmniDocBench."""
    data_set: str = ""
    fault: str = ""
    """Why the page cannot be used."""
    root: Path | None = None
    """Workspace that relative sources refer to."""

    @property
    def key(self) -> str:
        """Identifier of the page, equal for the same page of the same file.

        A source given relative to the workspace may move with it.
        """
        configured = self.source.images if self.annotation is not None and self.source.images else self.source.path
        where = os.path.abspath(self.file)
        if self.root is not None and not Path(configured).is_absolute():
            where = Path(os.path.relpath(where, os.path.abspath(self.root))).as_posix()
        return digest_of(where, str(self.page))[:16]

    def content(self) -> tuple[bytes, str]:
        """Return the image file's bytes and suffix."""
        if self.page is not None:
            return PageOfPdf(self.file, self.page, self.source.ppi).png(), ".png"
        return read_bytes(self.file), self.file.suffix.lower()

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the page in the data set."""
        stated = (self.annotation or {}).get("page_info", {}).get("page_attribute")
        return dict(stated) if isinstance(stated, dict) else {}

    def text(self, size: Size) -> PageText | None:
        """Return the annotation as `PageText`; None if there is none."""
        return None if self.annotation is None else page_text_of_annotation(self.annotation, size)

    @property
    def language(self) -> str:
        """Language from the data set, else from the settings; empty if neither states it."""
        stated = str(self.attributes.get("language") or "")
        return stated if stated not in ("", "unknown") else self.source.language

    @property
    def document(self) -> str:
        """Kind of document from the data set, else from the settings."""
        stated = str(self.attributes.get("data_source") or "")
        return stated if stated not in ("", "unknown") else self.source.document or "unknown"

    @property
    def origin(self) -> dict[str, Any]:
        """Origin of the page, without the user's folders."""
        stated: dict[str, Any] = {"file": self.file.name, "data_set": self.data_set}
        stated |= {} if self.page is None else {"page": self.page, "ppi": self.source.ppi}
        return {key: value for key, value in {**stated, "key": self.key}.items() if value}


def find_pages(source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    """Yield all pages of a source in the order of their files; relative paths refer to the workspace."""
    return (page._replace(root=root) for page in _find_pages(source, root))


def _find_pages(source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    path = root / source.path
    if source.language and source.language not in LANGUAGES:
        raise InputError(f"language {source.language!r}, expected one of {', '.join(LANGUAGES)}")
    if source.ppi <= 0:
        raise InputError(f"{path}: {source.ppi} pixels per inch, expected 1 or more, such as 150")
    parse_pages(source.pages)  # raises errors before any work is done
    if is_folder(path):
        files = list(_files_below(path))
        if not files:
            raise InputError(f"{path}: no images or PDFs here; supported: {', '.join(FILES['image'])} and .pdf")
        for file in files:
            yield from _in_file(file, source)
    elif not is_file(path):
        raise InputError(f"{path}: no such file; expected an OmniDocBench .json, a PDF, an image, or a folder of these")
    elif path.suffix.lower() == ".json":
        yield from _in_omnidoc(path, source, root)
    elif path.suffix.lower() in (".pdf", *FILES["image"]):
        yield from _in_file(path, source)
    else:
        raise InputError(
            f"{path}: unsupported source; expected an OmniDocBench .json, a PDF, an image, or a folder of these"
        )


def _files_below(folder: Path) -> Iterator[Path]:
    for name in list_folder(folder):
        if name.startswith("."):
            continue
        if is_folder(folder / name):
            if any(
                is_file(folder / name / mark) for mark in (FILE, PACKAGE)
            ):  # pages of workspaces and packages are not sources
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
    for page in parse_pages(source.pages) or range(1, count + 1):
        if page <= count:
            yield SourcePage(file, f"{stem(file.name)}_p{page:03}", source, page)


def _in_omnidoc(file: Path, source: SourceSettings, root: Path) -> Iterator[SourcePage]:
    images = root / source.images if source.images else file.parent / "images"
    if not is_folder(images):
        raise InputError(f"{images}: no image folder; specify it with --images DIR")
    suite = OmniDocSuite(file.parent, file.stem, [SuiteGroup("pages", file, images=images)])
    samples = suite.samples  # raises errors of the file
    for sample, page in zip(samples, read_json(file), strict=True):
        image = suite.image_files(sample).source
        fault = "" if image else f"no image {sample.reference_image} in {images}"
        place = image or images / sample.reference_image
        yield SourcePage(place, sample.id, source, annotation=page, data_set=file.stem, fault=fault)


def safe_name(name: str) -> str:
    """Return a name that every file system accepts: letters, digits and - . _ +, of limited length.

    >>> safe_name("Q3 report (final)/p. 7")
    'Q3-report-final-p.-7'
    >>> safe_name("../.."), len(safe_name("页" * 200).encode()) <= LONGEST
    ('page', True)
    """
    safe = _UNSAFE.sub("-", name).strip("-.") or "page"
    if len(safe.encode()) > LONGEST:
        safe = f"{safe.encode()[: LONGEST - 9].decode(errors='ignore')}-{digest_of(name)[:8]}"
    return safe

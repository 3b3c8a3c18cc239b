"""The stage `init`: import pages of the sources with OCR output, language and kind of document."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vdebench.build.language import has_table, language_of
from vdebench.build.ledger import LedgerEntry
from vdebench.build.settings import FILE, BuildSettings, read_settings, write_settings
from vdebench.build.settings_check import require_choices
from vdebench.build.sources import SourcePage, find_pages, safe_name
from vdebench.build.workspace import Workspace
from vdebench.core.box import Size
from vdebench.core.sample import LANGUAGES
from vdebench.errors import InputError, ReaderError, RunFolderError, VdeError
from vdebench.instructions.draw import draw
from vdebench.instructions.records import Rejection, SourcePageRecord
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, is_folder, list_folder, make_folder, write_bytes, write_json
from vdebench.io.images import open_image
from vdebench.pipeline.options import Progress
from vdebench.pipeline.read import read_pictures
from vdebench.readers.cached import ImageCrop

REASONS = {
    "unreadable": "the file is missing, or is not a readable image or PDF",
    "duplicate": "the same pixels as another page",
    "no_language": "too little text, or a script other than Latin and Chinese",
    "other_language": f"its language in the data set is none of {', '.join(LANGUAGES)}",
}


class ImportedPage(NamedTuple):
    """A page whose image is in the workspace; its OCR output decides whether it is kept."""

    found: SourcePage
    page: SourcePageRecord


def prepare(root: Path, settings: BuildSettings | None) -> Workspace:
    """Create a workspace with these settings, or open an existing one; raise an error if its settings differ."""
    if is_file(root / FILE):
        if settings is not None and settings != (existing := read_settings(root)):
            different = [name for name in BuildSettings.__slots__ if getattr(settings, name) != getattr(existing, name)]
            raise RunFolderError(
                f"{root}: already a workspace, with different {', '.join(different)}\n"
                f"  continue with `vde build init {root}`, change {root / FILE}, or choose another folder"
            )
        return Workspace(root)
    if settings is None or not settings.sources:
        raise RunFolderError(f"{root}: no {FILE} here; specify the source of the pages: `vde build init {root} SOURCE`")
    if is_file(root) or (is_folder(root) and list_folder(root)):
        raise RunFolderError(f"{root}: not empty and not a workspace; choose another folder")
    require_choices(settings)
    draw((), settings.preset, settings.seed, [each.name for each in settings.generators])
    for source in settings.sources:
        next(find_pages(source, root), None)  # raises errors before anything is written
    make_folder(root)
    write_settings(root, settings)
    return Workspace(root)


def initialise(workspace: Workspace, workers: int = 0, progress: Progress | None = None) -> Counter[str]:
    """Import all new pages of the sources; return the counts of new results."""
    with workspace.stage_lock():
        found = [each for source in workspace.settings.sources for each in find_pages(source, workspace.root)]
        listed = [{"key": each.key, "file": each.file.name, "page": each.page} for each in found]
        write_json(workspace.found_file, list({each["key"]: each for each in listed}.values()))
        known = {page.origin.get("key") for page in workspace.pages().values()}
        new = [each for each in found if each.key not in known]  # rejected files may have been fixed
        counts: Counter[str] = Counter(known=len(found) - len(new))
        imported = list(_import(workspace, new, counts))
        reader = workspace.reader()
        files = [workspace.page_image(each.page) for each in imported if each.found.annotation is None]
        pictures = [ImageCrop.of(file, lasting=True) for file in files]
        read_pictures(reader, pictures, workers, progress)
        failures: list[str] = []
        for source_page, page in imported:
            try:
                size = Size(page.width, page.height)
                page_text = source_page.text(size) or reader.read_page(workspace.page_image(page))
            except VdeError as error:  # the reader may be available later
                failures.append(str(error))
                continue
            language = source_page.language or language_of(page_text)
            if language not in LANGUAGES:
                reason = "other_language" if language else "no_language"
                _reject(workspace, source_page, reason, f"{language or 'no language'}: {page.id}", counts)
                workspace.page_image(page).unlink(missing_ok=True)
                continue
            write_json(workspace.page_readings / f"{page.id}.json", page_text.to_json())
            _record_page(
                workspace, page._replace(language=language, has_table=has_table(page_text)), source_page, reader.label
            )
            counts["pages"] += 1
        if failures:
            raise ReaderError(f"{failures[0]}\n  {len(failures)} pages could not be read; run the same command again")
        if not workspace.pages():
            raise InputError(f"{workspace.root}: none of {len(found)} pages can be used; see {workspace.rejected_file}")
    return counts


def _import(workspace: Workspace, new: list[SourcePage], counts: Counter[str]) -> Iterator[ImportedPage]:
    """Yield pages with imported images; reject those that cannot be opened or are duplicates."""
    pages = workspace.pages().values()
    pixels = {str(page.origin.get("pixels")): page.id for page in pages}
    names = {page.id.casefold() for page in pages}
    for found in new:
        name = safe_name(found.name)
        id = name if name.casefold() not in names else f"{name}-{found.key[:8]}"
        file: Path | None = None
        try:
            if found.fault:
                raise InputError(found.fault)
            content, ending = found.content()
            file = workspace.root / "pages" / f"{id}{ending}"
            write_bytes(file, content)
            image = open_image(file)
        except VdeError as error:
            _reject(workspace, found, "unreadable", str(error), counts)
            if file is not None:
                file.unlink(missing_ok=True)
            continue
        seen = hashlib.sha256(repr(image.shape).encode() + image.tobytes()).hexdigest()
        if seen in pixels:
            file.unlink()
            _reject(workspace, found, "duplicate", f"{found.file.name}: the same as {pixels[seen]}", counts)
            continue
        pixels[seen] = id
        names.add(id.casefold())
        height, width = image.shape[:2]
        where = f"pages/{file.name}"
        origin = {**found.origin, "pixels": seen}
        sha256 = digest_of_file(file)
        page = SourcePageRecord(id, where, sha256, width, height, "", found.document, False, origin, found.attributes)
        yield ImportedPage(found, page)


def _record_page(workspace: Workspace, page: SourcePageRecord, found: SourcePage, reader: str) -> None:
    by = f"annotation of {found.data_set}" if found.annotation is not None else reader
    page_text = digest_of_file(workspace.page_readings / f"{page.id}.json")
    outputs = {"image": page.sha256, "reading": page_text}
    words = f"{found.file.name}" + (f", page {found.page} at {found.source.ppi} ppi" if found.page else "")
    workspace.ledger.note(LedgerEntry("init", page.id, "page", by, outputs=outputs, words=words))
    workspace.append(page)


def _reject(workspace: Workspace, found: SourcePage, reason: str, words: str, counts: Counter[str]) -> None:
    counts[reason] += 1
    recorded = {(each.id, each.reason) for each in workspace.rejections() if each.stage == "init"}
    if (found.key, reason) not in recorded:
        workspace.append(Rejection("init", found.key, reason, words))
        workspace.ledger.note(LedgerEntry("init", found.key, "rejected", words=f"{reason}: {words}"))

"""The first stage, `init`: pages of the sources into the workspace, each with its reading, language and kind."""

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
from vdebench.pipeline.read import read_pictures
from vdebench.pipeline.scoring.stage import Progress
from vdebench.readers.cached import ImageCrop

REASONS = {
    "unreadable": "the file is missing, or is no image or PDF that can be opened",
    "duplicate": "the same pixels as a page that is there already",
    "no_language": "hardly any text, or in letters other than Latin and Chinese",
    "other_language": f"the data set says it is in none of {', '.join(LANGUAGES)}",
}


class ImportedPage(NamedTuple):
    """A page whose image is in the workspace; what is read on it decides about it."""

    found: SourcePage
    page: SourcePageRecord


def prepare(root: Path, settings: BuildSettings | None) -> Workspace:
    """A workspace with these settings, or one that is there already; never another one's settings."""
    if is_file(root / FILE):
        if settings is not None and settings != (there := read_settings(root)):
            wrong = [name for name in BuildSettings.__slots__ if getattr(settings, name) != getattr(there, name)]
            raise RunFolderError(
                f"{root}: is a workspace already, with other {', '.join(wrong)}\n"
                f"  go on with `vde build init {root}`, change {root / FILE}, or choose another folder"
            )
        return Workspace(root)
    if settings is None or not settings.sources:
        raise RunFolderError(f"{root}: no {FILE} here; name what its pages come from: `vde build init {root} SOURCE`")
    if is_file(root) or (is_folder(root) and list_folder(root)):
        raise RunFolderError(f"{root}: is not empty and no workspace; choose another folder")
    require_choices(settings)
    draw((), settings.preset, settings.seed, [each.name for each in settings.generators])
    for source in settings.sources:
        next(find_pages(source, root), None)  # says what is wrong before anything is written
    make_folder(root)
    write_settings(root, settings)
    return Workspace(root)


def initialise(workspace: Workspace, workers: int = 0, progress: Progress | None = None) -> Counter[str]:
    """Bring all pages of the sources in; those that are there already stay. How many became what, now."""
    with workspace.at_work():
        found = [each for source in workspace.settings.sources for each in find_pages(source, workspace.root)]
        listed = [{"key": each.key, "file": each.file.name, "page": each.page} for each in found]
        write_json(workspace.found_file, list({each["key"]: each for each in listed}.values()))
        known = {page.origin.get("key") for page in workspace.pages().values()}
        new = [each for each in found if each.key not in known]  # what was turned down may have been mended
        counts: Counter[str] = Counter(known=len(found) - len(new))
        brought = list(_brought(workspace, new, counts))
        reader = workspace.reader()
        pictures = [ImageCrop.of(workspace.page_image(each.page)) for each in brought if each.found.annotation is None]
        read_pictures(reader, pictures, workers, progress)
        failures: list[str] = []
        for found_page, page in brought:
            try:
                size = Size(page.width, page.height)
                reading = found_page.reading(size) or reader.read(workspace.page_image(page))
            except VdeError as error:  # the reader may be back tomorrow
                failures.append(str(error))
                continue
            language = found_page.language or language_of(reading)
            if language not in LANGUAGES:
                reason = "other_language" if language else "no_language"
                _turn_down(workspace, found_page, reason, f"{language or 'no language'}: {page.id}", counts)
                workspace.page_image(page).unlink(missing_ok=True)
                continue
            write_json(workspace.page_readings / f"{page.id}.json", reading.to_json())
            _keep(workspace, page._replace(language=language, has_table=has_table(reading)), found_page, reader.label)
            counts["pages"] += 1
        if failures:
            raise ReaderError(f"{failures[0]}\n  {len(failures)} pages are not read yet; run the same command again")
        if not workspace.pages():
            raise InputError(f"{workspace.root}: none of {len(found)} pages can be used; see {workspace.rejected_file}")
    return counts


def _brought(workspace: Workspace, new: list[SourcePage], counts: Counter[str]) -> Iterator[ImportedPage]:
    """Pages with their images in place; those that cannot be opened or are there already are turned down."""
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
            _turn_down(workspace, found, "unreadable", str(error), counts)
            if file is not None:
                file.unlink(missing_ok=True)
            continue
        seen = hashlib.sha256(repr(image.shape).encode() + image.tobytes()).hexdigest()
        if seen in pixels:
            file.unlink()
            _turn_down(workspace, found, "duplicate", f"{found.file.name}: the same as {pixels[seen]}", counts)
            continue
        pixels[seen] = id
        names.add(id.casefold())
        height, width = image.shape[:2]
        where = f"pages/{file.name}"
        origin = {**found.origin, "pixels": seen}
        sha256 = digest_of_file(file)
        page = SourcePageRecord(id, where, sha256, width, height, "", found.document, False, origin, found.attributes)
        yield ImportedPage(found, page)


def _keep(workspace: Workspace, page: SourcePageRecord, found: SourcePage, reader: str) -> None:
    by = f"annotation of {found.data_set}" if found.annotation is not None else reader
    reading = digest_of_file(workspace.page_readings / f"{page.id}.json")
    outputs = {"image": page.sha256, "reading": reading}
    words = f"{found.file.name}" + (f", page {found.page} at {found.source.ppi} ppi" if found.page else "")
    workspace.ledger.note(LedgerEntry("init", page.id, "page", by, outputs=outputs, words=words))
    workspace.append(page)


def _turn_down(workspace: Workspace, found: SourcePage, reason: str, words: str, counts: Counter[str]) -> None:
    counts[reason] += 1
    told = {(each.id, each.reason) for each in workspace.rejections() if each.stage == "init"}
    if (found.key, reason) not in told:
        workspace.append(Rejection("init", found.key, reason, words))
        workspace.ledger.note(LedgerEntry("init", found.key, "rejected", words=f"{reason}: {words}"))

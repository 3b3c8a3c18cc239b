"""`vde read`: OCR of images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from vdebench.cli.printing import warn
from vdebench.cli.progress import progress_bar
from vdebench.core.page_text import describe_unread
from vdebench.errors import InputError, VdeError
from vdebench.io.files import is_folder, list_folder, write_json
from vdebench.suites.names import FILES

_ENDINGS = FILES["image"]
READER_HELP = "OCR reader; `vde doctor` lists them."
READER_OPTION_HELP = "Option of the OCR reader."
WORKERS_HELP = "OCR processes; 0 for one per processor, up to 8."


def read_command(
    images: list[Path] = typer.Argument(..., metavar="IMAGE...", help="Image files, or folders of them."),
    out: Path = typer.Option(..., "--out", "-o", help="Output folder: NAME.json for each image."),
    reader: str = typer.Option("rapidocr", "--reader", help=READER_HELP),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help=READER_OPTION_HELP),
    workers: int = typer.Option(0, "--workers", help=WORKERS_HELP),
) -> None:
    """Run OCR on page images: one file per image, in PaddleOCR-VL's JSON format. Results are cached.

    Lines that the reader finds but cannot read (illegible, unknown script, low confidence) are counted for each image,
    and listed under "unread" in its file.

    Example: `vde read pages/ -o ocr`
    """
    from vdebench.pipeline.read import read_pictures
    from vdebench.readers.cached import CachedReader, ImageCrop

    files = [file for path in images for file in _image_files(path)]
    for name, count in Counter(file.stem for file in files).items():
        if count > 1:
            raise InputError(f"two images have the name {name}: their OCR output would have the same file name")
    cached = CachedReader.named(reader, reader_options(option))
    failures: list[str] = []
    pictures = []
    for file in files:
        with collecting(failures):
            pictures.append(ImageCrop.of(file))
    with progress_bar(f"{len(files)} pages") as progress:
        read_pictures(cached, pictures, workers, progress)
    notes = []
    for picture in pictures:
        with collecting(failures):
            page = cached.read(picture)
            write_json(out / f"{picture.file.stem}.json", page.to_json())
            if page.unread:
                notes.append(f"{picture.file.name}: {describe_unread(page.unread)}")
    for note in notes:
        typer.echo(note)
    typer.echo(f"{out}: {len(files) - len(failures)} images read by {reader}")
    for failure in failures:
        warn(failure)
    if failures:
        raise typer.Exit(2)


@contextmanager
def collecting(failures: list[str]) -> Iterator[None]:
    """Append the message of a `VdeError` to a list instead of raising it."""
    try:
        yield
    except VdeError as error:
        failures.append(str(error))


def reader_options(arguments: list[str]) -> dict[str, str]:
    """Parse options of the form `name=value`."""
    for option in arguments:
        if not option.partition("=")[1]:
            raise VdeError(f"--reader-option {option!r}: expected NAME=VALUE, such as url=http://localhost:8080")
    return {name.strip(): value for name, _, value in (option.partition("=") for option in arguments)}


def _image_files(path: Path) -> list[Path]:
    """Return an image, or the images in a folder."""
    if not is_folder(path):
        return [path]
    files = [path / name for name in list_folder(path) if Path(name).suffix.lower() in _ENDINGS]
    if not files:
        raise InputError(f"{path}: contains no images ({', '.join(_ENDINGS)})")
    return files

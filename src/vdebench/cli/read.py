"""`vde read` and `vde cache`: OCR of images, and the cache."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from vdebench.cli.printing import echo_json, warn
from vdebench.cli.progress import progress_bar
from vdebench.errors import InputError, VdeError
from vdebench.io.files import is_folder, list_folder, write_json
from vdebench.io.locations import cache_folder
from vdebench.suites.names import FILES

_ENDINGS = FILES["image"]
READER_HELP = "OCR reader; `vde doctor` lists them."
READER_OPTION_HELP = "Option of the OCR reader."
WORKERS_HELP = "OCR processes; 0 for one per processor, up to 8."
app = typer.Typer(help="Show and clear the cache.", no_args_is_help=True)


def read_command(
    images: list[Path] = typer.Argument(..., metavar="IMAGE...", help="Image files, or folders of them."),
    out: Path = typer.Option(..., "--out", "-o", help="Output folder: NAME.json for each image."),
    reader: str = typer.Option("rapidocr", "--reader", help=READER_HELP),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help=READER_OPTION_HELP),
    workers: int = typer.Option(0, "--workers", help=WORKERS_HELP),
) -> None:
    """Run OCR on page images: one file per image, in PaddleOCR-VL's JSON format. Results are cached.

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
    for picture in pictures:
        with collecting(failures):
            write_json(out / f"{picture.file.stem}.json", cached.read(picture).to_json())
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


@app.command()
def show(as_json: bool = typer.Option(False, "--json", help="Print as JSON.")) -> None:
    """Show the number and size of cached values.

    Example: `vde cache show`
    """
    from vdebench.io.cache import cache_usage

    usage = cache_usage()
    if as_json:
        echo_json([{"kind": row.kind, "maker": row.maker, "values": row.values, "bytes": row.size} for row in usage])
        return
    typer.echo(f"{cache_folder()}")
    for row in usage:
        maker = " ".join(f"{value}" for value in row.maker.values())
        typer.echo(f"  {row.values} {row.kind}, {row.size / 1e6:.1f} MB: {maker}")
    generated = cache_folder() / "typeset"
    if is_folder(generated):
        typer.echo(f"  {len(list_folder(generated))} typeset suites")


@app.command()
def clear(yes: bool = typer.Option(False, "--yes", help="Do not ask for confirmation.")) -> None:
    """Delete all cached values: OCR output, image metrics, generated suites. They can be computed again.

    Example: `vde cache clear --yes`
    """
    from vdebench.io.cache import KINDS

    folder = cache_folder()
    kinds = (*KINDS, "typeset")
    if not yes and not typer.confirm(f"delete {', '.join(kinds)} in {folder}?"):
        raise typer.Exit(1)
    for kind in kinds:
        shutil.rmtree(folder / kind, ignore_errors=True)
    typer.echo(f"{folder}: cleared")

"""`vde read` and `vde cache`: images into readings, and the readings that are kept."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console

from vdebench.cli.progress import progress_bar
from vdebench.errors import InputError, VdeError
from vdebench.io.files import is_folder, list_folder, write_json
from vdebench.io.locations import cache_folder
from vdebench.suites.names import FILES

_ENDINGS = FILES["image"]
app = typer.Typer(help="See and clear what is kept.", no_args_is_help=True)


def read_command(
    images: list[Path] = typer.Argument(..., metavar="IMAGE...", help="Image files, or folders of them."),
    out: Path = typer.Option(..., "--out", "-o", help="Folder for the readings: <name>.json for each image."),
    reader: str = typer.Option("rapidocr", "--reader", help="Who reads; `vde doctor` lists them."),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    workers: int = typer.Option(0, "--workers", help="Processes that read; 0 for one per processor, up to 8."),
) -> None:
    """Read pages into blocks: PaddleOCR-VL's JSON, one file per image. What was read before is not read again.

    Example: `vde read pages/ -o readings`
    """
    from vdebench.pipeline.read import read_pictures
    from vdebench.readers.cached import CachedReader, ImageCrop

    files = [file for given in images for file in _images(given)]
    for name, count in Counter(file.stem for file in files).items():
        if count > 1:
            raise InputError(f"two images are called {name}: their readings would have one name; read them apart")
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
    typer.echo(f"{out}: {len(files) - len(failures)} readings by {reader}")
    if failures:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        for failure in failures:
            console.print(f"vde: {failure}", markup=False)
        raise typer.Exit(2)


@contextmanager
def collecting(failures: list[str]) -> Iterator[None]:
    """Go on after a failure, and keep what it says."""
    try:
        yield
    except VdeError as error:
        failures.append(str(error))


def reader_options(given: list[str]) -> dict[str, str]:
    """Options of a reader as the command line gives them: `name=value`."""
    for option in given:
        if not option.partition("=")[1]:
            raise VdeError(f"--reader-option {option!r}: expected NAME=VALUE, such as url=http://localhost:8080")
    return {name.strip(): value for name, _, value in (option.partition("=") for option in given)}


def _images(given: Path) -> list[Path]:
    """An image, or the images of a folder."""
    if not is_folder(given):
        return [given]
    found = [given / name for name in list_folder(given) if Path(name).suffix.lower() in _ENDINGS]
    if not found:
        raise InputError(f"{given}: no images here; {', '.join(_ENDINGS)} are looked for")
    return found


@app.command()
def show(as_json: bool = typer.Option(False, "--json", help="For programs.")) -> None:
    """What is kept, and how much of it.

    Example: `vde cache show`
    """
    from vdebench.io.cache import cache_usage

    found = cache_usage()
    if as_json:
        rows = [{"kind": one.kind, "maker": one.maker, "values": one.values, "bytes": one.size} for one in found]
        typer.echo(json.dumps(rows, indent=2))
        return
    typer.echo(f"{cache_folder()}")
    for one in found:
        about = " ".join(f"{value}" for value in one.maker.values())
        typer.echo(f"  {one.values} {one.kind}, {one.size / 1e6:.1f} MB: {about}")
    orders = cache_folder() / "typeset"
    if is_folder(orders):
        typer.echo(f"  {len(list_folder(orders))} typeset suites")


@app.command()
def clear(yes: bool = typer.Option(False, "--yes", help="Do not ask.")) -> None:
    """Delete everything that is kept: readings, image metrics, suites made to order. They can be made again.

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

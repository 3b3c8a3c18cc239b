"""`vde typeset`: make suites whose ground truth is exact."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.progress import progress_bar
from vdebench.errors import InputError
from vdebench.io.files import replacing
from vdebench.suites.typeset.recipe import OPERATIONS, WEARS, SuiteRecipe

app = typer.Typer(help="Make suites whose ground truth is exact.", no_args_is_help=True)
_DEFAULT = SuiteRecipe()


@app.command()
def make(
    out: Path = typer.Option(..., "--out", help="Folder to make; one that was begun is gone on with."),
    n: int = typer.Option(60, "--n", help="Number of samples."),
    seed: int = typer.Option(1, help="Same seed, same bytes."),
    languages: str = typer.Option(",".join(_DEFAULT.languages), help="Languages of the pages."),
    operations: str = typer.Option("all", help=f"Edits: {', '.join(OPERATIONS)}; or all."),
    kinds: str = typer.Option("all", help="Kinds of documents, as the papers call them (book, exam_paper, …); or all."),
    per_page: int = typer.Option(_DEFAULT.per_page, help="Samples that share a page."),
    ppi: int = typer.Option(_DEFAULT.ppi, help="Pixels per inch."),
    wear: str = typer.Option(_DEFAULT.wear, help=f"Scan noise, skew, tint, JPEG: {', '.join(WEARS)}."),
    workers: int = typer.Option(0, min=0, help="Processes; as many as there are processors where 0."),
) -> None:
    """Set pages, edit them, set them again: images, masks, regions and exact readings of both.

    Example: `vde typeset make --n 200 --seed 1 --languages en,zh --out typeset200`
    """
    from vdebench.suites.typeset.make import make_suite  # the typesetter and OpenCV take a while to load

    recipe = SuiteRecipe(
        seed=seed,
        languages=_list("--languages", languages),
        operations=_DEFAULT.operations if operations == "all" else _list("--operations", operations),
        kinds=_DEFAULT.kinds if kinds == "all" else _list("--kinds", kinds),
        per_page=per_page,
        ppi=ppi,
        wear=wear,
    )
    with progress_bar(f"{n} samples") as progress:
        make_suite(out, n, recipe, workers or None, progress)
    typer.echo(f"{out}: {n} samples; look with `vde suite show {out}`")


@app.command()
def sheet(
    out: Path = typer.Option(..., "--out", help="Picture to write: .png or .jpg."),
    languages: str = typer.Option(",".join(_DEFAULT.languages), help="Languages, one row each."),
    seed: int = typer.Option(1, help="Another seed, other pages."),
) -> None:
    """A contact sheet: a page of every kind of document, to look at.

    Example: `vde typeset sheet --languages en,zh --out sheet.png`
    """
    from vdebench.suites.typeset.contact_sheet import contact_sheet

    if out.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise InputError(f"{out}: a picture ends in .png or .jpg")
    picture = contact_sheet(_list("--languages", languages), seed)
    with replacing(out) as temporary:
        picture.save(temporary, format="PNG" if out.suffix.lower() == ".png" else "JPEG", quality=82)
    typer.echo(f"{out}: {picture.width}×{picture.height}")


def _list(option: str, given: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise InputError(f"{option}: nothing is named")
    return names

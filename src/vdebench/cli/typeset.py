"""`vde typeset`: generate suites with exact ground truth."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.printing import split_names
from vdebench.cli.progress import progress_bar
from vdebench.errors import InputError
from vdebench.io.files import replacing
from vdebench.suites.typeset.recipe import DEGRADATIONS, OPERATIONS, SuiteRecipe

app = typer.Typer(help="Generate suites with exact ground truth.", no_args_is_help=True)
_DEFAULT = SuiteRecipe()


@app.command()
def make(
    out: Path = typer.Option(..., "--out", help="Output folder; an unfinished one is resumed."),
    n: int = typer.Option(60, "--n", help="Number of samples."),
    seed: int = typer.Option(1, help="Random seed; the same seed gives the same bytes."),
    languages: str = typer.Option(",".join(_DEFAULT.languages), help="Languages of the pages."),
    operations: str = typer.Option("all", help=f"Edits: {', '.join(OPERATIONS)}; or all."),
    kinds: str = typer.Option("all", help="Document types of the papers (book, exam_paper, …); or all."),
    per_page: int = typer.Option(_DEFAULT.per_page, help="Samples per page."),
    ppi: int = typer.Option(_DEFAULT.ppi, help="Pixels per inch."),
    degradation: str = typer.Option(
        _DEFAULT.degradation, help=f"Simulated scan (skew, tint, noise, JPEG): {', '.join(DEGRADATIONS)}."
    ),
    workers: int = typer.Option(0, min=0, help="Processes; 0 for one per processor."),
) -> None:
    """Typeset pages, edit them and typeset them again: images, masks, regions and exact text of both.

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
        degradation=degradation,
    )
    with progress_bar(f"{n} samples") as progress:
        make_suite(out, n, recipe, workers or None, progress)
    typer.echo(f"{out}: {n} samples; see `vde suite show {out}`")


@app.command()
def sheet(
    out: Path = typer.Option(..., "--out", help="Output image: .png or .jpg."),
    languages: str = typer.Option(",".join(_DEFAULT.languages), help="Languages, one row each."),
    seed: int = typer.Option(1, help="Random seed."),
) -> None:
    """Write a contact sheet with a page of every document type.

    Example: `vde typeset sheet --languages en,zh --out sheet.png`
    """
    from vdebench.suites.typeset.contact_sheet import contact_sheet

    if out.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise InputError(f"{out}: expected a file name that ends in .png or .jpg")
    picture = contact_sheet(_list("--languages", languages), seed)
    with replacing(out) as temporary:
        picture.save(temporary, format="PNG" if out.suffix.lower() == ".png" else "JPEG", quality=82)
    typer.echo(f"{out}: {picture.width}×{picture.height}")


def _list(option: str, text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(split_names(text)))
    if not names:
        raise InputError(f"{option}: expected at least one name")
    return names

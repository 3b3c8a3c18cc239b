"""`vde cache`: show, reduce and clear the cache."""

from __future__ import annotations

import shutil

import typer

from vdebench.cli.printing import echo_json
from vdebench.io.locations import cache_folder

_SHOWN = 3
"""Parts of an identity that are printed: a reader has a dozen."""
app = typer.Typer(help="Show, reduce and clear the cache; `VDE_CACHE_SIZE` is its size limit.", no_args_is_help=True)


@app.command()
def show(as_json: bool = typer.Option(False, "--json", help="Print as JSON.")) -> None:
    """Show the number and size of cached values, and the size limit.

    Example: `vde cache show`
    """
    from vdebench.io.cache_files import cache_usage
    from vdebench.io.cache_limit import VARIABLE, cache_limit, format_size

    usage = cache_usage()
    if as_json:
        echo_json([{"kind": row.kind, "maker": row.maker, "values": row.values, "bytes": row.size} for row in usage])
        return
    used, limit = sum(row.size for row in usage), cache_limit()
    typer.echo(f"{cache_folder()}: {format_size(used)}, limit {format_size(limit)} ({VARIABLE})")
    for row in usage:
        maker = " ".join(list(row.maker.values())[:_SHOWN])  # name, version, engine; --json prints all
        typer.echo(f"  {row.values} {row.kind}, {format_size(row.size)}: {maker}")


@app.command("prune")
def prune_command(
    to: str = typer.Option("", "--to", metavar="SIZE", help="Size to keep, such as 5GB; default: the size limit."),
) -> None:
    """Remove cached values until the cache has a certain size: the least recently used first.

    OCR output of editors' images is removed first, then image metrics, text lines, and last OCR output of the pages of
    suites. This happens by itself when the cache exceeds its limit, 20 GB or `VDE_CACHE_SIZE`.

    Examples: `vde cache prune`, `vde cache prune --to 5GB`
    """
    from vdebench.io.cache_limit import cache_limit, format_size, parse_size, prune

    pruned = prune(limit=parse_size(to, "--to") if to else cache_limit())
    typer.echo(f"{cache_folder()}: removed {pruned.removed} values, {format_size(pruned.size)} remain")


@app.command()
def clear(yes: bool = typer.Option(False, "--yes", help="Do not ask for confirmation.")) -> None:
    """Delete all cached values: OCR output, image metrics, generated suites, and answers of judges.

    All can be computed again; answers of judges cost money again.

    Example: `vde cache clear --yes`
    """
    from vdebench.io.cache_files import FOLDERS

    folder = cache_folder()
    if not yes and not typer.confirm(f"delete {', '.join(FOLDERS)} in {folder}?"):
        raise typer.Exit(1)
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    typer.echo(f"{folder}: cleared")

"""`vde review label-studio`: exchange of tasks and votes with Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import typer

from vdebench.cli.review_options import DATABASE, WORKSPACE

app = typer.Typer(no_args_is_help=True, help="Let people vote in Label Studio; the review checks the votes.")

_URL = typer.Option("", "--url", metavar="URL", help="Address of Label Studio; by default LABEL_STUDIO_URL.")
_PEOPLE = typer.Option(
    ...,
    "--people",
    metavar="FILE",
    help='TOML: [people], then "a@lab.example" = "anna" for each, or { name = "anna", group = "1" } to let them join.',
)
_JSON = typer.Option(False, "--json", help="Print the report as JSON.")


class _Report(Protocol):
    def lines(self) -> list[str]: ...
    def to_json(self) -> dict[str, Any]: ...


def _print(report: _Report, as_json: bool) -> None:
    typer.echo(json.dumps(report.to_json(), ensure_ascii=False) if as_json else "\n".join(report.lines()))


@app.command()
def push(
    workspace: Path = WORKSPACE,
    people: Path | None = typer.Option(
        None, "--people", metavar="FILE", help="People file, as for pull: people with a group join."
    ),
    url: str = _URL,
    database: str = DATABASE,
    as_json: bool = _JSON,
) -> None:
    """Create missing projects and tasks: one project per step and group, one task per waiting sample.

    The key is read from LABEL_STUDIO_API_KEY. Running the command again creates no duplicates.

    Example:

    `vde review label-studio push build --url http://localhost:8080`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge

    with LabelStudioBridge(workspace, database, url) as bridge:
        _print(bridge.push(people), as_json)


@app.command()
def pull(
    workspace: Path = WORKSPACE,
    people: Path = _PEOPLE,
    url: str = _URL,
    database: str = DATABASE,
    as_json: bool = _JSON,
) -> None:
    """Submit annotations as votes; invalid ones are refused and reported with the reason.

    Example:

    `vde review label-studio pull build --people people.toml --url http://localhost:8080`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge

    with LabelStudioBridge(workspace, database, url) as bridge:
        _print(bridge.pull(people), as_json)


@app.command()
def sync(
    workspace: Path = WORKSPACE,
    people: Path = _PEOPLE,
    url: str = _URL,
    database: str = DATABASE,
    every: float = typer.Option(
        0, "--every", metavar="SECONDS", min=0, help="Repeat until interrupted, with this pause."
    ),
    workers: int = typer.Option(0, "--workers", min=0, help="OCR processes; 0 for one per processor."),
    as_json: bool = _JSON,
) -> None:
    """Pull votes, prepare reference images, push tasks.

    Examples:

    `vde review label-studio sync build --people people.toml --url http://localhost:8080`

    `vde review label-studio sync build --people people.toml --every 60`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge, sync_for_ever

    with LabelStudioBridge(workspace, database, url, workers=workers) as bridge:
        if every:
            sync_for_ever(
                bridge, people, every, lambda synced: _print(synced, as_json), lambda words: typer.echo(words, err=True)
            )
        _print(bridge.sync(people), as_json)

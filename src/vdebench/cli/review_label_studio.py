"""`vde review label-studio`: people who work in Label Studio, and the review that keeps the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import typer

from vdebench.cli.review_options import DATABASE, WORKSPACE

app = typer.Typer(no_args_is_help=True, help="Have people work in Label Studio; the review keeps the rules.")

_URL = typer.Option("", "--url", metavar="URL", help="Of Label Studio; else LABEL_STUDIO_URL.")
_PEOPLE = typer.Option(
    ...,
    "--people",
    metavar="FILE",
    help='TOML: [people], then "a@lab.example" = "anna" for each, or { name = "anna", group = "1" } to have them join.',
)
_JSON = typer.Option(False, "--json", help="Print what came of it as JSON.")


class _Report(Protocol):
    def lines(self) -> list[str]: ...
    def to_json(self) -> dict[str, Any]: ...


def _tell(report: _Report, as_json: bool) -> None:
    typer.echo(json.dumps(report.to_json(), ensure_ascii=False) if as_json else "\n".join(report.lines()))


@app.command()
def push(
    workspace: Path = WORKSPACE,
    people: Path | None = typer.Option(
        None, "--people", metavar="FILE", help="As for pull: who has a group in it joins."
    ),
    url: str = _URL,
    database: str = DATABASE,
    as_json: bool = _JSON,
) -> None:
    """Make the projects and tasks that are missing: one project for each step and group, a task for what waits.

    The key is taken from LABEL_STUDIO_API_KEY. Run it as often as you like: nothing is made twice.

    Example:

    `vde review label-studio push build --url http://localhost:8080`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge

    with LabelStudioBridge(workspace, database, url) as bridge:
        _tell(bridge.push(people), as_json)


@app.command()
def pull(
    workspace: Path = WORKSPACE,
    people: Path = _PEOPLE,
    url: str = _URL,
    database: str = DATABASE,
    as_json: bool = _JSON,
) -> None:
    """Turn what people said in Label Studio into votes; what cannot be one is refused, and told with its reason.

    Example:

    `vde review label-studio pull build --people people.toml --url http://localhost:8080`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge

    with LabelStudioBridge(workspace, database, url) as bridge:
        _tell(bridge.pull(people), as_json)


@app.command()
def sync(
    workspace: Path = WORKSPACE,
    people: Path = _PEOPLE,
    url: str = _URL,
    database: str = DATABASE,
    every: float = typer.Option(0, "--every", metavar="SECONDS", min=0, help="Go on, with so long between two times."),
    workers: int = typer.Option(0, "--workers", min=0, help="Processes that read; 0 for one per processor."),
    as_json: bool = _JSON,
) -> None:
    """Pull, paste back and read what was agreed on, push.

    Examples:

    `vde review label-studio sync build --people people.toml --url http://localhost:8080`

    `vde review label-studio sync build --people people.toml --every 60`
    """
    from vdebench.review.label_studio.sync import LabelStudioBridge, sync_for_ever

    with LabelStudioBridge(workspace, database, url, workers=workers) as bridge:
        if every:
            sync_for_ever(
                bridge, people, every, lambda synced: _tell(synced, as_json), lambda words: typer.echo(words, err=True)
            )
        _tell(bridge.sync(people), as_json)

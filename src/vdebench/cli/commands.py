"""The commands of `vde`, in groups; the module of a command is imported when it is used.

`vde --help` and `vde --version` then load no metrics, readers or image libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

STYLE: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": "markdown",
    "pretty_exceptions_enable": False,
}
"""Settings of all parts of the command line."""


class LazyCommand(NamedTuple):
    """A command: where it is defined, and the first paragraph of its help."""

    name: str
    target: str
    """Module in `vdebench.cli` and the name of the function or of the group of commands."""
    help: str


GROUPS = {
    "Run and score": [
        LazyCommand(
            "run",
            "run:run_command",
            "Edit a suite, read the outputs by OCR and score them. An interrupted run resumes with the same command.",
        ),
        LazyCommand(
            "score",
            "score:score_command",
            "Score the outputs of one or more editors. Exit code 2 if samples could not be scored.",
        ),
        LazyCommand(
            "judge",
            "judge:judge_command",
            "Grade editors' outputs with a multimodal model. An interrupted run resumes; no question is asked twice.",
        ),
        LazyCommand("edit", "edit:edit_command", "Edit one page. Exit code 2 with the reason if the editor refuses."),
        LazyCommand(
            "diff",
            "diff:diff_command",
            "List every change between two images of a page: text, facts, ink and geometry.",
        ),
        LazyCommand(
            "read",
            "read:read_command",
            "Run OCR on page images: one file per image, in PaddleOCR-VL's JSON format. Results are cached.",
        ),
    ],
    "Look and compare": [
        LazyCommand(
            "report",
            "report:report_command",
            "Write an HTML report: leaderboard, breakdowns, and every sample side by side with its reference.",
        ),
        LazyCommand(
            "usable",
            "usable:usable_command",
            "Show the rate of usable edits, and the property at which the others fail first.",
        ),
        LazyCommand(
            "compare",
            "compare:compare_command",
            "Compare editors on their common samples: intervals, paired tests against the first, wins, samples needed.",
        ),
        LazyCommand(
            "table",
            "table:table_command",
            "Show runs as a table, by default with metrics of other packages, or in the layout of a paper's table.",
        ),
        LazyCommand(
            "show",
            "show:show_command",
            "Show what a run scored and how, its results, machine, duration and cost.",
        ),
        LazyCommand(
            "leaderboard",
            "leaderboard:leaderboard_command",
            "Write a static website of many runs: one table per comparable group, plots, and files for papers.",
        ),
        LazyCommand(
            "submit", "submit:submit_command", "Pack a run into one file that anybody can check with `vde verify`."
        ),
        LazyCommand(
            "verify",
            "verify:verify_command",
            "Check a submission: files, checksums and predictions; score a part of the samples again.",
        ),
    ],
    "Build": [
        LazyCommand("build", "build:app", "Build a benchmark from documents."),
        LazyCommand("typeset", "typeset:app", "Generate suites with exact ground truth."),
        LazyCommand("suite", "suite:app", "Get, show, check and export a suite; its statistics and difficulty."),
    ],
    "People": [
        LazyCommand("review", "review:app", "Human review of edits, and the agreement between people."),
        LazyCommand("human", "human:app", "Blind ranking of outputs by people, and correlation with the metrics."),
    ],
    "Trust": [
        LazyCommand("protocols", "protocols:app", "List and explain scoring protocols."),
        LazyCommand(
            "validate-metrics",
            "validate:validate_command",
            "Corrupt reference images step by step, score them, and report which metrics decrease.",
        ),
        LazyCommand(
            "ambiguity",
            "judge:ambiguity_command",
            "Grade the ambiguity of a suite's instructions with models: six dimensions, from 1 to 5.",
        ),
        LazyCommand(
            "ambiguity-drop",
            "ambiguity:drop_command",
            "Measure how much scores drop on ambiguous instructions, in total and per unit of graded ambiguity.",
        ),
    ],
    "Installation": [
        LazyCommand(
            "editors",
            "editors_list:app",
            "List the editors: requirements, model, licence, output size, and whether each is ready on this machine.",
        ),
        LazyCommand(
            "doctor",
            "doctor:doctor_command",
            "Check every editor, reader and image metric: ready, or what is missing and how to install it.",
        ),
        LazyCommand("cache", "cache:app", "Show, reduce and clear the cache; `VDE_CACHE_SIZE` is its size limit."),
    ],
}
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}


class CommandGroup(TyperGroup):
    """Lists the commands without their modules, and loads the one that is used."""

    def __init__(self, **settings: Any) -> None:
        listed = {
            command.name: TyperCommand(command.name, help=command.help, rich_help_panel=group)
            for group, commands in GROUPS.items()
            for command in commands
        }
        super().__init__(**{**settings, "commands": listed})
        self._listing = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page with the commands' descriptions."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; while help is written, only its description."""
        if self._listing or cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        return load_command(COMMANDS[cmd_name])


def load_command(command: LazyCommand) -> Any:
    """Import a command."""
    module, _, name = command.target.partition(":")
    found = getattr(import_module(f"vdebench.cli.{module}"), name)
    parent = typer.Typer(**STYLE)
    parent.callback()(lambda: None)  # a group, even with one command
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=command.name)
    else:
        parent.command(command.name)(found)
    return typer.main.get_group(parent).commands[command.name]

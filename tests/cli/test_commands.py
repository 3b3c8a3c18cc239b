"""The list of commands: what it says of each is what the command says, and it loads none of them."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from tests.commands import vde
from vdebench.cli.commands import COMMANDS, GROUPS, load_command

HEAVY = {"numpy", "polars", "cv2", "scipy", "PIL", "vdebench.pipeline.score"}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_description_is_the_beginning_of_the_commands_help(command):
    loaded = load_command(command)
    assert loaded.name == command.name
    first = inspect.cleandoc(loaded.help).partition("\n\n")[0]
    assert " ".join(first.split()) == command.help


@pytest.mark.parametrize("argument", ["--version", "--help", "-h"])
def test_help_and_version_load_no_heavy_packages(argument):
    code = (
        "import sys; from vdebench.cli.main import run\n"
        f"sys.argv = ['vde', {argument!r}]\n"
        "try: run()\n"
        "except SystemExit as stop: assert not stop.code\n"
        f"print('loaded:', *sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_help_lists_all_commands_in_groups():
    shown = vde("-h").stdout
    assert shown == vde("--help").stdout
    for group, commands in GROUPS.items():
        assert f"─ {group} ─" in shown
        assert all(f"│ {command.name} " in shown for command in commands)


def test_short_help_of_a_command_and_of_a_group():
    assert "Usage: vde score [OPTIONS] {SUITE}" in vde("score", "-h").stdout
    assert vde("suite", "check", "-h").stdout == vde("suite", "check", "--help").stdout


def test_a_misspelt_command():
    error = vde("scor", code=2).stderr
    assert "No such command 'scor'. Did you mean 'score'" in error
    assert "Try 'vde --help' for help." in error


def test_names_of_the_package_are_imported_when_they_are_used():
    code = (
        "import sys, vdebench\n"
        "assert 'polars' not in sys.modules and 'score' in dir(vdebench)\n"
        "assert vdebench.load_suite is sys.modules['vdebench.suites.suite'].load_suite\n"
        "assert all(getattr(vdebench, name) for name in vdebench.__all__)\n"
        "vdebench.nothing"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.endswith("AttributeError: module 'vdebench' has no attribute 'nothing'\n")

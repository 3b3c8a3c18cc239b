"""Packages import only what docs/architecture.md says, and no modules import each other in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Set
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path("src/vdebench")
EVERYWHERE = {"errors", "_version"}
ENTRANCES = {"", "__main__"}  # `import vdebench` and `python -m vdebench`
ROW = re.compile(r"^\| `(\w+)` \| .* \| ([^|]+) \|$", re.MULTILINE)


@cache
def imports() -> Mapping[str, Set[str]]:
    """Every module with the modules it imports, wherever in the file: names without `vdebench.`."""
    files = {_name(file): file for file in SOURCE.rglob("*.py")}
    return {name: frozenset(_imported(file, files) - {name}) for name, file in files.items()}


def _name(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def _imported(file: Path, modules: Mapping[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: relative import"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            deeper = {name for name in inside if name.removeprefix("vdebench.") in modules}
            found |= deeper | ({node.module or ""} if inside - deeper else set())
    ours = {name.removeprefix("vdebench").removeprefix(".") for name in found if name.partition(".")[0] == "vdebench"}
    return ours & set(modules)


def package(module: str) -> str:
    return module.partition(".")[0]


def rows() -> dict[str, set[str]]:
    """The table of the page: every package with those it imports, in the page's order."""
    text = Path("docs/architecture.md").read_text("utf-8")
    return {name: set() if cell == "–" else set(cell.split(", ")) for name, cell in ROW.findall(text)}


def test_the_page_lists_every_package():
    assert set(rows()) == {package(module) for module in imports()} - EVERYWHERE - ENTRANCES


def test_packages_import_what_the_page_says():
    real: dict[str, set[str]] = {name: set() for name in rows()}
    for module, others in imports().items():
        if package(module) in real:
            real[package(module)] |= {package(other) for other in others} - EVERYWHERE - {package(module)}
    assert real == rows()


def test_packages_import_only_what_is_above_them():
    above: set[str] = set()
    for name, others in rows().items():
        assert others <= above, name
        above.add(name)


def test_no_modules_import_each_other_in_a_circle():
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


def test_only_entrances_import_the_whole_package():
    assert [module for module, others in imports().items() if "" in others and module not in ENTRANCES] == []

"""Derive a suite from the files of a repository, by their content rather than their names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vdebench.errors import VdeError
from vdebench.io.files import read_json
from vdebench.suites.hub.errors import HubError
from vdebench.suites.hub.layout_vde import vde_groups
from vdebench.suites.hub.sets import DataSet
from vdebench.suites.names import FILES, files_by_stem, stem
from vdebench.suites.textedit_vocabulary import split_named


class Tree:
    """The folders below a root that contain files, and the JSON lists among the files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folders: dict[str, list[str]] = {}
        self.inner: dict[str, list[str]] = {}
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
            inside = Path(folder).relative_to(root).as_posix()
            self.folders[inside] = sorted(name for name in names if not name.startswith("."))
            self.inner[inside] = list(inner)

    def lists(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield JSON files with a list of objects, the shallowest first."""
        for inside in sorted(self.folders, key=lambda one: (one.count("/") + (one != "."), one)):
            for name in self.folders[inside]:
                file = self.root / inside / name
                if name.lower().endswith(".json") and _begins_a_list(file):
                    try:
                        data = read_json(file)
                    except VdeError:
                        continue
                    if isinstance(data, list) and data and isinstance(data[0], dict):
                        yield (name if inside == "." else f"{inside}/{name}"), data

    def with_files(self, kind: str) -> dict[str, set[str]]:
        """Return folders with OCR output or images, with the stems of the files."""
        found = {inside: set(files_by_stem(names, FILES[kind])) for inside, names in self.folders.items()}
        return {inside: stems for inside, stems in found.items() if stems}

    def summary(self) -> str:
        """Return a short listing of the top level."""
        names = [f"{name}/" for name in self.inner.get(".", [])] + self.folders.get(".", [])
        return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "") or "nothing"


def arrange(one: DataSet, root: Path) -> tuple[str, str]:
    """Return the location of the suite in a folder and the `suite.toml` to write, empty if none is needed."""
    tree = Tree(root)
    if "suite.toml" in tree.folders.get(".", []):
        return ".", ""
    if one.form == "textedit":
        return _textedit(one, tree), ""
    if one.form == "omnidoc":
        return ".", _toml("omnidoc", one.name, {"pages": _omnidoc(one, tree)})
    groups = vde_groups(tree.root, dict(tree.lists()), tree.with_files("reading"), tree.with_files("image"))
    if not groups:
        raise HubError(_unknown(one, tree, "a JSON list of entries with `image_output` and `instruction`"))
    return ".", _toml("vde-release", one.name, groups)


def _textedit(one: DataSet, tree: Tree) -> str:
    """Return the folder with the most splits, the shallowest of several."""
    splits = {inside: {split_named(name) for name in names} - {None} for inside, names in tree.inner.items()}
    best = min(splits, key=lambda inside: (-len(splits[inside]), inside.count("/") + (inside != "."), inside))
    if not splits[best]:
        raise HubError(_unknown(one, tree, "data_manual_production or data_web-sourced_instances"))
    return f"textedit:{best}"


def _omnidoc(one: DataSet, tree: Tree) -> dict[str, str]:
    """Return the annotations, and the folder with most of their pages."""
    pages = {path: data for path, data in tree.lists() if {"page_info", "layout_dets"} <= data[0].keys()}
    if not pages:
        raise HubError(_unknown(one, tree, "a JSON list of pages with `page_info` and `layout_dets`"))
    info = next((path for path in pages if Path(path).name == "OmniDocBench.json"), None)
    if info is None and len(pages) > 1:
        raise HubError(f"{tree.root}: {' and '.join(list(pages)[:3])} could all be the annotations; keep one")
    info = info or next(iter(pages))
    names = {
        stem(str(page.get("page_info", {}).get("image_path", ""))) for page in pages[info] if isinstance(page, dict)
    }
    found = {inside: len(names & stems) for inside, stems in tree.with_files("image").items()}
    best = max(found, key=lambda inside: (found[inside], -len(inside)), default="")
    return {"info": info, **({"images": best} if best and found[best] else {})}


def _toml(form: str, name: str, groups: dict[str, dict[str, str]]) -> str:
    lines = [f'format = "{form}"', f'name = "{name}"']
    for group, parts in groups.items():
        lines += ["", f"[groups.{group}]", *(f"{key} = {json.dumps(path)}" for key, path in parts.items())]
    return "\n".join(lines) + "\n"


def _unknown(one: DataSet, tree: Tree, expected: str) -> str:
    return (
        f"{tree.root}: no {one.title} here: found {tree.summary()}\n  expected {expected}\n"
        "  if the layout has changed, write a suite.toml yourself: docs/formats.md"
    )


def _begins_a_list(file: Path) -> bool:
    """Whether the first character of a file other than white space is `[`; OCR output starts differently."""
    try:
        with file.open("rb") as stream:
            return stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    except OSError:
        return False

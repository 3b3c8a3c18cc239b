"""Write the leaderboard: one page, its style and scripts, data in scripts, and the tables as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.report.leaderboard.board import slice_data, table_data
from vdebench.report.leaderboard.exports import FOLDER, file_names, measured_table, write_tables
from vdebench.report.leaderboard.gather import find_runs
from vdebench.report.leaderboard.groups import SignatureGroup, group_runs
from vdebench.report.leaderboard.links import Links
from vdebench.report.leaderboard.published import printed_data, printed_tables, published_rows
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.table import Table
from vdebench.report.web.assets import write_data, write_site
from vdebench.stats.usable import PROPERTIES

MARKER = "vdebench-leaderboard.json"
"""Stands in every folder that we made, and may replace."""
_WHAT = "leaderboard"


def write_leaderboard(
    runs: Sequence[Path],
    out: Path,
    *,
    published: bool = False,
    reports: Sequence[Path] = (),
    title: str = "Leaderboard",
) -> Path:
    """Write the leaderboard of some runs, or folders of runs, to the folder `out`, and return the path of its page.

    Runs are in one table if their signatures differ only in the editor. `published` adds tables of the papers. Samples
    are linked if a report shows them. An old leaderboard is replaced atomically; raises `RunFolderError` for a folder
    with other content.
    """
    target = Path(os.path.realpath(out))
    require_generated(target, MARKER, _WHAT)
    found = find_runs([Path(each) for each in runs])
    groups = group_runs(found.runs)
    links = Links(found.runs, [Path(each) for each in reports])
    with replacing_folder(target, MARKER, _WHAT) as folder:
        write_site(folder, "vdebench.report.leaderboard")
        tables: dict[str, Table] = {}
        table_list = [_write_group(folder, groups, group, tables) for group in groups]
        for group, data in zip(groups, table_list, strict=True):
            for run, row in zip(group.runs, data["rows"], strict=True):
                row["link"] = links.to(run, target)
            data["beside"] = published_rows(group) if published else None
        printed = _printed(tables) if published else []
        head = {"title": title, "version": __version__, "properties": PROPERTIES, "notes": found.notes}
        write_data(folder, "leaderboard", {**head, "tables": table_list, "printed": printed})
        write_tables(folder, tables)
    return Path(out) / "index.html"


def _write_group(
    folder: Path, groups: Sequence[SignatureGroup], group: SignatureGroup, tables: dict[str, Table]
) -> dict[str, Any]:
    """Return the data of a table, write its slices as scripts, and add its files to `tables`."""
    data = table_data(groups, group)
    data["files"], data["values"] = {}, {}
    stem = f"{group.number} {group.protocol}"
    names = file_names([stem, *(f"{stem} by {title}" for title in data["slices"].values())])
    for at, (by, name) in enumerate(zip(["", *data["slices"]], names, strict=True)):
        slices = slice_data(group, by) if by else {}
        if by:
            write_data(folder, f"slices/{group.number}-{at}", slices)
            data["values"][by] = [f"slices/{group.number}-{at}", list(slices)]
        tables[name] = measured_table(group, data, slices, by)
        data["files"][by] = f"{FOLDER}/{name}"
    return data


def _printed(tables: dict[str, Table]) -> list[dict[str, Any]]:
    """The papers' tables as data; their files are added to `tables`."""
    told = []
    printed = printed_tables()
    names = file_names([f"printed {shape}" for shape in printed])
    for (shape, table), name in zip(printed.items(), names, strict=True):
        tables[name] = table
        told.append({**printed_data(shape, table), "file": f"{FOLDER}/{name}"})
    return told

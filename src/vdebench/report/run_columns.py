"""Columns that are computed from the summary of a run: metrics of kind `run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdebench.metrics.registry import registered


def with_run_columns(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a summary whose overall means have the values of all run columns, in every setting."""
    columns = {name: column.function for name, column in registered(("run",)).items()}
    if not columns:
        return summary
    values = {name: function(summary) for name, function in columns.items() if function}
    overall = {setting: means and {**means, **values} for setting, means in summary["overall"].items()}
    return {**summary, "overall": overall}

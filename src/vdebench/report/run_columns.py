"""Columns that are computed from the summary of a run: metrics of kind `run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdebench.metrics.registry import registered


def with_run_columns(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a summary whose overall means have the values of all run columns, in the settings that show them."""
    overall = summary.get("overall")
    if not isinstance(overall, Mapping):  # edited by hand; what reads it reports that
        return summary
    columns = [(column, column.function) for column in registered(("run",)).values() if column.function]
    values = [(column, value) for column, function in columns if (value := function(summary)) is not None]

    def shown(setting: str) -> dict[str, Any]:
        return {column.name: value for column, value in values if column.setting in ("", setting)}

    overall = {
        setting: {**means, **shown(setting)} if means and isinstance(means, Mapping) else means
        for setting, means in overall.items()
    }
    return {**summary, "overall": overall}

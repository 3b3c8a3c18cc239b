"""The report of a folder of runs: a static page that works offline and from a file."""

from vdebench.report.site.write import write_report

__all__ = ["write_report"]

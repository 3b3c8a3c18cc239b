"""The leaderboard: a static site of many runs, in tables that hold only what is comparable."""

from vdebench.report.leaderboard.write import write_leaderboard

__all__ = ["write_leaderboard"]

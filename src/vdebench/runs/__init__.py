"""The run folder: what was scored, kept so that nothing is done twice and nothing is lost."""

from vdebench.runs.folder import RunFolder, ScoredSample

__all__ = ["RunFolder", "ScoredSample"]

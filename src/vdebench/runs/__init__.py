"""The run folder: stored scores, so that a run can be interrupted and resumed."""

from vdebench.runs.folder import RunFolder, ScoredSample

__all__ = ["RunFolder", "ScoredSample"]

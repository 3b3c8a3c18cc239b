"""Studies on runs and suites: usable edits, human ranking, ambiguity, metric validity, layout statistics."""

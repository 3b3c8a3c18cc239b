"""Statistics from stored per-sample numbers: re-aggregation, never re-scoring."""

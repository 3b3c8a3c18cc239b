"""The validity ladder: right answers made worse step by step, to see whether a metric follows.

A room of its own: corruptions need the typesetter, and climbing needs `api.score`, which `analysis` must not import.
"""

"""Pure functions from boxes, texts, tables and images to numbers, and the registry of what each of them is."""

from vdebench.metrics.registry import METRICS, Metric, metric, registered

__all__ = ["METRICS", "Metric", "metric", "registered"]

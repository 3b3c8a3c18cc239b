"""Pure functions from boxes, texts and tables to numbers; each declares its direction and bounds."""

from vdebench.metrics.registry import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]

"""Metrics: pure functions of boxes, texts, tables and images, and their registry."""

from vdebench.metrics.registry import METRICS, Metric, metric, registered

__all__ = ["METRICS", "Metric", "metric", "registered"]

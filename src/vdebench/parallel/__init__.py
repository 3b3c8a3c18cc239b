"""Parallel execution of tasks on this machine or on a Ray cluster."""

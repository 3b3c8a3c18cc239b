"""Suites whose ground truth is exact: a document is set, edited and set again, and every box and character known."""

"""Protocols for whole pages of text: matching, text metrics, region outcomes."""

"""Protocols for images with masks: pixels outside the mask, text inside it."""

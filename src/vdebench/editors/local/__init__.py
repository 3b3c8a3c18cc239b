"""Editors with local weights, run with diffusers (extra `diffusers`)."""

"""Editors whose weights run on this machine, by diffusers (extra `diffusers`)."""

"""Runs that are handed in: a file that says what was scored, with which result, and how anybody can check it."""

"""Submissions: a scored run packed into one zip file, and its verification."""

"""Blocks of a page: lines grouped into paragraphs, list marks, details of characters."""

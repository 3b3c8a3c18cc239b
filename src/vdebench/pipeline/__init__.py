"""The stages of an evaluation: rewrite, edit, read, score, judge, and the whole run."""

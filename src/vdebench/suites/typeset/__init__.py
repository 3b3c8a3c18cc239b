"""Generated suites with exact ground truth: documents are typeset, edited and typeset again."""

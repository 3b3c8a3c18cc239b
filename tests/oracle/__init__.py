"""Independent, straightforward implementations, in pure Python: what the fast code must equal, and how slow it would be."""

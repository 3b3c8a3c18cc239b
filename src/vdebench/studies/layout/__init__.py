"""Layout statistics of pages (VDE paper, equations 6 to 12)."""

"""`vde review serve`: the review over HTTP, for people with a browser."""

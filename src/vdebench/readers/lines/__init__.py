"""Lines of a page: detection, recognition, and which of them cannot be read."""

"""Files, caches, journals and object stores."""

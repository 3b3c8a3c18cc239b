"""A benchmark from documents: pages → instructions → edits → readings → review → package, in a workspace folder."""

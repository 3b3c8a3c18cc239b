"""The steps of the review, one module each. `workflow` loads every module here and uses its `STEP`."""

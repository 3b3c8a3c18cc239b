"""Editors behind servers: one file for each way of asking, `presets` for the models that the papers name."""

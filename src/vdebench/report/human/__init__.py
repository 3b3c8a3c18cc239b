"""People beside the metrics: sheets to rank outputs on, tables and a figure of how well both go together."""

"""A schedule as a chart to look into: one HTML page, its script beside it in plain JavaScript."""

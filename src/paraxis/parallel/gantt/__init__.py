"""A schedule as an interactive chart: one HTML page with its script in plain JavaScript."""

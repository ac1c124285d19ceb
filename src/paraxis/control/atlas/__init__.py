"""Maps of when stale data is safe: simulated runs, and the boundary that a linear loop predicts."""

"""Maps of when stale data is safe: simulated runs, and boundaries predicted by a linear loop."""

"""Controllers that use stale data, their closed loops, and when these are safe."""

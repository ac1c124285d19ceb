"""Tasks that depend on one another, and their sources."""

"""Tasks that wait for one another, and where they come from."""

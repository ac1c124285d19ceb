"""Models of the same robot that cost less."""

"""A solver as C to take away: no allocation, no globals, with a self-test."""

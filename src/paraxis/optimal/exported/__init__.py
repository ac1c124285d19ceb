"""A solver exported as C: no allocation, no globals, with a self-test."""

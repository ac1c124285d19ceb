"""Robots in contact: the constraints of contacts, and the dynamics under them."""

"""Robots in contact: what a contact constrains, and the dynamics under it."""

"""Targets: how a graph becomes code that runs."""

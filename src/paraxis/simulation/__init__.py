"""Robots that move in time."""

"""Robots in 3-D that move: pages of one file, with nothing to fetch."""

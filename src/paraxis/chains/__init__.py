"""Dynamics of chains so long that a chain is a row of numbers, not a program of its own."""

"""Dynamics in logarithmic time: Fijany's claims, counted and measured."""

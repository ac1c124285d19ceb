"""Schedules: methods that make them, bounds, charts of many."""

"""Schedules: checked plans and their bounds, from methods by name, for threads, or many at once."""

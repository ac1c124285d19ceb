"""Schedules: checked plans beside their bounds, from methods by name, for threads, or many at once."""

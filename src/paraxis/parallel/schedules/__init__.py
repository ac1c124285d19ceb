"""Schedules: checked plans with bounds, from methods by name, for threads, or for many sizes."""

"""Schedules run for real, on threads."""

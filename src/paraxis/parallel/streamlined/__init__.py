"""Dhanaraj's subtasks of three operations."""

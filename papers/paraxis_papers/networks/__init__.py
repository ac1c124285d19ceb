"""Recurrences on several processors, and the networks between these."""

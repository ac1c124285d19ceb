"""Recurrences on several processors, and the networks that connect these."""

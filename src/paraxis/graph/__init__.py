"""Straight-line scalar graphs: built once, checked, printed, interpreted."""

"""Fijany's plan: forward dynamics of an arm in contact on two arrays of processors."""

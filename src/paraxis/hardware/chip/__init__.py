"""Lathrop's robot chip: a systolic array of matrix-vector processors with fixed-point words."""

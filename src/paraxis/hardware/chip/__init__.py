"""Lathrop's robot chip: a systolic array of matrix-vector processors on fixed-point words."""

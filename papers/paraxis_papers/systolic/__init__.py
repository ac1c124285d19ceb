"""Lathrop's arrays of processors beside what he prints of them."""

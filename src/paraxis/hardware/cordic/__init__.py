"""CORDIC arithmetic in integers: words, units, one processor for all functions."""

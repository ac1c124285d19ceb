"""CORDIC arithmetic, and circuits made of it."""

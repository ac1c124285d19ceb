"""Circuits of CORDIC units: ranges, word lengths, streams, accuracy."""

"""The shortest schedule, and the proof that it is."""

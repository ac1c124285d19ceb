"""The shortest schedule, with a proof of optimality."""

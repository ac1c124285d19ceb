"""CORDIC units, one per kind of task, written once for the model and the hardware."""

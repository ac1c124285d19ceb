"""CORDIC units, one for each kind of task, written once for the model and for the hardware."""

"""From a graph of scalar operations to tasks of CORDIC processors."""

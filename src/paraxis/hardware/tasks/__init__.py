"""From a graph of scalar operations to the tasks that CORDIC processors do."""

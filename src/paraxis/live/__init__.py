"""Pages with the robot's own compiled dynamics inside: it moves, and can be moved."""

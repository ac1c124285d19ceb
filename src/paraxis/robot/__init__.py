"""What a robot is, and the readers that make one."""

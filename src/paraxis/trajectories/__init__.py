"""Motion over time: a path of the joints, and a profile that says when each place is reached."""

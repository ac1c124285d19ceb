"""What all recursions over the bodies of a robot share."""

WORLD = -1  # the index under which a sweep keeps the motion of the ground

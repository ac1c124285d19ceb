"""How fast a frame may go along a path with rounded corners.

There the acceleration turns as well as it speeds up: p' s̈ + p'' ṡ², a vector along the path and
across it. Away from corners a trapezoid's own acceleration is all there is.
"""

import numpy as np

PLACES = 401  # in each blend, its middle among them, where it bends most
CLOSE = 1e-9  # of a speed, relative


def cruising_speed(line, velocity, acceleration):
    """The largest speed up to `velocity` at which a trapezoid keeps within `acceleration`.

    That of the frame's origin; also that of its turning where a line only turns.
    """
    if line.blend == 0:
        return velocity
    corners = line.corners[1:-1, None]
    places = (corners + line.blend * np.linspace(-1, 1, PLACES)).ravel()
    twists, changes = np.array([line(s)[1:] for s in places]).swapaxes(0, 1).reshape(2, -1, 2, 3)
    parts = [1] if all(move.any() for move, _ in line.rates) else [0, 1]
    from_end = np.minimum(places, line.length - places)
    onward = np.where(places < line.length / 2, acceleration, -acceleration)

    def keeps_within(speed):
        on_ramp = 2 * acceleration * from_end < speed**2
        rise = np.where(on_ramp, onward, 0.0)[:, None, None]
        square = np.where(on_ramp, 2 * acceleration * from_end, speed**2)[:, None, None]
        whole = (twists * rise + changes * square)[:, parts]
        return np.linalg.norm(whole, axis=-1).max() <= acceleration

    slow, fast = 0.0, min(velocity, np.sqrt(line.length * acceleration))
    if keeps_within(fast):
        return velocity
    while fast - slow > CLOSE * fast:
        middle = (slow + fast) / 2
        slow, fast = (middle, fast) if keeps_within(middle) else (slow, middle)
    return slow

"""What a motor must give over what its joint needs: a transmission as curves."""

import math

from ..drawing.figure import Figure
from ..physics.friction.transmission_friction import transmission_friction

SAMPLES = 60  # on either side of zero


def input_over_output(transmission, turns=True, title="Input over output", lead="", largest=None):
    """A Figure of both directions, on the side of the joint, up to a torque there.

    A joint that slides needs forces instead.

    By default that is the rated torque or, without one, ten times what moves the drive unloaded.
    """
    if largest is None:
        largest = transmission.rated
    if math.isinf(largest):
        largest = 10 * transmission.break_away or 1.0
    outputs = [largest * k / SAMPLES for k in range(-SAMPLES, SAMPLES + 1)]

    def curve(direction):
        return [(t, t + transmission_friction(transmission, t, direction)) for t in outputs]

    load, unit = ("torque", "N m") if turns else ("force", "N")
    return Figure(
        title,
        lead,
        f"{load} at the joint, {unit}",
        f"torque of the motor times the ratio, {unit}",
        {
            "moving forward": curve(1.0),
            "moving backward": curve(-1.0),
            "without losses": [(-largest, -largest), (largest, largest)],
        },
        dashed=("without losses",),
    )

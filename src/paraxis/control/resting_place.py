"""Where a controlled robot comes to rest: at the posture, if its controller knows it well."""

import numpy as np

from ..errors import ArgumentError

STEPS = 50
ROUNDING = 1e-12  # of the accelerations that balance


def resting_place(linear, posture):
    """The q (n,) at which nothing accelerates, by Newton's method from the posture.

    `linear` is a LinearLoop. With a wrong payload, or without a model, gravity pulls the robot off
    the posture until the errors' torques hold it.
    """
    n = len(posture)
    still = np.zeros(n)
    desired = np.stack([posture, still, still])
    q = posture.copy()
    for _ in range(STEPS):
        tau, past = linear.exact((q, still), desired)
        here = linear.linearised((q, still), tau, (q, still), desired, desired, past)
        off = linear.accelerations((q, still), tau)
        if abs(off).max() <= ROUNDING * max(1.0, (abs(here.B) @ abs(tau)).max()):
            return q
        try:
            q = q - np.linalg.solve((here.A + here.B @ here.settled())[:, :n], off)
        except np.linalg.LinAlgError:
            break
        if not np.isfinite(q).all():
            break
    raise ArgumentError(
        f"controller: expected one that can hold the robot at or near the posture "
        f"{posture.tolist()}, found that it does not come to rest there"
    )

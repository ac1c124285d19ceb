"""Why a state of a chain has no accelerations."""

import numpy as np

from ..checks import quoted
from ..errors import RobotError
from ..physics.parts.massless import moves_nothing
from .serial import ArticulatedSerial


def explain(chain, q, qd, tau):
    """Raise, of a state whose numbers are finite and whose accelerations are not."""
    solver = ArticulatedSerial(chain, 1, 1)
    solver(*(np.array(vector)[None] for vector in (q, qd, tau)), np.empty((1, chain.n)))
    immobile = np.flatnonzero(~np.isfinite(solver.reciprocals))
    if immobile.size:  # that of the outermost spoils all before it
        raise moves_nothing(chain.robot, [int(immobile[-1])])
    raise RobotError(
        f"robot {quoted(chain.robot.name)}: its accelerations are beyond the numbers of float64"
    )

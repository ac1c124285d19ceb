"""The outcome of the search for a problem's solution."""

from enum import IntEnum


class Status(IntEnum):
    """The outcome of the search for a problem's solution.

    - `SOLVED`: the conditions of an optimum hold.
    - `OUT_OF_ITERATIONS`: the search ended before it was solved.
    - `STALLED`: no step improves the cost, and the conditions of an optimum do not hold.
    - `INFEASIBLE`: constraints are still violated under the highest penalty.
    - `FAILED`: the first trajectory is not finite.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> plans = solver.solve([-np.pi / 2, 0.0], iterations=1)
    >>> px.optimal.Status(int(plans.status)).name
    'OUT_OF_ITERATIONS'
    """

    SOLVED = 0
    OUT_OF_ITERATIONS = 1
    STALLED = 2
    INFEASIBLE = 3
    FAILED = 4


RUNNING = -1

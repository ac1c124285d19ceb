"""The state of simulated robots: arrays that stay where they are while they change."""

from typing import Any

from ..drivers.memory import Memory


class State:
    """The current state of the robots of a `px.Simulator`.

    The arrays are the simulator's own: each step writes them in place, so copy what you want to
    keep (`state.copy()`). `t` is made when it is asked for.

    - `q`, `qd`: positions `(..., nq)` and rates `(..., nv)`, rad or m, and per second.
    - `t`: seconds since each robot was reset, `(...)`.
    - `memory`: the controller's memory, by name.
    - `impulses`: on the ground, those of each contact in the last step, `(..., k, 3)`, as
      `px.simulation.contact_forces` takes them; zero after a reset. None without a ground.

    **Example:**

    >>> robot = px.robots.planar(1)
    >>> simulator = px.Simulator(robot, dt=1e-3)
    >>> state = simulator.reset([[0.0], [0.5]])
    >>> before = state.copy()
    >>> simulator.step(n=100)
    >>> state.t, state.q - before.q
    (array([0.1, 0.1]), array([[-0.074],
           [-0.065]]))
    """

    __slots__ = ("_count", "_dt", "_memory", "impulses", "memory", "q", "qd")

    def __init__(
        self,
        q: Any,
        qd: Any,
        count: Any,
        dt: float,
        memory: dict,
        of: Memory,
        impulses: Any = None,
    ):
        self.q, self.qd, self.memory, self.impulses = q, qd, memory, impulses
        self._count, self._dt, self._memory = count, dt, of

    @property
    def t(self) -> Any:
        return self._memory.given_back(self._count * self._dt)

    def copy(self) -> "State":
        """The same in arrays of its own."""
        own = {name: _copied(value) for name, value in self.memory.items()}
        count = self._count.copy()
        impulses = None if self.impulses is None else _copied(self.impulses)
        q, qd = _copied(self.q), _copied(self.qd)
        return State(q, qd, count, self._dt, own, self._memory, impulses)

    def __repr__(self):
        robots = self.q.shape[:-1]
        return (
            f"<State: robots {tuple(robots)}, q {tuple(self.q.shape)}, qd {tuple(self.qd.shape)}>"
        )


def _copied(array):
    return array.clone() if hasattr(array, "clone") else array.copy()

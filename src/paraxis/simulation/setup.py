"""What a Run was a run of: the robot, the ground, the time step, and what drove it."""

from ..body import Body
from ..graph.trace import trace

NEEDED = ("q", "qd", "t", "dt")


class Setup:
    """`robot`, `ground` or None, `contacts`, `dt` in s, and the torques of the motors where they
    are known.

    No dataclass: what looks for arrays in a Run must not look in here. A pickle has no torques.
    """

    def __init__(self, simulator, step=None, arrays=None, every=1):
        self.robot, self.ground, self.dt = simulator.robot, simulator.ground, simulator.dt
        # as (frame, coordinates): what else they hold may be large
        touch = simulator.touch
        self.contacts = [(each.frame, each.coordinates) for each in touch.contacts] if touch else []
        self.target, self.step, self.arrays, self.every = simulator.target, step, arrays, every

    def torques(self, t, q, qd):
        """Those of the motors in recorded states, within their limits; None if not known.

        In the last state they are those of the step that ends there, if they were given per step.
        """
        if self.step is None:
            return None
        target, arrays, xp = self.target, dict(self.arrays), self.target.arrays
        tau = arrays.pop("tau", None)
        if tau is not None and tau.ndim == q.ndim:  # per step
            last = tau[-1:] if len(tau) else xp.zeros((1, *tau.shape[1:]))
            arrays["tau"] = xp.concatenate([tau, last])[:: self.every][: len(t)]
        elif tau is not None:
            arrays["tau"] = tau
        begin = arrays.pop("begin", None)
        arrays["t"] = t.reshape(-1, *[1] * (q.ndim - 2))
        if begin is not None:
            arrays["t"] = arrays["t"] + begin * self.dt
        return target.map(Body(torques_graph, self.step))(q=q, qd=qd, dt=self.dt, **arrays)

    def without_torques(self):
        """The same for other robots than those of the arrays here."""
        found = Setup.__new__(Setup)
        found.__dict__.update(self.__getstate__())
        return found

    def __getstate__(self):
        kept = "robot", "ground", "dt", "contacts"
        return {name: getattr(self, name) for name in kept} | {"step": None}


def torques_graph(step):
    """The torques of the motors in a state."""
    robot = step.robot
    shapes = {"q": (robot.nq,), "qd": (robot.nv,), "t": (), "dt": ()}
    shapes |= {"tau": (robot.nv,)} if step.tau else {}
    shapes |= step.law.setting_inputs | step.law.constant_inputs if step.law else {}

    def run(q, qd, t, dt, **arrays):
        tau = step.torques(arrays | {"dt": dt})(t, q, qd)
        return {"tau": step.limited(q, qd, tau, dt)[0]}

    return trace(run, shapes, "torques_of_motors")

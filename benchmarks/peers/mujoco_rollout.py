"""MuJoCo: many robots through many steps by `mujoco.rollout`, on a pool of threads."""

from xml.etree import ElementTree

import mujoco
import numpy as np
from mujoco import rollout

# What the motion of a robot depends on; the rest is for shapes, simulators and controllers.
KEPT = ("link", "joint", "inertial", "mass", "inertia", "origin", "axis", "parent", "child")
STABILISATION = 50.0  # rad/s, of what is pinned


class MujocoPeer:
    """The robot of a URDF without shapes, limits and losses; steps of fourth-order Runge-Kutta.

    With `pinned`, a body and a point of the world, the origin of that body is held there.
    """

    def __init__(self, path, dt, pinned=None):
        root = ElementTree.parse(path).getroot()
        for element in list(root.iter()):
            for child in list(element):
                if child.tag not in KEPT:
                    element.remove(child)
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, "unicode"))
        if pinned is not None:
            pin(spec, *pinned)
        options = spec.option
        options.timestep, options.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
        if pinned is None:
            options.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        options.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.model, self.spec = spec.compile(), spec
        kind = mujoco.mjtObj.mjOBJ_JOINT
        names = [mujoco.mj_id2name(self.model, kind, i) for i in range(self.model.njnt)]
        self.joint_names, self.n = names, self.model.nv

    def roller(self, q, qd, steps, threads):
        """A function without arguments that does the steps from (B, n) arrays of its own joints,
        and gives q and qd after the last. Memory for all its states is kept between calls."""
        start = np.concatenate([np.zeros((len(q), 1)), q, qd], axis=-1)  # MuJoCo's own: time first
        data = [mujoco.MjData(self.model) for _ in range(threads)]
        states = np.empty((len(q), steps, start.shape[1]))
        pool = rollout.Rollout(nthread=threads if threads > 1 else 0)

        def run():
            pool.rollout(self.model, data, start, nstep=steps, state=states)
            last = states[:, -1]
            return last[:, 1 : 1 + self.n], last[:, 1 + self.n :]

        return run


def pin(spec, body, point):
    """Hold the body's origin, as hard as MuJoCo can, with the stabilisation of its default."""
    spec.body(body).add_site(name="held")
    spec.worldbody.add_site(name="point", pos=point)
    connect = spec.add_equality(name1="held", name2="point")
    connect.type, connect.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_SITE
    connect.solref = (1 / STABILISATION, 1.0)
    connect.solimp = (0.9999, 0.9999, 0.001, 0.5, 2.0)

"""MuJoCo: many robots through many steps by `mujoco.rollout`, on a pool of threads."""

from xml.etree import ElementTree

import mujoco
import numpy as np
from mujoco import rollout

# What the motion of a robot depends on; the rest is for shapes, simulators and controllers.
KEPT = ("link", "joint", "inertial", "mass", "inertia", "origin", "axis", "parent", "child")


class MujocoPeer:
    """The robot of a URDF without shapes, limits and losses; steps of Runge and Kutta's rule."""

    def __init__(self, path, dt):
        root = ElementTree.parse(path).getroot()
        for element in list(root.iter()):
            for child in list(element):
                if child.tag not in KEPT:
                    element.remove(child)
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, "unicode"))
        options = self.model.opt
        options.timestep, options.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
        options.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        options.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
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

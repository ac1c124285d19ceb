"""What MuJoCo says of a model: nothing but the motion of its bodies."""

from copy import copy

import mujoco
import numpy as np
from support.rows import model_of_rows, torques

from paraxis.physics.composite_body import mass_matrix
from paraxis.physics.kinematics import frame_poses
from paraxis.physics.springs import spring_torques
from paraxis.robots import mujoco_convention
from paraxis.robots.rows import rows_of

FORCES = ("CONTACT", "EQUALITY", "LIMIT", "FRICTIONLOSS", "DAMPER", "SPRING", "ACTUATION")


def bare(model):
    """The same model without any force but gravity."""
    for word in (*FORCES, "CONSTRAINT", "PASSIVE"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{word}", 0))
    model.opt.density = model.opt.viscosity = 0
    model.body_gravcomp[:] = 0
    return model


class Motion:
    """A random motion of a bare model, and what MuJoCo finds for it, in MuJoCo's convention."""

    def __init__(self, model, seed=0):
        self.model, self.data = model, mujoco.MjData(model)
        rng = np.random.default_rng(seed)
        turn, self.v, self.a, self.x = rng.normal(size=(4, model.nv))
        self.q = model.qpos0.copy()
        mujoco.mj_integratePos(model, self.q, turn, 1.0)
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = self.q, self.v, self.a
        mujoco.mj_inverse(model, data)
        self.tau = data.qfrc_inverse.copy()
        self.M = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, data, self.M)
        except TypeError:  # before MuJoCo 4
            mujoco.mj_fullM(model, self.M, data.qM)

    def accelerations(self):
        """Those under the torques of the motion, by forward dynamics."""
        self.data.qfrc_applied[:] = self.tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()


def spring_difference(robot, model, seed=0):
    """Between the torques of all springs but those of spatial tendons, without compiling."""
    lone, spatial = copy(model), []
    for t in range(model.ntendon):
        kind = model.wrap_type[model.tendon_adr[t]]
        spatial += [t] if kind != int(mujoco.mjtWrap.mjWRAP_JOINT) else []
    lone.tendon_stiffness[spatial] = 0.0
    data, rng = mujoco.MjData(lone), np.random.default_rng(seed)
    mujoco.mj_integratePos(lone, data.qpos, rng.normal(size=lone.nv), 1.0)
    mujoco.mj_fwdPosition(lone, data)
    mujoco.mj_fwdVelocity(lone, data)
    states = mujoco_convention(robot, model)
    found = spring_torques(rows_of(robot), states.from_position(data.qpos).tolist())
    there = states.from_force(data.qpos, -data.qfrc_spring)
    return abs(np.array(found) - there).max() / max(1, abs(there).max())


def largest_difference(robot, model, seed=0):
    """Between a robot and the model it was read from, without compiling anything."""
    motion, states = Motion(bare(model), seed), mujoco_convention(robot, model)
    here = model_of_rows(robot)
    q, qd = states.from_position(motion.q), states.from_velocity(motion.q, motion.v)
    qdd = states.from_acceleration(motion.q, motion.v, motion.a)
    found = torques(here, q, qd, qdd)
    rate = states.from_velocity(motion.q, motion.x)
    poses = np.array(frame_poses(here, q, list(here.robot.frames)[: model.nbody]))
    pairs = [
        (found, states.from_force(motion.q, motion.tau)),
        (mass_matrix(here, q) @ rate, states.from_force(motion.q, motion.M @ motion.x)),
        (poses.reshape(-1, 4, 4)[:, :3, 3], motion.data.xpos),
        (poses.reshape(-1, 4, 4)[:, :3, :3], motion.data.xmat.reshape(-1, 3, 3)),
    ]
    return max(abs(np.array(a) - b).max() / max(1, abs(b).max()) for a, b in pairs)

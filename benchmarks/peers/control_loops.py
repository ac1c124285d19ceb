"""Computed torque on sampled robots, by peers: MuJoCo and Pinocchio state by state, and batches.

The law is inverse dynamics of q̈* + kd ė + kp e at every sample; torques are held for one step of
fourth-order Runge-Kutta. A function wanted(t) gives q*, q̇* and q̈*, each (n,).
"""

import mujoco
import numpy as np
import pinocchio as pin

RUNGE_KUTTA = ((1, 0.5), (2, 0.5), (2, 1.0), (1, 0.0))  # weight of a slope, how far to go along it


def push(kp, kd, wanted, q, qd):
    """The corrected acceleration."""
    return wanted[2] + kd * (wanted[1] - qd) + kp * (wanted[0] - q)


class MujocoLoop:
    """Rods hinged end to end in a vertical plane, as of px.robots.planar; one run at a time."""

    def __init__(self, n, dt):
        rods = "".join(
            f'<body pos="{float(i > 0)} 0 0"><joint axis="0 -1 0"/>'
            # what a rod resists about its own length does not matter in a plane, but may not be 0
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="1e-6 {1 / 12:.17g} {1 / 12:.17g}"/>'
            for i in range(n)
        )
        xml = f"<mujoco><worldbody>{rods}{'</body>' * n}</worldbody></mujoco>"
        self.model = mujoco.MjModel.from_xml_string(xml)
        options = self.model.opt
        options.timestep, options.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
        options.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)

    def run(self, kp, kd, wanted, q, qd):
        """States (runs, n) after len(wanted) steps; q and qd are (runs, n)."""
        model, data, ends = self.model, self.data, []
        for start, rate in zip(q, qd, strict=True):
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = start, rate
            for desired in wanted:
                data.qacc[:] = push(kp, kd, desired, data.qpos, data.qvel)
                mujoco.mj_inverse(model, data)
                data.qfrc_applied[:] = data.qfrc_inverse
                mujoco.mj_step(model, data)
            ends.append((data.qpos.copy(), data.qvel.copy()))
        return tuple(np.array(ends).swapaxes(0, 1))


class PinocchioLoop:
    """A chain, by its Model; `threads` of OpenMP for batches."""

    def __init__(self, model, dt, threads):
        self.model, self.data, self.dt = model, model.createData(), dt
        self.threads, self.pool = threads, pin.ModelPool(model, threads)

    def run(self, kp, kd, wanted, q, qd):
        """As MujocoLoop.run, by pin.rnea and pin.aba."""
        ends = [self._one(kp, kd, wanted, *state) for state in zip(q, qd, strict=True)]
        return tuple(np.array(ends).swapaxes(0, 1))

    def _one(self, kp, kd, wanted, q, qd):
        model, data = self.model, self.data
        for desired in wanted:
            tau = pin.rnea(model, data, q, qd, push(kp, kd, desired, q, qd)).copy()
            q, qd = self._step(q, qd, lambda at, rate, tau=tau: pin.aba(model, data, at, rate, tau))
        return q, qd

    def run_batch(self, kp, kd, wanted, q, qd):
        """All runs at once, by pin.rneaInParallel and pin.abaInParallel, NumPy between them."""
        q, qd = (np.asfortranarray(array.T) for array in (q, qd))
        tau, slope = np.empty_like(q, order="F"), np.empty_like(q, order="F")

        def accelerations(at, rate):
            pin.abaInParallel(self.threads, self.pool, at, rate, tau, slope)
            return slope

        for desired in wanted:
            qdd = push(kp, kd, [part[:, None] for part in desired], q, qd)
            pin.rneaInParallel(self.threads, self.pool, q, qd, qdd, tau)
            q, qd = self._step(q, qd, accelerations)
        return q.T, qd.T

    def _step(self, q, qd, accelerations):
        at, rate, sum_q, sum_qd = q, qd, 0.0, 0.0
        for weight, share in RUNGE_KUTTA:
            slope = accelerations(at, rate)
            sum_q, sum_qd = sum_q + weight * rate, sum_qd + weight * slope
            at, rate = q + share * self.dt * rate, qd + share * self.dt * slope
        return q + (self.dt / 6) * sum_q, qd + (self.dt / 6) * sum_qd

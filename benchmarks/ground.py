"""Steps per second of legged robots on flat ground, beside MuJoCo's `rollout` and `batch`.

    python benchmarks/ground.py [--robots 1024] [--steps 100]
        [--json benchmarks/results/ground.json]

A Go2 with 4 spheres and a G1 with 8 stand under the same PD law, each robot with other initial
velocities. MuJoCo steps a model with the same masses, joints, spheres and plane, elliptic cones and
the contact parameters of the soft law, by Newton's method, with as many threads as cores; position
actuators have the same gains. `rollout` returns all states, `batch` and Paraxis the last one. All
take turns, and the best of several rounds counts.

The solver error is measured in the same way for all: how far the velocities after a step are from
those of the same step with the solver run to convergence, the largest of a robot, for steps along
the whole run. MuJoCo runs with its default tolerance, and with one that leaves as large an error as
Paraxis; Paraxis with its default, and with ten times that. Mean heights at the end show that MuJoCo
and the soft law do the same.
"""

import argparse
import os
import time
from pathlib import Path

import mujoco
import numpy as np
import peers
from legged import DT, FRICTION, ROTOR, g1, go2
from mujoco import rollout
from mujoco.batch import Batch

RESULTS = Path(__file__).parent / "results" / "ground.json"
TOLERANCES = {"tolerance 1e-5": 1e-5, "tolerance 1e-4": 1e-4}
LAWS = ("hard", "soft")
THEIRS = ("rollout", "batch", "rollout, loose")
AT_LEAST = 1.0  # seconds of every measurement, so that other work on the machine slows all alike
FEWER = 4  # times fewer robots of MuJoCo's, for the same reason: its rate does not depend on them
LOOSE = 1e-2  # of MuJoCo's solver
SAMPLED, MOMENTS = 128, 8  # robots, and moments of the run, whose steps are solved to the end
TO_THE_END = {"sweeps": 5000, "tolerance": 1e-12}


def mjcf(robot, points, kp, kd):
    """The same robot as MJCF: a body for each joint, a sphere for each point."""
    children = {}
    for i, joint in enumerate(robot.joints):
        children.setdefault(joint.parent, []).append(i)

    def text(values):
        return " ".join(f"{float(v)!r}" for v in values)

    def body(i):
        joint, inertia = robot.joints[i], robot.inertias[i]
        rotation = np.array(joint.placement.rotation)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, rotation.ravel())
        xx, yy, zz, xy, xz, yz = inertia.about_com
        parts = [f'<body pos="{text(joint.placement.translation)}" quat="{text(quaternion)}">']
        if joint.kind == "free":
            parts.append("<freejoint/>")
        else:
            parts.append(
                f'<joint name="{joint.name}" axis="{text(joint.axis)}" armature="{ROTOR}"/>'
            )
        parts.append(
            f'<inertial pos="{text(inertia.com)}" mass="{inertia.mass!r}" '
            f'fullinertia="{text((xx, yy, zz, xy, xz, yz))}"/>'
        )
        for point in points:
            frame = robot.frame(point.frame)
            if frame.body == i:
                turned = np.array(frame.pose.rotation) @ point.position
                place = turned + frame.pose.translation
                parts.append(f'<geom type="sphere" size="{point.radius}" pos="{text(place)}"/>')
        return "".join(parts) + "".join(map(body, children.get(i, ()))) + "</body>"

    names = [joint.name for joint in robot.joints if joint.kind != "free"]
    servos = "".join(f'<position joint="{name}" kp="{kp}" kv="{kd}"/>' for name in names)
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}" cone="elliptic"/>'
        '<compiler balanceinertia="true"/>'
        f'<default><geom condim="3" friction="{FRICTION} 0 0" contype="1" conaffinity="2"/>'
        '</default><worldbody><geom type="plane" size="0 0 1" contype="2" conaffinity="1"/>'
        f"{''.join(map(body, children[-1]))}</worldbody><actuator>{servos}</actuator></mujoco>"
    )


class Theirs:
    """A robot by MuJoCo: `rollout` and `batch`."""

    def __init__(self, case, q, qd, steps):
        model = self.model = mjcf(case.robot, case.points, case.kp, case.kd)
        threads = os.cpu_count() or 1
        self.datas = [mujoco.MjData(model) for _ in range(threads)]
        size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.state, self.steps = np.zeros((len(q), size)), steps
        quaternion = np.concatenate([q[:, 6:7], q[:, 3:6]], 1)
        self.state[:, 1 : 1 + model.nq] = np.concatenate([q[:, :3], quaternion, q[:, 7:]], 1)
        self.state[:, 1 + model.nq : 1 + model.nq + model.nv] = qd
        self.stance, self.batch = case.stance, Batch(model, nsim=len(q), nthread=threads)
        self.roll = rollout.Rollout(nthread=threads)

    def rolled(self, state=None, steps=None):
        state = self.state if state is None else state
        steps = steps or self.steps
        control = np.broadcast_to(self.stance, (len(state), steps, len(self.stance)))
        return self.roll.rollout(self.model, self.datas, state, control.copy())[0]

    def batched(self):
        model, batch = self.model, self.batch
        batch.qpos[:], batch.qvel[:] = self.state[:, 1 : 1 + model.nq], self.state[:, -model.nv :]
        batch.qacc_warmstart[:], batch.ctrl[:] = 0.0, self.stance
        batch.step(nstep=self.steps)

    def unsolved(self):
        """How far rates after a step are from those of a solver that goes on to the end."""
        states = self.rolled(self.state[:SAMPLED])
        before, after = states[:, :-1], states[:, 1:]
        kept = self.model.opt.tolerance, self.model.opt.iterations
        self.model.opt.tolerance, self.model.opt.iterations = 0.0, 1000
        right = self.rolled(np.concatenate([before[:, k] for k in moments(self.steps)]), 1)[:, 0]
        self.model.opt.tolerance, self.model.opt.iterations = kept
        found = np.concatenate([after[:, k] for k in moments(self.steps)])
        return quantiles((found - right)[:, 1 + self.model.nq :][:, : self.model.nv])


def moments(steps):
    """Of the steps between recorded states, those that are looked at."""
    return np.linspace(0, steps - 2, MOMENTS).astype(int)


def quantiles(difference):
    """The median and the 99 % quantile over robots and moments of the largest entry."""
    return np.quantile(abs(difference).max(axis=-1), [0.5, 0.99]).tolist()


def unsolved(case, simulator, law, q, qd, steps):
    """As of MuJoCo."""
    simulator.reset(q[:SAMPLED], qd[:SAMPLED])
    run = simulator.run(steps=steps)
    to_the_end = case.simulator(law, **TO_THE_END)
    which = moments(steps)
    to_the_end.reset(run.q[which], run.qd[which])
    return quantiles(run.qd[which + 1] - to_the_end.run().qd[-1])


def measure(make, robots, steps, rounds=5):
    case = make()
    q, qd = case.states(robots)
    few = max(1, robots // FEWER)
    theirs = Theirs(case, q[:few], qd[:few], steps)
    simulators = {
        f"{law}, {name}": case.simulator(law, tolerance=tolerance)
        for law in LAWS
        for name, tolerance in TOLERANCES.items()
    }
    tight = theirs.model.opt.tolerance

    def begun(simulator):
        simulator.reset(q, qd)
        return simulator

    best, height = {}, {}

    def timed(name, run):
        begin, count, passed = time.perf_counter(), 0, 0.0
        while passed < AT_LEAST:
            found, count = run(), count + 1
            passed = time.perf_counter() - begin
        each = few if name in THEIRS else robots
        best[name] = min(best.get(name, np.inf), passed / count / (each * steps))
        return found

    for number in range(rounds + 1):  # the first compiles
        best = best if number > 1 else {}
        for name, simulator in simulators.items():
            run = timed(name, lambda: begun(simulator).run(steps=steps, every=steps))  # noqa: B023
            height[name] = run.q[-1, :, 2].mean()
        height["rollout"] = timed("rollout", theirs.rolled)[:, -1, 3].mean()
        timed("batch", theirs.batched)
        height["batch"] = theirs.batch.qpos[:, 2].mean()
        theirs.model.opt.tolerance = LOOSE
        timed("rollout, loose", theirs.rolled)
        theirs.model.opt.tolerance = tight
    left = {"rollout": theirs.unsolved()}
    theirs.model.opt.tolerance = LOOSE
    left["rollout, loose"] = theirs.unsolved()
    for name, simulator in simulators.items():
        left[name] = unsolved(case, simulator, name.partition(",")[0], q, qd, steps)
    return {
        "robots": robots,
        "steps": steps,
        "rates": {name: 1.0 / seconds for name, seconds in best.items()},
        "unsolved": left,
        "heights": {name: float(z) for name, z in height.items()},
    }


def show(name, row):
    rates, left = row["rates"], row["unsolved"]
    fastest = max(rate for each, rate in rates.items() if not each.startswith(LAWS))
    print(f"{name}; left unsolved: the median and the 99 % quantile, of rates after a step")
    for each, rate in rates.items():
        height = f"; height {row['heights'][each]:.4f} m" if each in row["heights"] else ""
        some = "; left {:.0e}, {:.0e}".format(*left[each]) if each in left else ""
        print(f"  {each:22} {rate:11,.0f} steps/s, {rate / fastest:5.1f} x{some}{height}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    given = parser.parse_args()
    results = {"machine": peers.machine(), "dt": DT, "loose": LOOSE, "rows": {}}
    for name, make in (("Go2, 4 points", go2), ("G1, 8 points", g1)):
        results["rows"][name] = measure(make, given.robots, given.steps)
        show(name, results["rows"][name])
    peers.keep(results, given.json)


if __name__ == "__main__":
    main()

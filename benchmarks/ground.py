"""Steps per second of legged robots on flat ground, beside MuJoCo's `rollout` and `batch`.

    python benchmarks/ground.py [--robots 1024] [--steps 100]
        [--json benchmarks/results/ground.json]

Go2 with 4 spheres and G1 with 8, standing under the same PD law, each begun at its own rates.
MuJoCo steps a model with the same masses, joints, spheres and plane, elliptic cones and the soft
law's defaults, by Newton's method at its default tolerance, in as many threads as there are cores;
its torques are those of position actuators with the same gains. `rollout` returns all states,
`batch` the last one, as Paraxis does here. Interleaved, best of several
rounds, so that ratios count. The residual is that of Paraxis (docs/ground.md); MuJoCo's is not
measured. Mean heights at the end, by MuJoCo and by the soft law, show that both do the same.
"""

import argparse
import dataclasses
import os
import time
from pathlib import Path

import mujoco
import numpy as np
import peers
from mujoco import rollout
from mujoco.batch import Batch

import paraxis as px
from paraxis.simulation import ContactPoint, Ground

RESULTS = Path(__file__).parent / "results" / "ground.json"
DT = 2e-3
ROTOR = 0.02


def go2():
    robot = px.load("go2", floating_base=True)
    feet = [ContactPoint(f"{leg}_foot", radius=0.022) for leg in ("FL", "FR", "RL", "RR")]
    return robot, feet, np.tile([0.0, 0.8, -1.5], 4), 0.33, 60.0, 2.0


def g1():
    robot = px.load("g1", floating_base=True)
    feet = [f"{side}_ankle_roll_link" for side in ("left", "right")]
    stance = np.zeros(29)
    stance[[0, 6]], stance[[3, 9]], stance[[4, 10]] = -0.2, 0.42, -0.23
    points = px.simulation.contact_points(robot, feet)
    return robot, points, stance, 0.785, 300.0, 6.0


def with_rotors(robot):
    joints = [
        j if j.kind == "free" else dataclasses.replace(j, rotor_inertia=ROTOR) for j in robot.joints
    ]
    return dataclasses.replace(robot, joints=joints, warn=False)


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
        '<default><geom condim="3" friction="0.8 0 0" contype="1" conaffinity="2"/></default>'
        '<worldbody><geom type="plane" size="0 0 1" contype="2" conaffinity="1"/>'
        f"{''.join(map(body, children[-1]))}</worldbody><actuator>{servos}</actuator></mujoco>"
    )


def measure(make, robots, steps, rounds=3):
    robot, points, stance, height, kp, kd = make()
    robot = with_rotors(robot)
    rng = np.random.default_rng(0)
    q = np.tile(np.concatenate([[0, 0, height, 0, 0, 0, 1], stance]), (robots, 1))
    qd = 0.1 * rng.standard_normal((robots, robot.nv))

    def hold(t, q, qd):
        each = zip(stance, q[7:], qd[6:], strict=True)
        return [0.0] * 6 + [kp * (g - x) - kd * v for g, x, v in each]

    runs = {}
    for law in ("hard", "soft"):
        ground = Ground(points, law=law, friction=0.8)
        runs[law] = px.Simulator(robot, dt=DT, ground=ground, limits=False)
    model = mjcf(robot, points, kp, kd)
    threads = os.cpu_count() or 1
    datas = [mujoco.MjData(model) for _ in range(threads)]
    state = np.zeros((robots, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    quaternion = np.concatenate([q[:, 6:7], q[:, 3:6]], 1)
    state[:, 1 : 1 + model.nq] = np.concatenate([q[:, :3], quaternion, q[:, 7:]], 1)
    state[:, 1 + model.nq : 1 + model.nq + model.nv] = qd
    control = np.broadcast_to(stance, (robots, steps, len(stance))).copy()
    batch = Batch(model, nsim=robots, nthread=threads)
    best = dict.fromkeys((*runs, "rollout", "batch"), np.inf)
    residual = {}
    with rollout.Rollout(nthread=threads) as roll:
        for _ in range(rounds + 1):  # the first compiles
            for law, simulator in runs.items():
                simulator.reset(q, qd)
                begin = time.perf_counter()
                run = simulator.run(hold, steps, every=steps)
                best[law] = min(best[law], time.perf_counter() - begin)
                residual[law] = np.quantile(run.residual[-1], [0.5, 0.99]).tolist()
            begin = time.perf_counter()
            end, _ = roll.rollout(model, datas, state, control)
            best["rollout"] = min(best["rollout"], time.perf_counter() - begin)
            batch.qpos[:], batch.qvel[:] = state[:, 1 : 1 + model.nq], state[:, -model.nv :]
            batch.qacc_warmstart[:], batch.ctrl[:] = 0.0, stance
            begin = time.perf_counter()
            batch.step(nstep=steps)
            best["batch"] = min(best["batch"], time.perf_counter() - begin)
    places = {"rollout": end[:, -1, 3], "batch": batch.qpos[:, 2], "soft": run.q[-1, :, 2]}
    heights = {name: z.mean() for name, z in places.items()}
    return {
        "robots": robots,
        "steps": steps,
        "rates": {name: robots * steps / seconds for name, seconds in best.items()},
        "residual": residual,
        "heights": heights,
    }


def show(name, row):
    rates = row["rates"]
    where = " and ".join(f"{z:.3f}" for z in row["heights"].values())
    both = f"rollout {rates['rollout']:,.0f} and batch {rates['batch']:,.0f} steps/s"
    print(f"{name}: MuJoCo's {both}; heights {where} m")
    for law, (middle, high) in row["residual"].items():
        ratio = rates[law] / max(rates["rollout"], rates["batch"])
        left = f"residual {middle:.1g}, 99 % below {high:.1g} m/s"
        print(f"  {law} {rates[law]:,.0f} steps/s, {ratio:.1f} x; {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    given = parser.parse_args()
    results = {"machine": peers.machine(), "dt": DT, "rows": {}}
    for name, make in (("Go2, 4 points", go2), ("G1, 8 points", g1)):
        results["rows"][name] = measure(make, given.robots, given.steps)
        show(name, results["rows"][name])
    peers.keep(results, given.json)


if __name__ == "__main__":
    main()

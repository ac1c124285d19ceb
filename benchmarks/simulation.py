"""Robots in free motion, beside MuJoCo's `rollout` and Pinocchio's `abaInParallel`.

All take steps of fourth-order Runge-Kutta of the same length, from the same states, on the same
threads, without controllers, contact or friction. The states after the peers' steps are compared
before anything is timed. MuJoCo records every state, and so does Paraxis in one of its two columns.
Pinocchio has no integrator for batches: its time is that of four calls of `abaInParallel` per step;
that of whole steps, which NumPy adds up in place, is measured too.

Friction has no peer: the same arm bare, with gears and friction in every joint, and with bearings
as well, whose friction depends on the accelerations that are solved for.

In contact: the tip of an arm is pinned, beside MuJoCo with an equality constraint, which is
slightly soft, so that states agree less closely.

    python benchmarks/simulation.py [--quick] [--json benchmarks/results/simulation.json]
"""

import argparse
import os
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table
from setting import Setting, take_turns

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "simulation.json"
DT = 1e-3
TOLERANCE = 1e-7
# robot, how many of it, steps of Paraxis, steps of the peers: those take longer
CASES = (
    ("ur5", 4096, 1000, 10),
    ("panda", 4096, 500, 10),
    ("g1_29dof", 4096, 50, 2),
    ("ur5", 1, 10_000, 1000),
    ("panda", 1, 10_000, 1000),
    ("g1_29dof", 1, 2000, 200),
)
QUICK = (("ur5", 64, 100, 10), ("ur5", 1, 100, 50))
CONTACT, QUICK_CONTACT = ("ur5", "wrist_3_link", 4096, 100, 10), ("ur5", "wrist_3_link", 64, 10, 10)
SOFT = 1e-4  # the error that is allowed of MuJoCo's constraints
LOSSES, QUICK_LOSSES = ("ur5", 4096, 100), ("ur5", 64, 10)  # robot, how many of it, steps
PEERS = ("mujoco", "pinocchio", "pinocchio_steps")


def measure(name, batch, steps, peer_steps, rounds):
    """Steps per second, of all robots together, by each of the peers."""
    setting = Setting(name, batch)
    robot = setting.robot.without_friction()
    mujoco = peers.MujocoPeer(setting.path, DT)
    cores = min(len(os.sched_getaffinity(0)), batch)
    q, qd = setting.mine[:2] * 0.5  # gentle, so that errors of rounding stay small
    order = [robot.joint_names.index(joint) for joint in mujoco.joint_names]
    their_order = [robot.joint_names.index(j) for j in setting.pinocchio.joint_names]

    def paraxis(count, every):
        return lambda: px.simulate(robot, q, qd, dt=DT, steps=count, every=every, limits=False)

    begin = time.perf_counter()
    after = paraxis(peer_steps, peer_steps)()
    first_call = time.perf_counter() - begin
    roll = mujoco.roller(q[:, order], qd[:, order], peer_steps, cores)
    pinocchio = PinocchioSteps(setting.pinocchio, q[:, their_order], qd[:, their_order], cores)
    error = max(
        checked("MuJoCo", name, roll(), after, order),
        checked("Pinocchio", name, pinocchio.run(peer_steps), after, their_order),
    )
    runs = {
        "paraxis": paraxis(steps, steps),
        "paraxis_all": paraxis(steps, 1),
        "mujoco": roll,
        "pinocchio": lambda: pinocchio.only_dynamics(peer_steps),
        "pinocchio_steps": lambda: pinocchio.run(peer_steps),
    }
    best = take_turns(runs, rounds, repeat=1)
    done = {key: batch * (steps if key.startswith("paraxis") else peer_steps) for key in runs}
    row = {"robot": name, "batch": batch, "threads": cores, "steps": steps, "error": error}
    row |= {"peer_steps": peer_steps, "first_call_s": first_call}
    return row | {key: done[key] / seconds for key, seconds in best.items()}


def measure_losses(name, batch, steps, rounds):
    """Steps per second of a robot bare, with gears and friction, and with bearings as well."""
    setting = Setting(name, batch)
    bare = setting.robot.without_friction()
    curve = [(0.0, 0.5), (1.0, 0.8)]
    gears = px.robots.Transmission(
        50.0, curve, break_away=1.0, rotor_inertia=2e-4, torque_limit=90.0
    )
    smooth = {"viscous": 1.0, "coulomb": 0.5, "smoothing": 0.1}  # so that rk4 has nothing to fear
    drives = {"friction": px.robots.Friction(**smooth), "transmission": gears}
    journal = px.robots.Friction(px.robots.JournalBearing(0.05, 0.02, 0.2), **smooth)
    bearings = {"friction": journal, "transmission": gears}
    robots = {
        "bare": bare,
        "drives": bare.with_drives(dict.fromkeys(bare.joint_names, drives)),
        "bearings": bare.with_drives(dict.fromkeys(bare.joint_names, bearings)),
    }
    q, qd = setting.mine[:2] * 0.5
    options = {"dt": DT, "steps": steps, "every": steps}
    runs = {key: partial(px.simulate, each, q, qd, **options) for key, each in robots.items()}
    for run in runs.values():
        run()  # compiles
    best = take_turns(runs, rounds, repeat=1)
    row = {"robot": name, "batch": batch, "steps": steps}
    return row | {key: batch * steps / seconds for key, seconds in best.items()}


def measure_contact(name, frame, batch, steps, peer_steps, rounds):
    """Steps per second of robots whose frame is pinned, and free; they begin in one posture."""
    setting = Setting(name, batch)
    robot = setting.robot.without_friction()
    q, qd = setting.mine[0, 0] * 0.5, setting.mine[1] * 0.5
    contact = px.Contact.pinned(frame, stabilisation=peers.STABILISATION)
    qd = px.project_velocity(robot, q, qd, contact)
    point = px.forward_kinematics(robot, q, frame)[:3, 3]
    mujoco = peers.MujocoPeer(setting.path, DT, pinned=(frame, point))
    order = [robot.joint_names.index(joint) for joint in mujoco.joint_names]
    cores = min(len(os.sched_getaffinity(0)), batch)
    whole = np.tile(q, (batch, 1))

    def paraxis(count, every, **options):
        free = {"limits": False} | options
        return lambda: px.simulate(robot, whole, qd, dt=DT, steps=count, every=every, **free)

    roll = mujoco.roller(whole[:, order], qd[:, order], peer_steps, cores)
    after = paraxis(peer_steps, peer_steps, contact=contact)()
    error = checked("MuJoCo", name, roll(), after, order, SOFT)
    runs = {
        "free": paraxis(steps, steps),
        "paraxis": paraxis(steps, steps, contact=contact),
        "paraxis_all": paraxis(steps, 1, contact=contact),
        "mujoco": roll,
    }
    best = take_turns(runs, rounds, repeat=1)
    row = {"robot": name, "frame": frame, "batch": batch, "threads": cores, "steps": steps}
    done = {key: batch * (peer_steps if key == "mujoco" else steps) for key in runs}
    return row | {"error": error} | {key: done[key] / seconds for key, seconds in best.items()}


class PinocchioSteps:
    """fourth-order Runge-Kutta over `abaInParallel`; arrays as Pinocchio wants them, kept."""

    def __init__(self, peer, q, qd, threads):
        assert peer.model.nq == peer.model.nv, "a joint that turns without end is (cos, sin)"
        self.peer, self.threads = peer, threads
        self.start = peer.prepare(q, qd)
        self.tau = np.zeros_like(self.start[1])

    def slopes(self, q, qd):
        return self.peer.forward_dynamics(q, qd, self.tau, self.threads).T

    def only_dynamics(self, steps):
        """The calls alone."""
        for _ in range(4 * steps):
            self.slopes(*self.start)

    def run(self, steps):
        """q and qd after so many steps."""
        q, qd = (array.copy(order="F") for array in self.start)
        at, rate, sum_q, sum_qd = (np.empty_like(q, order="F") for _ in range(4))
        for _ in range(steps):
            np.copyto(rate, qd)
            np.copyto(at, q)
            sum_q[...] = sum_qd[...] = 0.0
            for weight, ahead in ((1, DT / 2), (2, DT / 2), (2, DT), (1, 0.0)):
                slope = self.slopes(at, rate)
                sum_q += weight * rate
                sum_qd += weight * slope
                np.add(q, ahead * rate, out=at)
                np.add(qd, ahead * slope, out=rate)
            q += (DT / 6) * sum_q
            qd += (DT / 6) * sum_qd
        return q.T, qd.T


def checked(peer, name, theirs, run, order, tolerance=TOLERANCE):
    """The error of the last states, or an end to the benchmark."""
    mine = np.concatenate([run.q[-1][:, order], run.qd[-1][:, order]], axis=-1)
    error = peers.relative_error(mine, np.concatenate(theirs, axis=-1))
    if not error <= tolerance:
        raise ArithmeticError(f"{name}: expected the motion of {peer}, found an error of {error}")
    return error


def show(results, console):
    table = Table(title="robot steps per second, fourth-order Runge-Kutta; ratios of time")
    heads = ("Paraxis", "all recorded", "MuJoCo", "ratio", "Pinocchio", "ratio", "whole steps")
    for head in ("robots", "threads", *heads, "first call"):
        table.add_column(head, justify="left" if head == "robots" else "right")
    for row in results["rows"]:
        ours = row["paraxis_all"]
        mujoco, pinocchio, whole = (row[peer] for peer in PEERS)
        table.add_row(
            f"{row['batch']:,} {row['robot']}",
            f"{row['threads']}",
            f"{row['paraxis']:,.0f}",
            f"{ours:,.0f}",
            f"{mujoco:,.0f}",
            f"{ours / mujoco:.1f}",
            f"{pinocchio:,.0f}",
            f"{ours / pinocchio:.1f}",
            f"{whole:,.0f}",
            f"{row['first_call_s']:.2f} s",
        )
    console.print(table)
    console.print("ratios: with all states recorded, as MuJoCo does")


def show_losses(row, console):
    bare, drives, bearings = (row[key] for key in ("bare", "drives", "bearings"))
    console.print(
        f"{row['batch']:,} {row['robot']}, last state kept: {bare:,.0f} steps per second bare; "
        f"with gears and friction {drives:,.0f}, {bare / drives:.1f} times as long; with bearings "
        f"too {bearings:,.0f}, {bare / bearings:.1f} times as long"
    )


def show_contact(row, console):
    free, ours, recorded, mujoco = (row[k] for k in ("free", "paraxis", "paraxis_all", "mujoco"))
    console.print(
        f"{row['batch']:,} {row['robot']}, {row['frame']} pinned: {ours:,.0f} steps per second, "
        f"{free / ours:.1f} times as long as free; {recorded:,.0f} with states, forces and drift "
        f"recorded; MuJoCo {mujoco:,.0f}: a ratio of {recorded / mujoco:.1f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few robots, few steps")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    warnings.simplefilter("ignore", px.RobotWarning)  # falling arms leave their limits
    console = Console(width=150)
    cases, rounds = (QUICK, 1) if options.quick else (CASES, 12)
    results = {"machine": peers.machine(), "dt": DT, "rows": []}
    for name, batch, steps, peer_steps in cases:
        with console.status(f"{batch} {name}"):
            results["rows"].append(measure(name, batch, steps, peer_steps, rounds))
    losses = QUICK_LOSSES if options.quick else LOSSES
    results["losses"] = measure_losses(*losses, rounds)
    contact = QUICK_CONTACT if options.quick else CONTACT
    results["contact"] = measure_contact(*contact, rounds)
    show(results, console)
    show_losses(results["losses"], console)
    show_contact(results["contact"], console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()

"""Inverse kinematics of many poses, beside a loop over Pinocchio's functions.

Poses are those of random joint positions within limits, so each can be reached; q0 is not given.
A pose is solved when the larger of the distance in metres and the angle in radians is at most 1e-8
and all joints are within limits, checked by forward kinematics of the result. Pinocchio has no
inverse kinematics: a loop in Python over its functions is timed on a sample of poses, on one
thread, and then only its functions in that loop.

    python benchmarks/inverse_kinematics.py [--quick] [--json benchmarks/results/....json]
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import peers
from rich.console import Console
from rich.table import Table
from setting import take_turns

import paraxis as px

RESULTS = Path(__file__).parent / "results" / "inverse_kinematics.json"
TOLERANCE = 1e-8
# robot, frame, poses
CASES = (
    ("ur5", "tool0", 1_000_000),
    ("panda", "panda_hand_tcp", 200_000),
    ("xarm7", "link_eef", 200_000),
    ("kinova", "j2s6s200_end_effector", 200_000),
    ("g1_29dof", "left_rubber_hand", 200_000),
    ("g1_29dof", "left_ankle_roll_link", 200_000),
    ("talos_reduced", "gripper_left_base_link", 200_000),
)
QUICK = (("ur5", "tool0", 20_000), ("panda", "panda_hand_tcp", 5_000))
SAMPLE = 500


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.load(peers.robot_file(name), couplings="independent")


def reachable(robot, frame, count):
    """Poses of random joint positions; a turn of joints without limits."""
    limits = np.array([(joint.lower, joint.upper) for joint in robot.joints])
    low, high = np.where(np.isfinite(limits), limits, [-np.pi, np.pi]).T
    q = np.random.default_rng(7).uniform(low, high, (count, robot.n))
    return px.forward_kinematics(robot, q, frame)


def measure(name, frame, count, rounds):
    """Seconds for all poses, the best of some rounds, and how many were solved."""
    robot = load(name)
    poses = reachable(robot, frame, count)
    begin = time.perf_counter()
    px.inverse_kinematics(robot, poses[0], frame)
    first_call, best = time.perf_counter() - begin, np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        found = px.inverse_kinematics(robot, poses, frame)
        best = min(best, time.perf_counter() - begin)
    solved = int(np.count_nonzero(checked(robot, frame, poses, found)))
    moving = len(robot.path(robot.frame(frame).body))
    row = {"robot": name, "frame": frame, "joints": moving, "poses": count, "solved": solved}
    return row | {"seconds": best, "first_call_s": first_call}


def checked(robot, frame, poses, found):
    """Which poses are solved, by the forward kinematics of what was returned."""
    back = px.forward_kinematics(robot, found.q, frame)
    way = np.linalg.norm(back[:, :3, 3] - poses[:, :3, 3], axis=-1)
    # |R - S| is sqrt 2 times the angle, when that is small; rounding is far below the tolerance
    angle = np.linalg.norm(back[:, :3, :3] - poses[:, :3, :3], axis=(1, 2)) / np.sqrt(2)
    lower, upper = np.array([(joint.lower, joint.upper) for joint in robot.joints]).T
    within = ((found.q >= lower) & (found.q <= upper)).all(-1)
    right = (np.maximum(way, angle) <= TOLERANCE * (1 + 1e-6)) & within
    if not right[found.solved].all():
        raise ArithmeticError(f"{robot.name}: {np.count_nonzero(~right[found.solved])} are wrong")
    return right


def measure_pinocchio(name, frame, count, rounds):
    """A sample of the same poses, the best of as many rounds."""
    from peers.pinocchio_search import PinocchioSearch  # not where a GPU's poses are measured

    poses = reachable(load(name), frame, count)
    search = PinocchioSearch(peers.robot_file(name), frame)
    solved, steps = search.solve(poses, TOLERANCE)
    runs = {"loop": lambda: search.solve(poses, TOLERANCE), "calls": lambda: search.calls(steps)}
    seconds, calls = take_turns(runs, rounds, repeat=1).values()
    return {"poses": count, "solved": solved, "steps": steps, "seconds": seconds, "calls_s": calls}


def show(results, console):
    table = Table(title=f"Inverse kinematics to {TOLERANCE:g} m and rad, q0 not given")
    for heading in ("robot", "frame", "joints", "poses", "solved %", "seconds", "µs a pose"):
        table.add_column(heading, justify="left" if heading in ("robot", "frame") else "right")
    for row in results["rows"]:
        share, each = 100 * row["solved"] / row["poses"], row["seconds"] / row["poses"] * 1e6
        cells = (str(row["joints"]), f"{row['poses']:,}", f"{share:.4f}")
        table.add_row(row["robot"], row["frame"], *cells, f"{row['seconds']:.2f}", f"{each:.2f}")
    console.print(table)
    row, theirs = results["rows"][0], results["pinocchio"]
    mine, cores = row["seconds"] / row["poses"], results["machine"]["cores"]
    console.print(
        f"{row['robot']} by Pinocchio, one thread: {theirs['solved']:,} of {theirs['poses']:,} "
        f"solved, {theirs['steps'] / theirs['poses']:.1f} steps a pose"
    )
    for what, key in (("a loop in Python", "seconds"), ("its calls alone", "calls_s")):
        each = theirs[key] / theirs["poses"]
        console.print(
            f"  {what}: {each * 1e6:,.0f} µs a pose; Paraxis is {each / mine:,.0f} x faster with "
            f"{cores} threads, {each / mine / cores:,.0f} x a core"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer poses and rounds")
    parser.add_argument("--json", type=Path, default=None, help=f"e.g. {RESULTS.name}")
    options = parser.parse_args()
    console = Console(width=120)
    cases, rounds = (QUICK, 1) if options.quick else (CASES, 5)
    results = {"machine": peers.machine(), "tolerance": TOLERANCE, "rows": []}
    for case in cases:
        with console.status(" ".join(case[:2])):
            results["rows"].append(measure(*case, rounds))
    with console.status("Pinocchio"):
        (name, frame, _), sample = cases[0], SAMPLE // 10 if options.quick else SAMPLE
        results["pinocchio"] = measure_pinocchio(name, frame, sample, rounds)
    show(results, console)
    peers.keep(results, options.json)


if __name__ == "__main__":
    main()

"""Commands that find the motion that costs least, to the goal or with the tool to a point."""

import numpy as np

from ..checks import quoted
from ..errors import ArgumentError
from .lines import literal
from .motions import curves, holdable, within
from .work import Result

STEP = 0.02  # s
MOST_SECONDS, MOST_JOINTS = 4.0, 12


def optimum(work, seconds=1.0, point=None, effort=1e-3):
    """From rest in the posture to rest at the goal, or with the tool at `point` (x, y, z)."""
    robot = work.robot
    holdable(robot)
    if robot.nq != robot.nv or robot.n > MOST_JOINTS:
        raise ArgumentError(
            f"optimal control here is for robots of up to {MOST_JOINTS} joints of one degree of "
            f"freedom; {quoted(robot.name)} has {robot.n}. px.optimal_control takes others"
        )
    within("seconds", seconds, 0.1, MOST_SECONDS), within("effort", effort, 1e-6, 1e3)
    effort = literal(float(effort))
    if point is None:
        far, near, wanted, postures = "q - goal", "goal", "robot.nq", ("q", "goal")
        miss = "found.q[-1] - goal"
        begin = []
    else:
        if len(point) != 3 or not np.isfinite(point).all():
            raise ArgumentError(f"point: expected three numbers, found {point!r}")
        far = "px.forward_kinematics(robot, q)[:3, 3] - goal"
        near, wanted, postures = "point", "3", ("q",)
        miss = "px.forward_kinematics(robot, found.q[-1])[:3, 3] - point"
        begin = [f"point = np.array({literal([float(x) for x in point])})"]
    lines = [
        *begin,
        "",
        "def cost(q, qd, u, goal):",
        f"    far = {far}",
        f"    return 5 * far @ far + 0.05 * qd @ qd + {effort} * u @ u",
        "",
        "def terminal(q, qd, goal):",
        f"    far = {far}",
        "    return 1e3 * (far @ far + 0.1 * qd @ qd)",
        "",
        "solver = px.optimal_control(",
        f"    robot, cost, horizon={round(seconds / STEP)}, dt={STEP}, terminal=terminal,",
        f'    parameters={{"goal": {wanted}}},',
        ")",
        f"found = solver.solve(np.concatenate([q, np.zeros(robot.nv)]), goal={near})",
        "print(found)",
        'print(f"cost {found.cost:.4g} after {found.iterations} iterations")',
        f'print(f"from the goal at the end: {{abs({miss}).max():.2g}}")',
    ]
    text, notes = work.do(lines, postures)
    found = work.names["found"]
    if point is None:
        notes += work.at_goal()
    if not found.solved:
        notes.append("It is not solved: this is as far as the search came.")
    t = STEP * np.arange(found.q.shape[0])
    return Result(text, curves(robot, t, found.q), t, np.asarray(found.q), notes)

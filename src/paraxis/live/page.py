"""`px.live_page`: a robot in a page that simulates it, with its own kernels inside."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .. import api
from ..checks import listing, quoted, shown
from ..drawing.frame import WASM, file_text
from ..drivers.iterate import Plan
from ..drivers.row import made_row
from ..errors import ArgumentError, ParaxisError
from ..parallel.schedules.scheduling import schedule
from ..parallel.streamlined.tasks import streamlined_tasks
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..robots.rows import rows_of
from ..scene.motion import Motion
from ..scene.page import scene_page, tool_of
from ..scene.scene import Scene
from ..simulation.ground.ground import Ground
from ..simulation.shown import shape_of
from ..targets.source.wasm import described, described_iteration, runtime_script
from ..targets.wasm.iterate import iterate_module
from .ground import stance, standing
from .laws import FREQUENCIES, POLICIES, laws
from .programs import CARRY, method_for, poses_program, reach_program, step_program

STEP = 1e-3  # s: the longest step of the simulation
PROCESSORS = 4  # of the schedule beside the robot
MOST_TASKS = 2000
MOST_SLIDERS = 100
ROUNDED = 1e-14  # of the largest inertia: less is none
BENT = 0.5  # rad: how joints stand at first, in turn one way and the other


def live_page(
    robot: Robot,
    title: str | None = None,
    *,
    q: ArrayLike | None = None,
    ground: Ground | bool | None = None,
) -> LivePage:
    """A page that simulates a robot live: one HTML file that needs nothing else.

    Its dynamics are compiled to WebAssembly, and steps are those of `px.simulate`. Joints follow
    sliders by computed torque, with exact or stale data, at a sampling period of choice; links are
    pulled with the mouse, the tool is dragged, load, gravity and friction are changed. On the
    ground, servos hold the joints and nothing holds the base.

    **Arguments:**

    - `robot`: the robot; its base is where its description has it.
    - `title`: of the page; by default the name of the robot.
    - `q`: the posture in which it begins, `(nq,)`; by default one within its limits that is not
      stretched out, or in which it stands on its ground.
    - `ground`: a `px.simulation.Ground`. By default a robot whose root is free to move gets a plane
      z = 0, which its root and tips touch at points of their shapes; False: no ground.

    **Returns:** the page: `.to_html(path)` writes it, `.open()` shows it in a browser, and a
    notebook shows it by itself.

    **Raises:** `px.ArgumentError` for closed loops, which are not simulated in a page, and where q
    or the ground do not fit the robot.

    **Example:**

    >>> page = px.live_page(px.robots.planar(1), title="A pendulum")
    >>> page.to_html("pendulum.html")
    """
    return LivePage(robot, title, q=q, ground=ground)


class LivePage(Scene):
    """A page with a robot that moves; made by `px.live_page`.

    `sways`: whether it moves by itself at first.
    """

    def __init__(
        self,
        robot: Robot,
        title: str | None = None,
        sways: bool = False,
        q: ArrayLike | None = None,
        ground: Ground | bool | None = None,
    ):
        self.sways, self.notes = sways, []
        self.standing = self._standing(open_tree(robot, "px.live_page"), ground)
        if q is not None:
            self.home = _posture(robot, q)
        elif self.standing:
            self.home = self.standing.lowered(stance(robot))
        else:
            self.home = home(robot)
        scene = self.standing.ground.scene if self.standing else ()
        shapes = [shape_of(piece) for piece in scene]
        super().__init__(robot, Motion.of(robot, self.home), title, shapes)
        self._document = scene_page(self, **self._more())

    def _standing(self, robot, ground):
        """The robot on its ground; None where it has none."""
        free = robot.joints[0].kind == "free"
        if ground is False or (ground is None and not free):
            return None
        given = ground if isinstance(ground, Ground) else None
        if ground not in (None, True) and given is None:
            raise ArgumentError(
                f"ground: expected a px.simulation.Ground or False, found {quoted(ground)}"
            )
        if given and not free:
            raise ArgumentError("ground: only a robot whose root is free to move has one in a page")
        found, notes = standing(robot, given, (0, robot.inertias[0].com))
        self.notes += notes
        return found

    def _more(self):
        notes, tool, poses = self.notes, self._tool(), poses_program(self.robot)
        ranges = _ranges(self.robot)
        reach = reach_program(self.robot, tool, _rows(ranges))
        notes += _without_sliders(self.robot, ranges, bool(self.standing))
        plant = self._plant(tool)
        found, left_out = ([], []) if self.standing else laws(self.robot, self.home)
        notes += left_out
        data = {
            "home": self.home.tolist(),
            "sways": self.sways,
            "step": STEP,
            "order": 4 if self.method == "rk4" else 1,
            "gravity": list(self.robot.gravity),
            "frequencies": FREQUENCIES,
            "ranges": ranges,
            "sliders": MOST_SLIDERS,
            "ratios": list(rows_of(self.robot).ratios),
            "inertias": _inertias(self.robot, self.home),
            "plant": plant,
            "ground": self._ground() if self.standing else None,
            "poses": _map(poses, "poses"),
            "reach": _map(reach, "reach"),
            "policies": 0 if self.standing else len(POLICIES),
            "laws": [_of_law(law, k) for k, law in enumerate(found)],
            "tool": {"body": tool[0], "at": list(tool[1])},
            "schedule": self._schedule(notes),
        }
        return {
            "data": {"live": data | {"notes": notes}},
            "style": file_text(__package__, "live.css"),
            "scripts": [runtime_script(), file_text(__package__, "live.js")],
            "allow": WASM,
        }

    def _plant(self, tool):
        """A step of the robot, repeated."""
        self.method = "semi_implicit_euler"
        if self.standing:
            _check_inertia(self.robot, self.home)
            row = self.standing.row()
            return _iteration(made_row(row), self.standing.plan(row), "plant")
        self.method = method_for(self.robot, _mass_matrix(self.robot, self.home), STEP)
        if self.method != "rk4":
            self.notes.append(
                f"Steps are of first order (semi-implicit Euler, as of px.simulate): the friction "
                f"of its joints is too stiff for RK4 in steps of {1e3 * STEP:g} ms."
            )
        step = step_program(self.robot, tool, method=self.method)
        _check_moves(self.robot, step, self.home)
        return _iteration(made_row(step), Plan(step.inputs, step.outputs, CARRY), "plant")

    def _ground(self):
        """What a page on the ground has in addition."""
        stiffness, damping = self.standing.servos(self.home)
        return {
            "friction": self.standing.ground.friction,
            "stiffness": stiffness,
            "damping": damping,
            "forces": _map(self.standing.forces(), "forces"),
        }

    def _tool(self):
        """(body, point in it) of the first tip, which is dragged and carries the load."""
        body = self.robot.tips[0]
        return body, tool_of(self.robot, body)["at"]

    def _schedule(self, notes):
        """Tasks of inverse dynamics on a few processors: [start, length, processor, link]."""
        joints = [replace(joint, coupling=None) for joint in self.robot.joints]
        if any(joint.coupling for joint in self.robot.joints):
            notes.append("In the schedule, joints that follow others move by themselves.")
        try:
            tasks = streamlined_tasks(replace(self.robot, joints=tuple(joints), warn=False))
            if len(tasks.weights) > MOST_TASKS:
                raise ParaxisError(f"it has {len(tasks.weights):,} tasks")
            plan = schedule(tasks, PROCESSORS, method="list")
        except ParaxisError as error:
            notes.append(f"The schedule of its inverse dynamics is not shown: {error}")
            return None
        links = [str(tasks.groups.get(name, "")) for name in tasks.names]
        rows = zip(plan.starts, tasks.weights, plan.places, links, strict=True)
        return {
            "processors": PROCESSORS,
            "makespan": float(plan.makespan),
            "tasks": [[float(a), float(b), int(c), link] for a, b, c, link in rows],
        }


def _posture(robot, q):
    """What the user gives, checked."""
    found = Motion.of(robot, q).q
    if np.ndim(q) != 1 or not np.isfinite(found).all():
        raise ArgumentError(f"q: expected {robot.nq} finite numbers, found {quoted(q)}")
    return found[0, 0]


def home(robot):
    """A posture that is not stretched out, within the limits."""
    q, turn = np.array(api.neutral(robot)), BENT
    place = 0
    for joint in robot.joints:
        if joint.nq == 1:
            low, high = _range(joint)
            middle, most = 0.5 * (low + high), 0.45 * (high - low)
            begin = 0.0 if low <= 0.0 <= high else middle
            q[place] = np.clip(begin + turn, middle - most, middle + most)
            turn = -turn
        place += joint.nq
    return q


def _range(joint):
    """(lower, upper) of a slider: the limits, or half a turn or 1 m each way where they are far."""
    reach = 1.0 if joint.kind == "prismatic" else np.pi
    low, high = joint.lower, joint.upper
    if np.isfinite([low, high]).all() and (joint.kind == "prismatic" or high - low <= 2.0 * reach):
        return float(low), float(high)
    centre = min(max(0.0, low), high)
    return float(max(low, centre - reach)), float(min(high, centre + reach))


def _ranges(robot):
    """[place in q, name, lower, upper, place in qd] of the joints that have a slider."""
    found, place, row = [], 0, 0
    for joint in robot.joints:
        if joint.nq == 1 and joint.coupling is None:
            found.append([place, shown(joint.name, 200), *_range(joint), row])
        place, row = place + joint.nq, row + joint.nv
    return found


def _rows(ranges):
    return [row for *_, row in ranges]


def _without_sliders(robot, ranges, stands=False):
    """Notes on joints that cannot be moved by hand."""
    notes = []
    if len(ranges) > MOST_SLIDERS:
        notes.append(f"Sliders are those of the first {MOST_SLIDERS} of {len(ranges):,} joints.")
    if others := [shown(joint.name) for joint in robot.joints if joint.nq > 1]:
        notes.append(
            f"There is no slider for joints of several degrees of freedom: {listing(others)}. "
            + (
                "No motor drives them."
                if stands
                else "While the motors are on, what they carry is held up and braked as if they "
                "had motors too, also where nothing drives them, as a floating base."
            )
        )
    return notes


def _check_moves(robot, step, q):
    """Refuse a robot whose accelerations are undefined."""
    still = {name: np.zeros(shape) for name, shape in step.inputs.items()}
    still |= {"q": q, "gravity": np.array(robot.gravity, float), "dt": np.array(STEP)}
    if not all(np.isfinite(array).all() for array in step.evaluate(**still).values()):
        raise _undefined(robot)


def _check_inertia(robot, q):
    """The same for a robot on the ground."""
    sizes = np.linalg.eigvalsh(_mass_matrix(robot, q))
    if not sizes.min() > ROUNDED * sizes.max():
        raise _undefined(robot)


def _undefined(robot):
    return ArgumentError(
        f"robot {quoted(robot.name)}: its accelerations are not finite, even at rest, so it "
        "cannot be simulated; is a link that moves freely without mass or inertia?"
    )


def _mass_matrix(robot, q):
    return api.program(robot, "mass_matrix").evaluate(q=q)


def _inertias(robot, q):
    """What each joint moves, for friction in proportion to it."""
    found = np.diagonal(_mass_matrix(robot, q)).copy()
    if robot.joints[0].kind == "free":
        found[:6] = 0.0  # no joint's friction brakes a floating base
    return found.tolist()


def _bytes(module):
    return b64encode(module).decode()


def _map(program, name):
    about = described(program.graph, name)
    return {"about": about, "module": _bytes(program.to_wasm(name))}


def _iteration(row, plan, name):
    about = described_iteration(plan, name)
    return {"about": about, "module": _bytes(iterate_module(row, plan, name))}


def _of_law(law, k):
    own = {name: law[name] for name in ("policy", "words", "carry", "safe")}
    return own | _map(law["program"], f"law_{k}")

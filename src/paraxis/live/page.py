"""`px.live_page`: a robot in a page that simulates it, with its own kernels inside."""

from __future__ import annotations

from base64 import b64encode

import numpy as np

from .. import api
from ..checks import listing, quoted, shown
from ..drawing.frame import WASM, file_text
from ..drivers.iterate import Plan
from ..errors import ArgumentError, ParaxisError
from ..parallel.schedules.scheduling import schedule
from ..parallel.streamlined.tasks import streamlined_tasks
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..scene.motion import Motion
from ..scene.page import scene_page, tool_of
from ..scene.scene import Scene
from ..targets.source.wasm import described, described_iteration, runtime_script
from .laws import FREQUENCIES, POLICIES, laws
from .programs import CARRY, poses_program, reach_program, step_program

STEP = 1e-3  # s: the longest step of the simulation
PROCESSORS = 4  # of the schedule beside the robot
MOST_TASKS = 2000
MOST_SLIDERS = 100
BENT = 0.5  # rad: how joints stand at first, in turn one way and the other


def live_page(robot: Robot, title: str | None = None) -> LivePage:
    """A page in which the robot is simulated while you look: one file, with nothing to fetch.

    Its dynamics are compiled to WebAssembly and steps of RK4 are those of `px.simulate`. Joints
    follow sliders by computed torque, with exact or stale data, at a sampling period of choice;
    links are pulled with the mouse, the tool is dragged, load, gravity and friction are changed.

    **Arguments:**

    - `robot`: the robot; its base is where its description has it.
    - `title`: of the page; by default the name of the robot.

    **Returns:** the page: `.to_html(path)` writes it, `.open()` shows it in a browser, and a
    notebook shows it by itself.

    **Raises:** `px.ArgumentError` for closed loops, which are not simulated in a page.

    **Example:**

    >>> page = px.live_page(px.robots.planar(1), title="A pendulum")
    >>> page.to_html("pendulum.html")
    """
    return LivePage(robot, title)


class LivePage(Scene):
    """A page with a robot that moves; made by `px.live_page`.

    `sways`: whether it moves by itself at first.
    """

    def __init__(self, robot: Robot, title: str | None = None, sways: bool = False):
        self.home, self.sways = home(open_tree(robot, "px.live_page")), sways
        super().__init__(robot, Motion.of(robot, self.home), title)
        self._document = scene_page(self, **self._more())

    def _more(self):
        notes, tool, poses = [], self._tool(), poses_program(self.robot)
        ranges = _ranges(self.robot)
        step, reach = step_program(self.robot, tool), reach_program(self.robot, tool, _rows(ranges))
        _check_moves(self.robot, step, self.home)
        notes += _without_sliders(self.robot, ranges)
        found, left_out = laws(self.robot, self.home)
        notes += left_out
        data = {
            "home": self.home.tolist(),
            "sways": self.sways,
            "step": STEP,
            "gravity": list(self.robot.gravity),
            "frequencies": FREQUENCIES,
            "ranges": ranges,
            "sliders": MOST_SLIDERS,
            "inertias": _inertias(self.robot, self.home),
            "plant": _iteration(step, CARRY, "plant"),
            "poses": _map(poses, "poses"),
            "reach": _map(reach, "reach"),
            "policies": len(POLICIES),
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

    def _tool(self):
        """(body, point in it) of the first tip, which is dragged and carries the load."""
        body = self.robot.tips[0]
        return body, tool_of(self.robot, body)["at"]

    def _schedule(self, notes):
        """Tasks of inverse dynamics on a few processors: [start, length, processor, link]."""
        try:
            tasks = streamlined_tasks(self.robot)
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


def _without_sliders(robot, ranges):
    """Notes on joints that cannot be moved by hand."""
    notes = []
    if len(ranges) > MOST_SLIDERS:
        notes.append(f"Sliders are those of the first {MOST_SLIDERS} of {len(ranges):,} joints.")
    if others := [shown(joint.name) for joint in robot.joints if joint.nq > 1]:
        notes.append(
            f"There is no slider for joints of several degrees of freedom: {listing(others)}. "
            "While the motors are on, what they carry is held up and braked as if they had motors "
            "too, also where nothing drives them, as a floating base."
        )
    return notes


def _check_moves(robot, step, q):
    """Refuse a robot whose accelerations are undefined."""
    still = {name: np.zeros(shape) for name, shape in step.inputs.items()}
    still |= {"q": q, "gravity": np.array(robot.gravity, float), "dt": np.array(STEP)}
    if not all(np.isfinite(array).all() for array in step.evaluate(**still).values()):
        raise ArgumentError(
            f"robot {quoted(robot.name)}: its accelerations are not finite, even at rest, so it "
            "cannot be simulated; is a link that moves freely without mass or inertia?"
        )


def _inertias(robot, q):
    """What each joint moves, for friction in proportion to it."""
    return np.diagonal(api.program(robot, "mass_matrix").evaluate(q=q)).tolist()


def _bytes(module):
    return b64encode(module).decode()


def _map(program, name):
    about = described(program.graph, name)
    return {"about": about, "module": _bytes(program.to_wasm(name))}


def _iteration(program, carry, name):
    plan = Plan(program.inputs, program.outputs, carry)
    about = described_iteration(plan, name)
    return {"about": about, "module": _bytes(program.to_wasm(name, carry=carry))}


def _of_law(law, k):
    own = {name: law[name] for name in ("policy", "words", "carry", "safe")}
    return own | _map(law["program"], f"law_{k}")

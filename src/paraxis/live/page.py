"""`px.live_page`: a robot in a page that simulates it, with its own kernels inside."""

from __future__ import annotations

from base64 import b64encode

import numpy as np

from .. import api
from ..drawing.frame import WASM, file_text
from ..drivers.iterate import Plan
from ..errors import ParaxisError
from ..parallel.schedules.scheduling import schedule
from ..parallel.streamlined.tasks import streamlined_tasks
from ..robots.refusals import open_tree
from ..robots.robot import Robot
from ..scene.motion import Motion
from ..scene.page import tool_of
from ..scene.scene import Scene
from ..targets.source.wasm import described, described_iteration, runtime_script
from .laws import FREQUENCIES, laws
from .programs import CARRY, poses_program, reach_program, step_program

STEP = 1e-3  # s: the longest step of the simulation
PROCESSORS = 4  # of the schedule beside the robot
MOST_TASKS = 2000
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
    """
    return LivePage(open_tree(robot, "px.live_page"), title)


class LivePage(Scene):
    """A page with a robot that moves; made by `px.live_page`."""

    sways = False  # whether it moves by itself at first

    def __init__(self, robot: Robot, title: str | None = None):
        self.home = home(robot)
        super().__init__(robot, Motion.of(robot, self.home), title)

    def _more(self):
        found, notes = laws(self.robot, self.home)
        tool, poses = self._tool(), poses_program(self.robot)
        step, reach = step_program(self.robot, tool), reach_program(self.robot, tool)
        data = {
            "home": self.home.tolist(),
            "sways": self.sways,
            "step": STEP,
            "gravity": list(self.robot.gravity),
            "frequencies": FREQUENCIES,
            "ranges": _ranges(self.robot, self.home),
            "inertias": _inertias(self.robot, self.home),
            "plant": _iteration(step, CARRY, "plant"),
            "poses": _map(poses, "poses"),
            "reach": _map(reach, "reach"),
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
            low, high = max(joint.lower, -np.pi), min(joint.upper, np.pi)
            middle = 0.0 if low <= 0.0 <= high else 0.5 * (low + high)
            q[place] = np.clip(middle + turn, *sorted((0.9 * low, 0.9 * high)))
            turn = -turn
        place += joint.nq
    return q


def _ranges(robot, home):
    """[place in q, name, lower, upper, place in qd] of the joints that have a slider."""
    found, place, row = [], 0, 0
    for joint in robot.joints:
        if joint.nq == 1 and joint.coupling is None:
            reach = np.pi if joint.kind != "prismatic" else 1.0
            low, high = max(joint.lower, -reach), min(joint.upper, reach)
            found.append([place, joint.name, float(low), float(high), row])
        place, row = place + joint.nq, row + joint.nv
    return found


def _inertias(robot, q):
    """What each joint moves, for friction in proportion to it."""
    return np.diagonal(api.mass_matrix(robot, q)).tolist()


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
    own = {name: law[name] for name in ("policy", "words", "carry", "start", "safe")}
    return own | _map(law["program"], f"law_{k}")

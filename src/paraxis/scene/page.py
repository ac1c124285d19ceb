"""The page of a scene: what is drawn, how it moves, and the script that does it."""

import math
from html import escape

from ..checks import counted, shown
from ..drawing.axes import number_text
from ..drawing.frame import brand, file_text
from ..drawing.interactive.page import interactive_page
from ..robots.joint import WORLD
from .library import three_js
from .looks import Looks
from .poses import pose_of
from .skeleton import size_of

SCRIPTS = ("arrays.js", "colours.js", "solids.js", "view.js", "player.js", "plots.js", "page.js")


def scene_page(scene, panel="", data=None, style="", scripts=(), allow=""):
    """The whole HTML document.

    Pages that do more add to it: `panel` is HTML beside the robot; `data` more of what scripts are
    given, by name; `scripts` are sources that run after those here and share their names, `page`
    above all; `allow` is what else the page's policy lets scripts do, such as
    "'wasm-unsafe-eval'".
    """
    known, lead = scene_data(scene)
    title = shown(scene.title)
    body = file_text(__package__, "body.html").format(
        brand=brand(), title=escape(title), lead=escape(lead), panel=panel
    )
    sources = [three_js(), *(file_text(__package__, name) for name in SCRIPTS), *scripts]
    style = file_text(__package__, "scene.css") + style
    return interactive_page(title, body, known | (data or {}), style, sources, allow)


def scene_data(scene):
    """What the script is given, and a sentence about it."""
    robot, motion = scene.robot, scene.motion.shown()
    notes, looks = [*motion.notes], Looks(robot, scene.surroundings)
    data = {
        "robot": robot_data(robot),
        "parts": [part.as_data() for part in looks.parts],
        "surroundings": [part.as_data() for part in looks.surroundings],
        "meshes": looks.meshes,
        "motion": motion.as_data(notes),
        "notes": [*notes, *looks.notes],
    }
    return data, _lead(robot, scene.motion)


def robot_data(robot):
    """Names and places that are drawn beside the bodies."""
    return {
        "name": shown(robot.name, 200),
        "size": size_of(robot),
        "joints": [
            {
                "name": shown(joint.name, 200),
                "kind": joint.kind,
                "parent": joint.parent - WORLD,
                "axis": list(joint.axis),
                "effort": _effort(joint),
            }
            for joint in robot.joints
        ],
        "frames": [
            {
                "name": shown(frame.name, 200),
                "body": frame.body - WORLD,
                "pose": pose_of(frame.pose),
            }
            for frame in robot.frames
        ],
        "tools": [tool_of(robot, body) for body in robot.tips],
        "weight": sum(body.mass for body in robot.inertias) * math.hypot(*robot.gravity),
        "masses": [body.mass for body in robot.inertias],
        "centres": [list(body.com) for body in robot.inertias],
    }


def _effort(joint):
    """The largest torque of a joint's motor, on its shaft; None if it is not known."""
    limit = joint.transmission.torque_limit
    limit = limit if math.isfinite(limit) else joint.max_effort
    return limit / abs(joint.transmission.ratio) if 0.0 < limit < math.inf else None


def tool_of(robot, body):
    """The last frame on a tip, which leaves a trail."""
    own = [frame for frame in robot.frames if frame.body == body]
    at = list(own[-1].pose.translation) if own else [0.0, 0.0, 0.0]
    if not own:
        at = [2.0 * x for x in robot.inertias[body].com]
    name = own[-1].name if own else robot.joints[body].name
    return {"name": shown(name, 200), "body": body - WORLD, "at": at}


def _lead(robot, motion):
    count, robots = motion.q.shape[:2]
    words = [counted(robots, "robot")] if robots > 1 else []
    free = robot.joints[0].kind == "free"
    if not free or robot.n > 1:
        words.append(counted(robot.n - free, "joint"))
    if free:
        words.append("free to move")
    if motion.moving is not None:
        words.append("each moves in turn")
    elif count > 1:
        words.append(f"{number_text(float(motion.t[-1]))} s")
    return " · ".join(words)

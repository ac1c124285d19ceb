"""A robot that moves, as a stick figure from the side and from above, in SVG without a script.

A stick leads from the base, or from a body that is free, over the origins of the bodies to the
frame at a tip.
"""

from dataclasses import replace

import numpy as np

from .. import api
from ..robots.frame import Frame
from ..robots.joint import WORLD
from .axes import number_text
from .page import plot
from .svg import Drawing

VIEWS = ("from the side", (0, 2)), ("from above", (0, 1))  # the axes to the right and up
HUES = ("c1", "c2", "c4", "c5", "c6", "c7", "c8")
MOST_PICTURES = 60
LEAST_SECONDS = 2.0  # a shorter motion is slowed down
EDGE, LETTERS = 14, 26  # pixels around the figure, and for words below it


def stick_figure(robot, q, dt):
    """(HTML, how many times slower it moves than the robot) of positions (steps + 1, nq)."""
    every = -(-len(q) // MOST_PICTURES)
    kept = np.unique(np.r_[np.arange(0, len(q), every), len(q) - 1])
    slower = max(1.0, np.ceil(LEAST_SECONDS / (dt * (len(q) - 1))))
    times = kept / kept[-1]
    given = sticks(robot, q[kept]), times, slower * dt * (len(q) - 1)
    return "".join(plot(_draw, *given, name, axes) for name, axes in VIEWS), slower


def sticks(robot, q):
    """Of every tip: points (times, n, 3) along the robot."""
    bodies = tuple(Frame(f"origin of body {i}", i) for i in range(robot.n))
    count = len(robot.frames)
    poses = api.frame_poses(replace(robot, frames=(*robot.frames, *bodies), warn=False), q)
    at = poses[..., :3, 3]
    floats = [i for i, joint in enumerate(robot.joints) if joint.parent == WORLD]
    free = robot.described.joints[0].kind == "free"
    found = []
    for tip in robot.tips:
        path = robot.path(tip)[::-1]
        points = [at[:, count + i] for i in path]
        if not (free and path[0] in floats):
            base = np.asarray(robot.base.translation, float)
            points.insert(0, np.broadcast_to(base, points[0].shape))
        last = [k for k, frame in enumerate(robot.frames) if frame.body == tip]
        points += [at[:, last[-1]]] if last else []
        found.append(np.stack(points, 1))
    return found


def _draw(figures, times, seconds, name, axes, width):
    """All sticks in a plane, as a Drawing."""
    flat = [points[..., list(axes)] for points in figures]
    every = np.concatenate([points.reshape(-1, 2) for points in flat])
    low, high = every.min(0), every.max(0)
    size = max(float((high - low).max()), 1e-9)
    scale = min(width - 2 * EDGE, 360) / size
    height = round(scale * float(high[1] - low[1])) + 2 * EDGE + LETTERS
    left = (width - scale * float(high[0] - low[0])) / 2
    drawing = Drawing(width, max(height, 60), f"The motion {name}")
    moment = {"dur": f"{seconds:.6g}s", "repeatCount": "indefinite"}
    moment["keyTimes"] = ";".join(f"{t:.4f}" for t in times)

    def pixels(points):
        x = left + scale * (points[..., 0] - low[0])
        return np.stack([x, EDGE + scale * (high[1] - points[..., 1])], -1).round(1)

    for k, points in enumerate(flat):
        hue, at = HUES[k % len(HUES)], pixels(points)
        drawing.add("polyline", kind="curve c3", points=_listed(at[:, -1]))
        drawing.moving("polyline", {"points": [_listed(each) for each in at]}, moment,
                       kind=f"curve {hue}", stroke_width=4)  # fmt: skip
        for joint in range(at.shape[1]):
            moved = {"cx": at[:, joint, 0].tolist(), "cy": at[:, joint, 1].tolist()}
            drawing.moving("circle", moved, moment, kind=f"dot {hue}", r=5)
    words = f"{name}; {number_text(float(f'{size:.2g}'))} m across"
    drawing.text(EDGE, drawing.height - 8, words, "unit")
    return drawing


def _listed(points):
    return " ".join(f"{x:g},{y:g}" for x, y in points)

"""`px.show`: look at a robot, or at how it moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from .. import api
from ..checks import quoted
from ..errors import ArgumentError
from ..robots.robot import Robot
from .motion import Motion
from .scene import Scene
from .skeleton import size_of
from .tour import tour_of


def show(
    what: Robot | Any,
    q: ArrayLike | None = None,
    t: ArrayLike | None = None,
    *,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    title: str | None = None,
    open: bool | None = None,
) -> Scene:
    """Show a robot, or robots that move, in 3-D: a page that runs in a browser.

    **Arguments:**

    - `what`: a robot, a `px.simulation.Run`, a `px.optimal.Solution`, or anything else that has a
      method `as_scene(title)`.
    - `q`: of a robot, its positions, `(nq,)`, or positions over time, `(times, ..., nq)`, of one
      robot or, with more axes, of many; rad or m. By default each joint moves in turn from
      `px.neutral(robot)`.
    - `t`: the times, `(times,)`, s; by default 60 per second.
    - `qd`, `tau`: rates and torques at these times, `(times, ..., nv)`, rad/s and N m, for curves
      and colours.
    - `title`: of the page; by default the name of the robot.
    - `open`: whether to open it in a browser. By default it is opened, except in a notebook, where
      the value of a cell shows itself.

    **Returns:** a `Scene`: `.to_html(path)` writes the page, one file with nothing to fetch.

    **Raises:** `px.ArgumentError` if `what` cannot be shown, or shapes do not fit together.

    **Example:**

    >>> scene = px.show(px.load("ur5"), open=False)
    >>> scene.to_html("ur5.html")
    >>> run = px.simulate(px.robots.planar(3), np.zeros(3), np.zeros(3), dt=0.01, steps=100)
    >>> px.show(run, open=False).to_html("falling.html")
    """
    scene = scene_of(what, q, t, qd=qd, tau=tau, title=title)
    if open or (open is None and not in_notebook()):
        scene.open()
    return scene


def scene_of(what, q=None, t=None, *, qd=None, tau=None, title=None):
    """The Scene of what `show` is given."""
    arrays = {"q": q, "t": t, "qd": qd, "tau": tau}
    if isinstance(what, Robot):
        given = next((name for name in ("t", "qd", "tau") if arrays[name] is not None), None)
        if q is None and given:
            raise ArgumentError(f"{given}: give q as well, the positions of the robot")
        return Scene(what, _at_rest(what) if q is None else Motion.of(what, q, t, qd, tau), title)
    if not hasattr(what, "as_scene"):
        advice = "; px.load makes a Robot of a file" if isinstance(what, str | Path) else ""
        raise ArgumentError(
            f"show: expected a Robot, or the result of a simulation or of optimal control, found "
            f"{quoted(what)}{advice}"
        )
    for name, array in arrays.items():
        if array is not None:
            raise ArgumentError(f"{name}: only a robot can be given one; this moves by itself")
    return what.as_scene(title)


def _at_rest(robot):
    """A robot at its neutral position, from where each joint moves in turn."""
    tour = tour_of(robot, api.neutral(robot), size_of(robot))
    if tour is None:
        return Motion.of(robot, api.neutral(robot))
    t, q, moving = tour
    motion = Motion.of(robot, q, t)
    motion.moving = moving
    return motion


def in_notebook() -> bool:
    """Whether this code runs in a notebook, which shows the value of a cell."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and "IPKernelApp" in shell.config

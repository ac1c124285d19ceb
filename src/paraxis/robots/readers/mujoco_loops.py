"""The equalities `connect` and `weld` of a MuJoCo model as closed loops.

MuJoCo's constraints are soft, and loops are exact: `solref` only says how fast simulations close
what is open. An equality that is switched off, or with a mocap body, is not read.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..frame import Frame
from ..loop import Loop
from ..pose import HERE, Pose
from .compiled import pose_of


class Ends(NamedTuple):
    """What an equality holds together: a body of MuJoCo and a pose on it, twice."""

    bodies: tuple[int, int]
    poses: tuple[Pose, Pose]
    is_weld: bool


def closing_equalities(compiled):
    """{number of the equality: Ends} of all that may become loops."""
    model, found = compiled.model, {}
    if compiled.is_disabled("EQUALITY"):
        return found
    kinds = compiled.mujoco.mjtEq
    connect, weld = int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)
    for k in np.flatnonzero(model.eq_active0).tolist():
        if model.eq_type[k] in (connect, weld):
            ends = _ends(compiled, k, bool(model.eq_type[k] == weld))
            if not any(model.body_mocapid[b] >= 0 for b in ends.bodies):
                found[k] = ends
    return found


def loops(compiled, stands):
    """The loops by number of the equality, but for those between parts of one body.

    `stands` has a body here, and a pose on it, of each body of MuJoCo.
    """
    found, names = {}, compiled.equalities
    for k, ends in closing_equalities(compiled).items():
        first, second = (
            Frame(compiled.bodies[b], stands[b][0], stands[b][1] @ pose)
            for b, pose in zip(ends.bodies, ends.poses, strict=True)
        )
        if first.body != second.body:
            loop = (Loop.weld if ends.is_weld else Loop.connect)(names[k], first, second)
            found[k] = _stabilised(loop, compiled.model.eq_solref[k])
    return found


def _ends(compiled, k, is_weld):
    """A connect has an anchor on each body; a weld one on the second, and a pose on the first."""
    model, data = compiled.model, compiled.model.eq_data[k]
    pair = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
    turns = is_weld and data[10] > 0  # its torquescale
    of_sites = getattr(model, "eq_objtype", None)  # since MuJoCo 3.2
    if of_sites is not None and of_sites[k] == int(compiled.mujoco.mjtObj.mjOBJ_SITE):
        bodies = tuple(int(model.site_bodyid[s]) for s in pair)
        poses = tuple(pose_of(model.site_pos[s], model.site_quat[s]) for s in pair)
        return Ends(bodies, poses, turns)
    if is_weld:
        turn = data[6:10] if turns else (1.0, 0.0, 0.0, 0.0)
        return Ends(pair, (pose_of(data[3:6], turn), _at(data[:3])), turns)
    return Ends(pair, (_at(data[:3]), _at(data[3:6])), False)


def _at(position):
    return Pose(HERE.rotation, tuple(position.tolist()))


def _stabilised(loop, solref):
    """With MuJoCo's time constant and damping ratio, where `solref` has these."""
    time, ratio = solref.tolist()
    if time <= 0 or ratio <= 0:
        return loop
    return replace(loop, stabilisation=(1 / (time * ratio), ratio))

"""Sentences about the parts of a MuJoCo model that are not read."""

from collections.abc import Iterator

import numpy as np

from ...checks import listing
from .mujoco_shapes import purposes

MOST = 5  # names in each sentence


def not_read(compiled, equalities):
    """Two lists of sentences: about what changes the motion, and about what does not.

    `equalities` are the numbers of those that were read.
    """
    return [*_changing(compiled, equalities)], [*_rest(compiled)]


def _changing(compiled, equalities) -> Iterator[str]:
    model = compiled.model
    if not compiled.is_disabled("EQUALITY"):
        for word, indices in _equalities(compiled, equalities).items():
            found = _named(compiled, "eq", indices)
            yield f"equality constraints ({word}) are not applied: {found}"
    yield from _tendons(compiled)
    curved = _any(model, "dof_dampingpoly")
    if curved.any() and compiled.has_dampers:
        found = [compiled.joints[j] for j in sorted({*model.dof_jntid[curved].tolist()})]
        yield f"damping is linear in velocity: higher terms of {listing(found, MOST)} are left out"
    heavy = [
        compiled.joints[j]
        for j, kind in enumerate(compiled.kinds)
        if kind == "free" and model.dof_armature[compiled.dofs(j)].any()
    ]
    if heavy:
        yield (
            "the armature of a free joint acts along the axes of its body, not of the world, which "
            f"differs while it turns: {listing(heavy, MOST)}"
        )
    if compiled.other_loads:
        found = _named(compiled, "actuator", compiled.other_loads)
        yield f"armature and damping of actuators that drive no single joint are left out: {found}"
    if model.body_gravcomp.any() and any(model.opt.gravity):
        found = [compiled.bodies[b] for b in np.flatnonzero(model.body_gravcomp)]
        yield f"gravity compensation exerts no force: {listing(found, MOST)}"
    if model.opt.density > 0 or model.opt.viscosity > 0:
        yield "the medium (density, viscosity) exerts no force"
    if getattr(model, "nflex", 0):
        yield f"flexible bodies do not bend: {_named(compiled, 'flex', range(model.nflex))}"
    if getattr(model, "nplugin", 0):
        yield f"plugins do nothing: {_named(compiled, 'plugin', range(model.nplugin))}"


def _rest(compiled) -> Iterator[str]:
    model = compiled.model
    count = len(model.actuator_trntype)
    if count:
        yield f"actuators: {_named(compiled, 'actuator', range(count))}"
    if model.nsensor:
        yield f"sensors: {_named(compiled, 'sensor', range(model.nsensor))}"
    touching = int(np.count_nonzero(model.geom_contype | model.geom_conaffinity))
    if touching or model.npair:
        yield f"contacts between geoms: {touching} that may touch, {model.npair} pairs"
    unseen = [g for g, served in enumerate(purposes(model)) if not served]
    if unseen:
        yield f"the shapes of geoms that neither show nor touch: {_named(compiled, 'geom', unseen)}"
    off = np.flatnonzero(model.eq_active0 == 0)
    off = range(model.neq) if compiled.is_disabled("EQUALITY") else off
    if len(off):
        yield f"equality constraints that are switched off: {_named(compiled, 'eq', off)}"
    idle = np.flatnonzero(~_working(model))
    if len(idle):
        yield f"tendons that exert no force of their own: {_named(compiled, 'tendon', idle)}"
    bounded = [
        compiled.joints[j]
        for j, kind in enumerate(compiled.kinds)
        if kind == "spherical" and model.jnt_limited[j]
    ]
    if bounded:
        yield f"limits of ball joints: {listing(bounded, MOST)}"
    skewed = [
        compiled.joints[j]
        for j in np.flatnonzero(getattr(model, "jnt_actfrclimited", np.zeros(0)))
        if -model.jnt_actfrcrange[j][0] != model.jnt_actfrcrange[j][1]
    ]
    if skewed:
        yield (
            "ranges of force of joints that differ by direction; the smaller of both is the "
            f"limit: {listing(skewed, MOST)}"
        )
    if model.nmocap:
        found = [compiled.bodies[b] for b in np.flatnonzero(model.body_mocapid >= 0)]
        yield f"mocap bodies stay where the description has them: {listing(found, MOST)}"
    if model.nkey:
        yield f"keyframes: {_named(compiled, 'key', range(model.nkey))}"


def _equalities(compiled, read):
    """{what they are, in a word: indices} of those that are switched on and not `read`."""
    model, found = compiled.model, {}
    words = {
        int(number): name.removeprefix("mjEQ_").lower()
        for name, number in compiled.mujoco.mjtEq.__members__.items()
    }
    for k in range(model.neq):
        if model.eq_active0[k] and k not in read:
            found.setdefault(words[int(model.eq_type[k])], []).append(k)
    return found


def _tendons(compiled):
    model, fixed = compiled.model, compiled.fixed_tendons
    spatial = [t for t in np.flatnonzero(_working(model)) if t not in fixed]
    if spatial:
        yield (
            "spatial tendons exert no force (their springs, dampers, friction, armature and "
            f"limits): {_named(compiled, 'tendon', spatial)}"
        )
    left_out = {"tendon_armature": "armature of tendons is left out"}
    left_out |= {"tendon_limited": "limits of tendons are not applied"}
    if compiled.has_dampers:
        left_out["tendon_dampingpoly"] = "damping of tendons is linear in velocity"
    for name, sentence in left_out.items():
        found = [t for t in np.flatnonzero(_any(model, name)) if t in fixed]
        if found:
            yield f"{sentence}: {_named(compiled, 'tendon', found)}"


def _working(model):
    """Which tendons act by themselves, without an actuator."""
    names = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "frictionloss", "armature")
    return _any(model, *(f"tendon_{name}" for name in (*names, "limited")))


def _any(model, *names):
    """Where any of these arrays, as far as this version of MuJoCo has them, is not zero."""
    arrays = [getattr(model, name) for name in names if hasattr(model, name)]
    rows = [array.reshape(len(array), -1).any(axis=1) for array in arrays if len(array)]
    return np.logical_or.reduce(rows) if rows else np.zeros(0, bool)


def _named(compiled, kind, indices):
    return listing(compiled.names(kind, [int(i) for i in indices]), MOST)

"""The torques along the line, with and without friction: Figs. 3.11 to 3.13 as far as they go.

Assumed: a quintic from rest to rest in 2 s that passes the state of Table 3.5 with its place and
its speed (its acceleration there is then the profile's own), the same elbow throughout.
"""

from functools import cache

import numpy as np

from paraxis import motor_torques, trace
from paraxis.drawing.figure import Figure
from paraxis.physics.friction.motor_torques import MotorTorques
from paraxis.trajectories import quintic

from ..document import Row, Table
from .arm import arm
from .curve import curve
from .state import motion, the_state
from .table_3_5 import LINKS, bearing_length, told


@cache
def profile():
    """The trajectory of z."""
    state, line = the_state(), told()["line"]
    z, zd, _ = quintic([0.0], [1.0], line["duration"])(told()["time"])
    way = state.speed / float(zd[0])
    start = state.z - way * float(z[0])
    return quintic([start], [start + way], line["duration"])


@cache
def torques():
    """Times, and all torques at each."""
    line, state = told()["line"], the_state()
    samples = profile().sample(samples=line["samples"])

    def along(x):
        q, qd, qdd = motion((state.arm, state.elbow), *x)
        return {"q": q, "qd": qd, "qdd": qdd}

    z = np.concatenate([samples.q, samples.qd, samples.qdd], axis=-1)
    q, qd, qdd = trace(along, x=3).compile()(z)
    lossy = arm(told()["offset"]["dynamics"], curve(), bearing_length())
    return samples.t, MotorTorques(*motor_torques(lossy, q, qd, qdd)), qd


def along_the_line():
    """How much friction is of the whole."""
    _, found, qd = torques()
    state, line, ends = the_state(), told()["line"], profile().sample(samples=2).q[:, 0]
    rows = []
    for i, link in enumerate(LINKS):
        plain, whole = abs(found.dynamic[:, i]).max(), abs(found.input[:, i]).max()
        note = f"{plain:.2f} without friction"
        rows.append(_row(f"greatest input, link {link}, N m", round(float(whole), 4), note))
    share = abs(found.joint_friction).max() / abs(found.transmission_friction).max()
    rows.append(
        _row(
            "greatest joint friction over greatest in transmissions",
            round(float(share), 4),
            _small(found),
        )
    )
    lost = (found.joint_friction + found.transmission_friction) * qd
    note = "W: it gives none, as it must not"
    rows.append(
        _row(
            "least power that friction takes from a moving joint", float(lost[qd != 0].min()), note
        )
    )
    lead = (
        f"Assumed, as the profile is not printed: z goes from {ends[0]:.3f} to {ends[1]:.3f} m by "
        f"a quintic from rest to rest in {line['duration']:g} s, x = {line['x']} m, y = z, through "
        f"the place of Table 3.5 at its time with its speed; elbow {state.elbow:+d}. Its "
        f"acceleration there is {_acceleration():.3f} m/s², not {state.acceleration:.3f}."
    )
    return Table("Along the line", lead, rows)


def _acceleration():
    _, _, z = profile()(told()["time"])
    return float(z[0])


def _small(found):
    below = (abs(found.joint_friction) <= abs(found.transmission_friction)).mean()
    return (
        f"joint friction is the smaller in {below:.0%} of all samples; the thesis says at all times"
    )


def _row(quantity, measured, note):
    return Row("Paraxis", quantity, None, measured, note)


def figures():
    """A figure a link."""
    t, found, _ = torques()
    return tuple(
        Figure(
            f"Link {link}: torque along the line",
            "The torque of the motion, that with the bearing, and the torque of the drive, on the "
            "side of the joint.",
            "time, s",
            "torque, N m",
            {
                "without friction": _points(t, found.dynamic[:, i]),
                "at the joint": _points(t, found.at_joint[:, i]),
                "input": _points(t, found.input[:, i]),
            },
            dashed=("without friction",),
        )
        for i, link in enumerate(LINKS)
    )


def _points(t, values):
    return [(round(float(x), 4), round(float(y), 4)) for x, y in zip(t, values, strict=True)]

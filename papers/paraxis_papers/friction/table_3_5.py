"""Dhanaraj's Table 3.5: the torques of three links at one instant, beside ours at that state."""

import math
from functools import cache

import numpy as np

from paraxis import joint_reactions, motor_torques
from paraxis.physics.friction.joint_friction import joint_friction
from paraxis.spatial import Spatial, Vector

from ..document import Row, Table
from ..printed import printed
from .arm import arm
from .curve import curve, points
from .state import states, the_state

PAPER = "Dhanaraj 1990"
LINKS = ("I", "II", "III")
COLUMNS = ("dynamic", "joint_friction", "at_joint", "transmission_friction", "input")
LONGEST = 1e3  # m: a bearing on which moments rest without friction


def told():
    return printed("dhanaraj")["case_study"]


@cache
def bearing_length():
    """The length with which link I has the friction that is printed: bisection, as it falls."""
    low, high = 1e-3, LONGEST
    for _ in range(100):
        middle = (low * high) ** 0.5
        longer = abs(friction_in_bearing(0, middle)) > told()["joint_friction"][0]
        low, high = (middle, high) if longer else (low, middle)
    return middle


def friction_in_bearing(i, length):
    """The friction of one link there, if its bearing has this length."""
    moment, force = np.split(_reactions()[i], 2)
    joint = arm(told()["offset"]["dynamics"], curve(), length).joints[i]
    rate = float(the_state().qd[i])
    carried = Spatial(Vector(*moment.tolist()), Vector(*force.tolist()))
    return joint_friction(joint, carried, rate, math.copysign(1.0, rate))


@cache
def _reactions():
    state = the_state()
    return joint_reactions(arm(told()["offset"]["dynamics"]), state.q, state.qd, state.qdd)


def at_the_state(length):
    """All torques there, with bearings of this length."""
    state = the_state()
    lossy = arm(told()["offset"]["dynamics"], curve(), length)
    return motor_torques(lossy, state.q, state.qd, state.qdd)


def table_3_5():
    """Column by column."""
    state, found = the_state(), at_the_state(bearing_length())
    rows = [
        Row(PAPER, f"{name.replace('_', ' ')}, link {link}, N m", told()[name][i], _shown(own), why)
        for name in COLUMNS
        for i, (link, own) in enumerate(zip(LINKS, getattr(found, name), strict=True))
        for why in [_note(name, i)]
    ]
    lead = (
        f"At t = {told()['time']} s, at the state found above for one arm whose joints move as the "
        f"printed friction does: z = {state.z:.4f} m, ż = {state.speed:.4f} m/s and "
        f"z̈ = {state.acceleration:.4f} m/s²."
    )
    conventions = (
        f"The length of the bearings is not printed: {bearing_length():.4f} m follows from "
        "link I's friction, taken for all three.",
        "The efficiency curve is that of the points below, lines between them.",
        "Torques of drives are on the side of the joints: a ratio is not printed.",
    )
    return Table("Table 3.5: torques at one instant", lead, rows, conventions)


def states_table():
    """Where on the line the printed dynamic torques can be."""
    rows = []
    for state in states():
        fits = "move as the printed friction says" if state.fits else "do not move so"
        note = (
            f"ż = {state.speed:.4f} m/s, z̈ = {state.acceleration:.4f} m/s²; joints {fits}; arm "
            f"{state.arm:+d}, elbow {state.elbow:+d}"
        )
        rows.append(Row("Paraxis", f"{state.reading}: z, m", None, _shown(state.z), note))
    lead = (
        "The velocity profile is not printed. But at an instant the motion along the line is three "
        "numbers, and three dynamic torques are printed. These are the states, moving upward, that "
        "a search from many places finds to have them."
    )
    conventions = (
        "The programs contradict each other: the wrist, and with it the mass of the forearm, is "
        "along −y of link 3 in D.1.2 and along +y in D.1.3. One arm: as D.1.2 has it, in both. As "
        "they stand: angles from D.1.3 put into D.1.2, where joint 3 is then half a turn off.",
        "Downward, at the same speed, torques are the same and all friction has the other sign.",
    )
    return Table("The state behind Table 3.5", lead, rows, conventions)


def _note(name, i):
    if name == "dynamic":
        return "met, as the state is found from it"
    if name == "joint_friction":
        if i == 0:
            return "met, as the length is found from it"
        least = abs(friction_in_bearing(i, LONGEST))
        return (
            f"cannot be: a horizontal axis bears the weight, {_weight(i):.0f} N, so μ r |f| alone "
            f"is {least:.3f}, whatever the length"
        )
    if name == "at_joint":
        return "dynamic and joint friction, added" + (", so off as much" if i else "")
    number, _, _ = points()[i]
    return f"case {number} of Table 3.2" + (", from the torque at the joint above" if i else "")


def _weight(i):
    """The force across the axis."""
    return float(np.hypot(*_reactions()[i, 3:5]))


def identities():
    """What must hold of the printed numbers whatever the trajectory was."""
    rows = []
    for i, link in enumerate(LINKS):
        own = {name: told()[name][i] for name in COLUMNS}
        total = own["dynamic"] + own["joint_friction"]
        rows.append(
            _sum_row(f"at joint = dynamic + joint friction, link {link}", own["at_joint"], total)
        )
    for i, link in enumerate(LINKS):
        own = {name: told()[name][i] for name in COLUMNS}
        total = own["at_joint"] + own["transmission_friction"]
        rows.append(
            _sum_row(f"input = at joint + transmission friction, link {link}", own["input"], total)
        )
    for i, (number, load, efficiency) in enumerate(points()):
        note = f"case {number}: from the printed torque at the joint, input and break-away"
        quantity = f"efficiency of link {LINKS[i]}, at {load:.4f} of its greatest torque"
        rows.append(Row("Paraxis", quantity, None, _shown(efficiency), note))
    rising = all(a[1] < b[1] for a, b in zip(curve(), curve()[1:], strict=False))
    lead = (
        "Identities that need no trajectory, on the printed numbers themselves. Eq. 3.7 would take "
        "joint friction off where the torque brakes: link III brakes, and its friction is added."
    )
    rises = "rise" if rising else "do not rise"
    last = f"The three efficiencies {rises} with the load, as Fig. 3.4 says they should."
    return Table("What must hold anyway", lead, rows, (last,))


def _sum_row(quantity, total, parts):
    note = "met" if abs(total - parts) < 1.5e-4 else "not met"
    return Row(PAPER, quantity, total, _shown(parts), f"{note}: the printed parts, added")


def _shown(value):
    return round(float(value), 4)

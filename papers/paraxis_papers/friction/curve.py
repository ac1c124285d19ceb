"""What Table 3.5 tells of the transmission: the case of Table 3.2 for each link, and η in it."""

from ..printed import printed


def case(at_joint, direction):
    """The number of the case in Table 3.2."""
    if at_joint * direction > 0:
        return 1 if direction > 0 else 2
    return 3 if at_joint > 0 else 4


def points():
    """For each link: (case, load, efficiency), by its printed torques at the joint and input."""
    told = printed("dhanaraj")["case_study"]
    found = []
    names = ("joint_friction", "at_joint", "input", "break_away", "max_torque")
    for friction, out, motor, away, most in zip(*(told[name] for name in names), strict=True):
        direction = 1.0 if friction > 0 else -1.0  # friction has the sign of motion
        rest = motor - direction * away
        number = case(out, direction)
        efficiency = out / rest if number <= 2 else rest / out
        found.append((number, abs(out) / most, efficiency))
    return found


def curve():
    """Efficiency over load, through the three links' points; beyond, its ends hold."""
    return tuple(sorted((load, efficiency) for _, load, efficiency in points()))

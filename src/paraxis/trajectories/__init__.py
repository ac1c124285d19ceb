"""Motion over time: a path of the joints, and a profile, the distance along it over time."""

from ..later import namespace

_NAMES = {
    "Trajectory": "trajectory",
    "cartesian_line": "cartesian",
    "cartesian_via_points": "cartesian",
    "quintic": "spline",
    "trapezoidal": "trapezoid",
    "via_points": "spline",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)

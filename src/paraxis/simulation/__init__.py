"""Robots that move in time."""

from ..later import namespace

_NAMES = {
    "Box": "ground.scene",
    "contact_forces": "ground.forces",
    "contact_points": "ground.from_shapes",
    "ContactForces": "ground.forces",
    "ContactPoint": "ground.points",
    "differentiable": "differentiable_run",
    "DifferentiableRun": "differentiable_run",
    "Ground": "ground.ground",
    "HeightField": "ground.scene",
    "Imu": "readings",
    "imu": "readings",
    "Limits": "limits",
    "LimitsActed": "limits_acted",
    "Plane": "ground.scene",
    "Run": "run",
    "scaled": "randomizing",
    "Sphere": "ground.scene",
    "State": "state",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)

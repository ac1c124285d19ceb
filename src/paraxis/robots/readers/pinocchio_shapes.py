"""The shapes of a pinocchio.GeometryModel."""

import numpy as np

from ...checks import quoted
from ...errors import RobotError
from ..shape import Shape
from .pinocchio_package import a_pose, pinocchio_package

# the class of a geometry -> kind, and its size; what is in files are meshes, whatever class it has
KINDS = {
    "Box": ("box", lambda box: 2 * box.halfSide),
    "Sphere": ("sphere", lambda sphere: [sphere.radius]),
    "Cylinder": ("cylinder", lambda cylinder: [cylinder.radius, 2 * cylinder.halfLength]),
    "Capsule": ("capsule", lambda capsule: [capsule.radius, 2 * capsule.halfLength]),
    "Ellipsoid": ("ellipsoid", lambda ellipsoid: ellipsoid.radii),
}


def shapes(geometries, purpose, bodies, faulty):
    """Its shapes; `bodies` has the index of the body here of each joint of Pinocchio."""
    if not isinstance(geometries, pinocchio_package().GeometryModel):
        found = type(geometries).__name__
        raise RobotError(f"{purpose}: expected a pinocchio.GeometryModel, found {found}")
    for each in geometries.geometryObjects:
        with faulty.leaving_out(f"{purpose} {quoted(each.name)}"):
            word = type(each.geometry).__name__
            size, file = (), {}
            if word in KINDS:
                kind, measured = KINDS[word]
                size = np.asarray(measured(each.geometry)).ravel().tolist()
            elif each.meshPath:
                kind = "mesh"
                scale = np.asarray(each.meshScale).ravel().tolist()
                file = {"path": each.meshPath, "scale": scale}
            else:
                raise RobotError(f"expected {', '.join(KINDS)} or a file, found {word}")
            colour = tuple(np.asarray(each.meshColor).ravel().tolist())
            pose = a_pose(each.placement)
            body = bodies[each.parentJoint]
            yield Shape(each.name, body, pose, kind, tuple(size), purpose, colour, **file)

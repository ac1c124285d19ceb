"""Robots by name that other packages bring: where their files are, if they are installed."""

import os
import sys
from contextlib import suppress
from importlib import metadata

from ..checks import did_you_mean, listing, quoted
from ..errors import RobotError
from .readers.descriptions import ENDING, module_called

PACKAGE = "example-robot-data"  # of URDF files; pip, conda and ROS have it
FOLDER = os.path.join("share", PACKAGE, "robots")

FILES = {  # name -> its file in that package
    "a1": "a1_description/urdf/a1.urdf",
    "allegro_left_hand": "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "allegro_right_hand": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_with_hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo": "solo_description/robots/solo.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}


def source_of(name, built_in):
    """What `px.load` takes for a robot: a file, or a module of robot_descriptions.

    `built_in` are the names that Paraxis has itself, for the error.
    """
    if name not in FILES and name.isidentifier() and name.endswith(ENDING):
        return module_called(name)
    if name not in FILES:
        if near := did_you_mean(name, (*built_in, *FILES)):
            raise RobotError(
                f"robot: expected a name or a path to a URDF or MJCF file, found {quoted(name)}"
                f"{near}"
            )
        raise RobotError(
            f"robot: expected a built-in name ({listing(sorted(built_in), most=100)}), one of the "
            f"package {PACKAGE} ({listing(sorted(FILES), most=100)}), one of robot_descriptions, "
            f"such as 'fr3_description', or a path to a URDF or MJCF file, found {quoted(name)}"
        )
    folders = list(_folders())
    for folder in folders:
        path = os.path.join(folder, *FILES[name].split("/"))
        if os.path.isfile(path):
            return path
    if folders:
        raise RobotError(
            f"robot {quoted(name)}: the package {PACKAGE} that is installed has no "
            f"{FILES[name]}; install a newer one: pip install --upgrade {PACKAGE}"
        )
    raise RobotError(
        f"robot {quoted(name)}: its file comes with the package {PACKAGE}, which is not installed: "
        f"pip install {PACKAGE}. Or give the path of a file of your own, such as robots/{name}.urdf"
    )


def _folders():
    """Where the package's files are, if it is installed: by pip first, then by conda."""
    with suppress(metadata.PackageNotFoundError):
        yield str(metadata.distribution(PACKAGE).locate_file(os.path.join("cmeel.prefix", FOLDER)))
    installed = os.path.join(sys.prefix, FOLDER)
    if os.path.isdir(installed):
        yield installed

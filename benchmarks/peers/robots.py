"""The robots: URDF files that the package example-robot-data installs."""

from importlib.metadata import distribution
from pathlib import Path

FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "panda": "panda_description/urdf/panda.urdf",  # seven joints and the two fingers
    "kinova": "kinova_description/robots/kinova.urdf",
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
}
LARGE = "tiago"  # 48 joints: measured on GPUs only
ROBOTS = tuple(name for name in FILES if name != LARGE)


def robot_root() -> Path:
    """The folder of all the robots."""
    package = distribution("example-robot-data")
    return Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))


def robot_file(name: str) -> Path:
    """The URDF of one of ROBOTS."""
    if name not in FILES:
        raise ValueError(f"unknown robot {name!r}; the peers know {', '.join(FILES)}")
    return robot_root() / FILES[name]


def all_robot_files() -> list[Path]:
    """Every URDF of example-robot-data, sorted. Pinocchio itself refuses falcon and ur3."""
    return sorted(robot_root().rglob("*.urdf"))


def load(path, free=False):
    """Pinocchio's model, on a fixed or a free base; other joints must be single."""
    import pinocchio as pin  # here, because not every machine that has the files has it

    base = (pin.JointModelFreeFlyer(),) if free else ()
    model = pin.buildModelFromUrdf(str(path), *base)
    for i in range(1 + len(base), model.njoints):
        kind = model.joints[i].shortname()
        if model.nvs[i] != 1 or not kind.startswith(("JointModelR", "JointModelP")):
            raise ValueError(f"joint {model.names[i]!r} is {kind}: not revolute or prismatic")
    return model

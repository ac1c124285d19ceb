"""A four-bar linkage turns under its own weight; its loop stays closed."""

import sys

import paraxis as px
from paraxis.robots import Frame, Inertia, Joint, Loop, Pose


def bar(length):
    return Inertia.of(2 * length, (length / 2, 0, 0), (0.001, length**3 / 6, length**3 / 6))


def at(x):
    return Pose(translation=(x, 0, 0))


y = (0, 1, 0)
tree = px.Robot(
    "linkage",
    [
        Joint("crank", "revolute", axis=y),
        Joint("rod", "revolute", 0, at(0.3), y),
        Joint("rocker", "revolute", placement=at(0.8), axis=y),
    ],
    [bar(0.3), bar(0.7), bar(0.5)],
    [Frame("rod_end", 1, at(0.7)), Frame("pin", 2, at(0.5))],
)
knee = Loop.connect("knee", tree.frame("rod_end"), tree.frame("pin"))
robot = tree.with_loops(knee, independent=["crank"])
q = px.kinematics.close(robot, [0.7, 0.3, 2.0], fixed=["crank"]).q
qd = px.project_velocity(robot, q, [-8.0, 0.0, 0.0])
run = px.simulate(robot, q, qd, dt=1e-3, steps=6000, every=10)
run.to_html(sys.argv[1] if len(sys.argv) > 1 else "linkage.html")
gap = px.frame_poses(tree, run.q)[:, :, :3, 3]
print(f"the pin comes apart by at most {abs(gap[:, 0] - gap[:, 1]).max() * 1e9:.1f} nm")

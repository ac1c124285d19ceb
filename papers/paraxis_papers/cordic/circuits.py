"""What the tables are about, each made once: the PUMA's circuits, the paper's tasks, poses."""

from functools import cache

from paraxis import load, pipeline
from paraxis.graph.trace import trace
from paraxis.hardware import inverse_kinematics_circuit, reachable_poses
from paraxis.hardware.circuits.task_graph import task_graph
from paraxis.hardware.tasks.decompose import decompose
from paraxis.robots.puma_geometry import puma_geometry

from . import appendix_a

PAPER, HERE = "Lee and Chang 1988", "Paraxis"
POSES = 100_000


@cache
def puma():
    return load("puma560")


@cache
def circuit(*signs, **options):
    """Of the PUMA's inverse kinematics; signs are arm, elbow and wrist."""
    return inverse_kinematics_circuit(puma(), *signs, **options)


@cache
def printed_tasks(identities=False):
    """The CORDIC tasks of appendix A, literally or with what identities save."""
    geometry = puma_geometry(puma(), puma().tool())

    def inverse_kinematics(pose):
        return {"q": appendix_a.joint_angles(geometry, pose, arm=1, elbow=1)}

    return decompose(trace(inverse_kinematics, {"pose": (4, 4)}, "appendix A"), identities)


@cache
def balanced(tasks, shared=True):
    """The pipeline of CORDIC tasks with the fewest buffers."""
    graph, values = task_graph(tasks)
    return pipeline(graph, values=values, shared=shared)


@cache
def workspace(count=POSES):
    """Poses that the PUMA reaches, and their solutions."""
    return reachable_poses(puma(), count)


@cache
def accuracy(*signs):
    """Of the circuit with 24 bits, over all poses."""
    return workspace().accuracy(circuit(*signs), *signs)

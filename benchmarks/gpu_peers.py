"""JAX on the same GPU: frax, and the same dynamics written in jax.numpy, vmapped and jitted."""

import os
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
import peers
from gpu_functions import Case, error, load, told

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is not its alone

FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
STATES, MANY_JOINTS = {False: 1 << 20, True: 1 << 17}, 15
CALLS = 10
BUDGET = 60  # seconds to compile all
ROBOTS = {"float32": None, "float64": ("ur5", "panda")}  # XLA takes long for each; None is all


@dataclass
class Job:
    """A function of a batch that is to be compiled and timed."""

    case: Case
    peer: str
    way: str
    function: object
    order: list  # its joints, as indices of ours
    precision: str | None = None  # of matrix products, where JAX takes one

    def compiled(self, states):
        import jax

        shape = jax.ShapeDtypeStruct((states, len(self.order)), self.case.dtype)
        begin = time.perf_counter()
        with jax.default_matmul_precision(self.precision):
            made = self.function.lower(shape, shape, shape).compile()
        return made, time.perf_counter() - begin


def measure(paths, dtype, frax_folder, states=None):
    """A row for each variant of a peer: states per second, and the error."""
    import jax

    jax.config.update("jax_enable_x64", dtype == "float64")
    jobs, rows = [], []
    for robot, path in paths.items():
        if ROBOTS[dtype] and robot not in ROBOTS[dtype]:
            continue
        for function in FUNCTIONS:
            case = Case(robot, str(path), function, dtype, "rows")
            jobs += written_in_jax(case)
            try:
                jobs += by_frax(case, frax_folder)
            except Exception as reason:
                rows.append(_row(case, "frax", "") | {"missing": told(reason)})
    sizes = [states or STATES[len(job.order) > MANY_JOINTS] for job in jobs]
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    made = [pool.submit(job.compiled, size) for job, size in zip(jobs, sizes, strict=True)]
    wait(made, BUDGET)  # nothing is timed while others are compiled
    pool.shutdown(wait=False, cancel_futures=True)
    for job, size, future in zip(jobs, sizes, made, strict=True):
        row = _row(job.case, job.peer, job.way)
        try:
            rows.append(row | timed(job, size, *future.result(timeout=0)))
        except (TimeoutError, CancelledError):
            rows.append(row | {"missing": f"not compiled within {BUDGET} s of all peers"})
        except Exception as reason:  # such as no memory; others go on
            rows.append(row | {"missing": told(reason)})
    return rows


def timed(job, states, function, compile_s):
    """By the clock on the wall over calls that are queued one after another."""
    import jax

    rng = np.random.default_rng(7)
    given = rng.uniform(-2, 2, (3, states, len(job.order))).astype(job.case.dtype)
    arrays = [jax.device_put(array[:, job.order]) for array in given]
    found = function(*arrays).block_until_ready()
    sample = slice(0, 300)
    ours = np.empty((300, len(job.order)))[: len(found[sample])]
    ours[:, job.order] = np.asarray(found[sample])
    wrong = error(job.case, [array[sample].astype(float) for array in given], [ours])
    best = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(CALLS):
            found = function(*arrays)
        found.block_until_ready()
        best = min(best, (time.perf_counter() - begin) / CALLS)
    return {
        "states": states,
        "states_per_s": states / best,
        "seconds": best,
        "error": wrong,
        "compile_s": compile_s,
    }


def written_in_jax(case):
    robot = load(case.path)
    ways = peers.jax_ways(links_of(robot), case.function)
    return [Job(case, "JAX", way, run, list(range(robot.n))) for way, run in ways.items()]


def by_frax(case, folder):
    """As it comes, and with matrix products in full precision."""
    peer, ours = peers.FraxPeer(case.path, folder), load(case.path).joint_names
    order = [ours.index(name) for name in peer.joint_names]
    run = peer.function(case.function)
    return [
        Job(case, "frax", "as it comes", run, order),
        Job(case, "frax", "full precision", peer.function(case.function), order, "highest"),
    ]


def links_of(robot):
    """The robot's numbers as the JAX peer takes them."""
    joints, bodies = robot.joints, robot.inertias
    down = np.array(robot.base.rotation).T @ robot.gravity
    return peers.Links(
        parent=tuple(joint.parent for joint in joints),
        turns=tuple(joint.is_revolute for joint in joints),
        rotation=np.array([joint.placement.rotation for joint in joints]),
        position=np.array([joint.placement.translation for joint in joints]),
        axis=np.array([joint.axis for joint in joints]),
        mass=np.array([body.mass for body in bodies]),
        center=np.array([body.com for body in bodies]),
        inertia=np.array([body.matrix for body in bodies]),
        rotor=np.array([joint.rotor_inertia for joint in joints]),
        gravity=down,
    )


def _row(case, peer, way):
    row = {"peer": peer, "way": way, "robot": case.robot}
    return row | {"function": case.function, "dtype": case.dtype}

"""Every function of a robot on the GPU: states per second, and how near that is to a plain copy.

Kernels are made first, in processes side by side; then each is called by its public function on
arrays of some gigabytes, far more than any cache holds. Results are poisoned beforehand and a
sample of them is compared with the CPU's in float64.
"""

import math
import os
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import TimeoutError, get_context

import numpy as np
import peers

import paraxis as px
from paraxis.robot_functions import FUNCTIONS
from paraxis.targets.cuda.text.sines import fused_operations

ROBOTS = ("ur5", "xarm7", "panda", "g1_29dof", peers.LARGE)
OF_LARGE = ("inverse_dynamics", "forward_dynamics")  # others take minutes to compile
FRAMES = {
    "ur5": "tool0",
    "xarm7": "link_eef",
    "panda": "panda_hand_tcp",
    "g1_29dof": "right_rubber_hand",
    "tiago": "arm_tool_link",
}
WITHOUT = ("motor_torques",)  # these robots have no drives: it is their inverse dynamics
DTYPES, LAYOUTS = ("float32", "float64"), ("rows", "columns")
BYTES = 4 << 30  # of all arrays of a call
SAMPLE = 300  # states that are compared
MANY = 1 << 20  # states, more than teams of warps are for
# First those that take long to compile.
SLOWEST = ("forward_dynamics_derivatives", "inverse_dynamics_derivatives", "regressor")


@dataclass(frozen=True)
class Case:
    """One function of one robot, in one type and layout."""

    robot: str
    path: str
    function: str
    dtype: str
    layout: str

    @property
    def frame(self):
        return FRAMES[self.robot] if "frame" in FUNCTIONS[self.function].options else None

    @property
    def named(self):
        return {k: v for k, v in asdict(self).items() if k != "path"}


def cases(paths, functions=None):
    """All of them, those that take long to compile first."""
    functions = functions or [name for name in FUNCTIONS if name not in WITHOUT]
    found = [
        Case(robot, str(path), function, dtype, layout)
        for function in functions
        for robot, path in paths.items()
        if robot != peers.LARGE or function in OF_LARGE
        for dtype in DTYPES
        for layout in LAYOUTS
    ]

    def rank(case):
        return case.function not in SLOWEST, case.robot != "g1_29dof"

    return sorted(found, key=rank)


@cache
def load(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.RobotWarning)
        return px.load(path, couplings="independent")


# -- kernels -----------------------------------------------------------------------------------


def prepare(every, budget):
    """case -> what its kernel is made of, or why there is none; all are in the disk cache then.

    The CPU's kernels, with which results are compared, are made along the way.
    """
    workers = max(1, len(os.sched_getaffinity(0)) - 1)
    late = time.monotonic() + budget
    references = {(case.robot, case.function): case for case in every}
    found = {}
    with get_context("spawn").Pool(workers) as pool:  # which is ended with all that is late
        jobs = {case: pool.apply_async(compiled, (case,)) for case in every}
        checks = [pool.apply_async(reference_compiled, (case,)) for case in references.values()]
        for case, job in jobs.items():
            try:
                found[case] = job.get(max(0.0, late - time.monotonic()))
            except TimeoutError:
                found[case] = {"missing": f"not compiled within {budget:.0f} s of all kernels"}
            except Exception as reason:
                found[case] = {"missing": told(reason)}
        for check in checks:  # one that is missing is made when it is needed
            check.wait(max(0.0, late - time.monotonic()))
    return found


def compiled(case):
    """Make a kernel, and say what it is made of. Runs in a process of its own."""
    begin = time.perf_counter()
    program = px.program(load(case.path), case.function, frame=case.frame)
    traced = time.perf_counter()
    kernel = program.compile(target="cuda", dtype=case.dtype)
    shapes = (*kernel.inputs.values(), *kernel.outputs.values())
    layouts = tuple("columns" if shape == () else case.layout for shape in shapes)
    launchers = [launcher for launcher, *_ in kernel.loaded(layouts, MANY).kernels]
    return {
        "trace_s": traced - begin,
        "compile_s": time.perf_counter() - traced,
        "launches": len(launchers),
        "registers": max(launcher.registers for launcher in launchers),
        "spilled": max(launcher.spilled for launcher in launchers),
        "operations": operations(program.count(), case.dtype),
        "inputs": dict(kernel.inputs),
        "outputs": dict(kernel.outputs),
    }


def reference_compiled(case):
    px.program(load(case.path), case.function, frame=case.frame).compile()


def operations(count, dtype):
    """Of a state: a fused multiply-add is two, and sine with cosine what their polynomials are."""
    return count.flops + (2 * fused_operations(dtype) + 3) * math.ceil(count.trig / 2)


# -- times -------------------------------------------------------------------------------------


def measure(gpu, case, made, bandwidth):
    """The row of a case."""
    row = case.named | {k: v for k, v in made.items() if k not in ("inputs", "outputs")}
    if "missing" in made:
        return row
    try:
        row |= timed(gpu, case, made["inputs"], made["outputs"])
    except Exception as reason:  # a row that failed says why; others go on
        return row | {"missing": told(reason)}
    finally:
        gpu.free()
    row["percent_of_copy"] = 100 * row["bytes_per_s"] / bandwidth
    peak = gpu.peak(case.dtype)
    if peak:
        row["percent_of_peak"] = 100 * row["states_per_s"] * row["operations"] / peak
    return row


def timed(gpu, case, inputs, outputs):
    """States and bytes per second, and the error."""
    item = np.dtype(case.dtype).itemsize
    entries = sum(math.prod(shape) for shape in (*inputs.values(), *outputs.values()))
    states = max(1024, BYTES // (entries * item) // 1024 * 1024)
    rng = gpu.arrays.random.default_rng(7)
    given = [random_array(rng, states, shape, case) for shape in inputs.values()]
    function, robot = getattr(px, case.function), load(case.path)
    if "tau" in inputs:  # torques of a motion: random ones throw the hands of a humanoid about
        q, qd, tau = given
        tau[...] = px.inverse_dynamics(robot, q, qd, tau)
    results = [
        laid_out(gpu.arrays.full(states * math.prod(shape), math.nan, case.dtype), shape, case)
        for shape in outputs.values()
    ]
    out = results[0] if len(results) == 1 else tuple(results)
    options = {} if case.frame is None else {"frame": case.frame}

    def run():
        function(robot, *given, out=out, **options)

    run()
    error = checked(gpu, case, given, results)
    seconds = gpu.seconds(run)
    return {
        "states": states,
        "seconds": seconds,
        "states_per_s": states / seconds,
        "bytes_per_s": states * entries * item / seconds,
        "error": error,
    }


def random_array(rng, states, shape, case):
    flat = rng.random(states * math.prod(shape), np.dtype(case.dtype))
    flat *= 4
    flat -= 2
    return laid_out(flat, shape, case)


def laid_out(flat, shape, case):
    """The numbers as (states, *shape), one state or one entry after another."""
    if case.layout == "rows":
        return flat.reshape(-1, *shape)
    turned = flat.reshape(*shape, -1)
    return turned.transpose(len(shape), *range(len(shape)))


def checked(gpu, case, given, results):
    """The error over a sample of states; every number must have been written."""
    for result in results:
        if not bool(gpu.arrays.isfinite(result).all()):
            raise ArithmeticError("expected numbers in all of the result, found some that are not")
    states = len(given[0])
    chosen = np.unique(
        np.concatenate(
            (
                [0, states - 1],
                np.random.default_rng(1).integers(0, states, min(SAMPLE, states)),
            )
        )
    )
    there = gpu.to_device(chosen)
    sample = [gpu.to_host(array[there]).astype(float) for array in given]
    found = [gpu.to_host(array[there]).astype(float) for array in results]
    return error(case, sample, found)


def error(case, given, found):
    """Against the CPU in float64: max|d| / max(1, max|reference|), the worst state.

    Forward dynamics by the torques that the accelerations found would take, against those given;
    the reference is then the largest of these and of the torques without acceleration.
    """
    robot = load(case.path)
    if case.function == "forward_dynamics":
        q, qd, tau = given
        missed = abs(px.inverse_dynamics(robot, q, qd, found[0]) - tau).max(-1)
        largest = np.maximum(abs(tau).max(-1), abs(px.bias_forces(robot, q, qd)).max(-1))
        return float((missed / np.maximum(1, largest)).max())
    options = {} if case.frame is None else {"frame": case.frame}
    expected = getattr(px, case.function)(robot, *given, **options)
    expected = expected if isinstance(expected, tuple) else (expected,)
    return max(map(peers.relative_error, found, expected))


def told(reason):
    """An error in one line."""
    text = str(reason).strip().splitlines()
    return f"{type(reason).__name__}: {text[0][:200] if text else ''}"

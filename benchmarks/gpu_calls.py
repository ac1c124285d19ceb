"""What a call costs on a GPU, beside the framework's own multiplication of arrays in the same run.

    python benchmarks/gpu_calls.py [--states 4096] [--robot FILE] [--only LIBRARY ...] [--json FILE]

Every row is a call on a batch so small that the call itself takes longer than the kernel, float32.
Ours and theirs take turns, calls are queued one after another, and the clock stops when the last is
done. Results are compared with the CPU's in float64, before and after. Frameworks that are not
installed, or have no GPU here, are left out and named. XLA can run loops as CUDA graphs, which its
settings in the environment decide when it starts:

    XLA_FLAGS="--xla_gpu_enable_command_buffer=FUSION,CUSTOM_CALL,WHILE,DYNAMIC_SLICE_FUSION
    --xla_gpu_graph_min_graph_size=1" python benchmarks/gpu_calls.py --only jax
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import peers
from gpu_clock import Gpu
from gpu_functions import load, told
from rich.console import Console
from rich.table import Table

import paraxis as px

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is not JAX's alone

STATES, ROBOT = 4096, "panda"
ROUNDS, CALLS = 7, 200
IN_GRAPH = 20  # calls recorded in one CUDA graph
STEPS = 200  # of a loop inside JAX
TOLERANCE = 1e-3  # of float32, per state
STEP = 1e-4  # seconds of time that a step of the loop advances


@dataclass(frozen=True)
class Row:
    """A call of ours beside one of theirs, each a run of several at once.

    The limit is a ratio, or for `is_difference` the microseconds that ours may take longer.
    """

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    beside: str  # what theirs is
    limit: float
    error: Callable[[], float]
    wait: Callable[[], object]
    in_ours: int = 1  # calls of a run
    in_theirs: int = 1
    is_difference: bool = False
    tolerance: float = TOLERANCE


def measured(row, rounds=ROUNDS, calls=CALLS):
    """Microseconds of both, and whether ours is within the limit."""
    wrong = [row.error()]
    best = {"ours": math.inf, "theirs": math.inf}
    for _ in range(rounds):
        for who in best:
            run, each = getattr(row, who), getattr(row, f"in_{who}")
            runs = max(1, calls // each)
            run()
            row.wait()
            begin = time.perf_counter()
            for _ in range(runs):
                run()
            row.wait()
            best[who] = min(best[who], (time.perf_counter() - begin) / (runs * each))
    wrong.append(row.error())
    if max(wrong) > row.tolerance:
        raise ArithmeticError(f"{row.name}: expected the CPU's numbers, found {max(wrong):.0e} off")
    ours, theirs = best["ours"] * 1e6, best["theirs"] * 1e6
    reached = ours - theirs if row.is_difference else ours / theirs
    return {
        "call": row.name,
        "ours_us": ours,
        "theirs_us": theirs,
        "beside": row.beside,
        "reached": reached,
        "limit": row.limit,
        "is_difference": row.is_difference,
        "holds": reached <= row.limit,
        "error": max(wrong),
    }


class States:
    """Motions of a robot and the CPU's answers."""

    def __init__(self, robot, count):
        self.robot = robot
        motion = np.random.default_rng(7).uniform(-1, 1, (3, count, robot.n)).astype("float32")
        self.motion = list(motion)
        self._exact = [array.astype(float) for array in self.motion]

    def right(self, function):
        return getattr(px, function)(self.robot, *self._exact)

    def error_of(self, call, as_numpy, function="inverse_dynamics"):
        """A function that makes the call and returns how far off it is, per state; where the mass
        matrix is solved with, in units of its condition, which amplifies rounding."""
        right, worse = self.right(function), 1.0
        if function == "forward_dynamics":
            worse = np.linalg.cond(px.mass_matrix(self.robot, self._exact[0])).max()
        return lambda: peers.relative_error(as_numpy(call()), right) / worse


# -- CuPy ------------------------------------------------------------------------------------------


def cupy_rows(cupy, states, recorded=None):
    """`recorded(call, times)` returns what replays so many calls; by default a CUDA graph."""
    robot, given = states.robot, [cupy.asarray(array) for array in states.motion]
    out, product = cupy.empty_like(given[0]), cupy.empty_like(given[0])
    into = partial(px.inverse_dynamics, robot, *given, out=out)
    new = partial(px.inverse_dynamics, robot, *given)
    into()
    replay = (recorded or partial(cuda_graph, cupy))(into, IN_GRAPH)
    common = {"wait": cupy.cuda.get_current_stream().synchronize}
    multiply = partial(cupy.multiply, *given[:2])
    yield Row(
        "CuPy, out= given",
        into,
        partial(multiply, out=product),
        "cupy.multiply(a, b, out=c)",
        1.0,
        states.error_of(into, cupy.asnumpy),
        **common,
    )
    yield Row(
        "CuPy, new result",
        new,
        multiply,
        "cupy.multiply(a, b)",
        1.5,
        states.error_of(new, cupy.asnumpy),
        **common,
    )
    yield Row(
        "CuPy, the kernel in a CUDA graph",
        replay,
        into,
        "the call by itself",
        1.0,
        states.error_of(lambda: (replay(), out)[1], cupy.asnumpy),
        in_ours=IN_GRAPH,
        **common,
    )


def cuda_graph(cupy, call, times):
    """So many calls as one graph of CuPy's; what is returned queues it on the current stream."""
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        call()
        stream.synchronize()
        stream.begin_capture()
        for _ in range(times):
            call()
        graph = stream.end_capture()
    return graph.launch


def kernel_alone(cupy, states, function):
    """A replay of a function's kernel, IN_GRAPH times, in arrays that stay."""
    given = [cupy.asarray(array) for array in states.motion]
    out = cupy.empty_like(given[0])
    return cuda_graph(cupy, partial(getattr(px, function), states.robot, *given, out=out), IN_GRAPH)


# -- PyTorch ---------------------------------------------------------------------------------------


def torch_rows(torch, states, device="cuda", kernel=None):
    """`kernel` replays the bare kernel IN_GRAPH times, for the rows of compiled calls."""
    import paraxis.torch as pt

    robot = states.robot
    given = [torch.asarray(array, device=device) for array in states.motion]
    a, b = given[:2]
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)

    def as_numpy(tensor):
        return tensor.detach().cpu().numpy()

    def row(name, call, theirs, beside, limit, **more):
        return Row(name, call, theirs, beside, limit, states.error_of(call, as_numpy), wait, **more)

    plain = partial(px.inverse_dynamics, robot, *given)
    yield row("PyTorch, px.inverse_dynamics", plain, lambda: a * b, "a * b", 1.5)
    differentiable = partial(pt.inverse_dynamics, robot, *given)
    name = "paraxis.torch, no gradient wanted"
    yield row(name, differentiable, lambda: a * b, "a * b", 2.0)
    yield from _with_gradients(torch, pt, states, given, wait)
    if device != "cuda":
        return
    for mode in (None, "reduce-overhead"):
        compiled = torch.compile(lambda *x: pt.inverse_dynamics(robot, *x), mode=mode)
        call = partial(_fresh_step, torch, compiled, given)
        name = f"torch.compile{'' if mode is None else f', {mode}'}"
        yield row(name, call, differentiable, "paraxis.torch, eager", 1.0)
        product = torch.compile(lambda a, b, _: a * b, mode=mode)
        theirs = partial(_fresh_step, torch, product, given)
        yield row(f"{name}, again", call, theirs, "a * b, compiled as well", 1.5)
    captured = torch.cuda.CUDAGraph()
    differentiable()
    with torch.cuda.graph(captured):
        kept = [differentiable() for _ in range(IN_GRAPH)]
    call = partial(_replayed, captured, kept[-1])
    options = {"in_ours": IN_GRAPH, "in_theirs": IN_GRAPH, "is_difference": True}
    yield row("paraxis.torch in a CUDA graph", call, kernel, "the kernel", 1.0, **options)


def _replayed(graph, result):
    graph.replay()
    return result


def _fresh_step(torch, compiled, given):
    torch.compiler.cudagraph_mark_step_begin()  # or results of the last replay would be kept
    return compiled(*given)


def _with_gradients(torch, pt, states, given, wait):
    """Forward and backward, checked by the torques' own derivative program."""
    leaves = [tensor.clone().requires_grad_() for tensor in given]

    def backward(result):
        for leaf in leaves:
            leaf.grad = None
        result.sum().backward()

    def ours():
        backward(pt.inverse_dynamics(states.robot, *leaves))

    def theirs():
        backward(leaves[0] * leaves[1])

    slopes = states.right("inverse_dynamics_derivatives")[0].sum(1)  # of the sum of torques by q

    def error():
        ours()
        return peers.relative_error(leaves[0].grad.cpu().numpy(), slopes)

    name = "paraxis.torch, forward and backward"
    yield Row(name, ours, theirs, "(a * b).sum().backward()", 3.0, error, wait)


# -- JAX -------------------------------------------------------------------------------------------


def jax_rows(jax, states, kernel):
    """`kernel` replays the bare kernel of forward dynamics IN_GRAPH times."""
    import paraxis.jax as pj

    robot = states.robot
    given = [jax.device_put(array) for array in states.motion]
    last = []

    def kept(call):
        def run():
            last[:] = [call(*given)]
            return last[0]

        return run

    def wait():
        jax.block_until_ready(last)

    ours = kept(jax.jit(lambda *x: pj.inverse_dynamics(robot, *x)))
    theirs = kept(jax.jit(lambda a, b, _: a * b))
    error = states.error_of(ours, np.asarray)
    yield Row("JAX, jitted", ours, theirs, "jitted a * b", 1.2, error, wait)

    def step(_, carried):
        q, qd, tau = carried
        return q + STEP * qd, qd + STEP * pj.forward_dynamics(robot, q, qd, tau), tau

    def along(*x):
        return jax.lax.scan(lambda carried, _: (step(None, carried), None), x, length=STEPS)[0]

    loop = kept(jax.jit(lambda *x: jax.lax.fori_loop(0, STEPS, step, x)))
    once = kept(jax.jit(lambda *x: pj.forward_dynamics(robot, *x)))
    for name, run in (("fori_loop", loop), ("scan", kept(jax.jit(along)))):
        yield Row(
            f"JAX, a step in {name}",
            run,
            kernel,
            "the kernel",
            3.0,
            states.error_of(once, np.asarray, "forward_dynamics"),
            wait=lambda: (wait(), import_module("cupy").cuda.Device().synchronize()),
            in_ours=STEPS,
            in_theirs=IN_GRAPH,
            is_difference=True,
        )

    def own(_, carried):
        q, qd, tau = carried
        return q + STEP * qd, qd + STEP * (q * tau), tau

    yield Row(
        "JAX, a step in fori_loop, again",
        loop,
        kept(jax.jit(lambda *x: jax.lax.fori_loop(0, STEPS, own, x))),
        "the loop with q * tau instead",
        3.0,
        states.error_of(once, np.asarray, "forward_dynamics"),
        wait=wait,
        in_ours=STEPS,
        in_theirs=STEPS,
        is_difference=True,
    )


# -- all of it -------------------------------------------------------------------------------------


def measure(states, console, only=()):
    cupy = import_module("cupy")
    kernels = {
        name: kernel_alone(cupy, states, name) for name in ("inverse_dynamics", "forward_dynamics")
    }
    parts = {
        "cupy": cupy_rows,
        "torch": partial(torch_rows, kernel=kernels["inverse_dynamics"]),
        "jax": partial(jax_rows, kernel=kernels["forward_dynamics"]),
    }
    rows = []
    for library, make in parts.items():
        if only and library not in only:
            continue
        try:
            rows += every(make(import_module(library), states), console)
        except Exception as reason:  # such as no GPU for this library; others go on
            rows.append({"call": library, "missing": told(reason)})
    return rows


def every(rows, console):
    for row in rows:
        try:
            found = measured(row)
            console.print(f"{row.name}: {found['ours_us']:.1f} us")
        except Exception as reason:  # such as a compiler that fails; others go on
            found = {"call": row.name, "missing": told(reason)}
        yield found


def show(rows, console):
    table = Table("call", "us", "beside", "us", "reached", "at most", "error")
    for row in rows:
        if "missing" in row:
            table.add_row(row["call"], row["missing"])
            continue
        unit = "us more" if row["is_difference"] else "x"
        table.add_row(
            row["call"],
            f"{row['ours_us']:.1f}",
            row["beside"],
            f"{row['theirs_us']:.1f}",
            f"{row['reached']:.2f} {unit}",
            f"{row['limit']:g} {unit}{'' if row['holds'] else ', missed'}",
            f"{row['error']:.0e}",
        )
    console.print(table)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--robot", type=Path, help=f"a URDF file; by default the {ROBOT}")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    parser.add_argument("--only", nargs="*", choices=("cupy", "torch", "jax"), default=())
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    states = States(load(options.robot or peers.robot_file(ROBOT)), options.states)
    rows = measure(states, console, options.only)
    about = Gpu().about() | {"states": options.states, "xla_flags": os.environ.get("XLA_FLAGS", "")}
    peers.keep(about | {"rows": rows}, options.json)
    show(rows, console)


if __name__ == "__main__":
    main()

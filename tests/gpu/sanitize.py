"""A few kernels of every kind, briefly, for NVIDIA's checkers of memory and races.

    compute-sanitizer --tool memcheck  python tests/gpu/sanitize.py
    compute-sanitizer --tool racecheck python tests/gpu/sanitize.py
    compute-sanitizer --tool initcheck python tests/gpu/sanitize.py

CuPy's pool would hide an access beyond an array that is still within a block of the pool, so that
every array is given a block of its own.
"""

import cupy
import numpy as np

import paraxis as px
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.text import map as map_text

SIZES = (1, 33, 129)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
DTYPES = ("float32", "float64")


def maps():
    """Every layout of arrays, at odd batch sizes; wide results, which are written in pieces."""
    robot = px.load("ur5")
    for function in FUNCTIONS:
        for dtype in DTYPES:
            for count in SIZES:
                given = np.random.default_rng(count).uniform(-2, 2, (3, count, 6)).astype(dtype)
                taken = {"mass_matrix": 1}.get(function, 3)
                rows = [cupy.asarray(a) for a in given[:taken]]
                columns = [cupy.ascontiguousarray(a.T).T for a in rows]
                spread = [cupy.repeat(a, 2, 0)[::2] for a in rows]
                for arrays in (rows, columns, spread):
                    getattr(px, function)(robot, *arrays)
    wide = px.trace(lambda x: [x[k % 5] * (1.0 + k) for k in range(150)], x=5)
    for dtype in DTYPES:
        kernel = wide.compile(target="cuda", dtype=dtype)
        for count in SIZES:
            kernel(cupy.ones((count, 5), dtype))


def without_room():
    """Rows that do not fit in shared memory, and results in parts, as if registers were few."""
    long = px.trace(lambda x: [x[k] + x[1999 - k] for k in range(3)], x=2000)
    many = px.trace(
        lambda x: {f"y{j}": [x[k % 3] * (1.0 + j) for k in range(63)] for j in range(10)}, x=3
    )
    for program, entries in ((long, 2000), (many, 3)):
        kernel = program.compile(target="cuda")
        for count in SIZES:
            kernel(cupy.ones((count, entries)))
    arm = px.program(px.robots.planar(3), "inverse_dynamics_derivatives")
    kept = map_text.MOST_VALUES, map_text.DEAREST
    map_text.MOST_VALUES, map_text.DEAREST = dict.fromkeys(DTYPES, 10), 1e9
    try:
        for dtype in DTYPES:
            # by a name of its own: what is in the cache is whole
            kernel = CudaKernel("sanitize: in parts", lambda: arm.graph, dtype)
            for count in SIZES:
                rows = [cupy.ones((count, 3), dtype) for _ in range(3)]
                kernel(*rows)
                kernel(*(cupy.ascontiguousarray(a.T).T for a in rows))
            assert all(len(each.kernels) > 1 for each in kernel._loaded.values())
    finally:
        map_text.MOST_VALUES, map_text.DEAREST = kept


def loops():
    """A simulation, with its state in registers."""
    robot = px.load("ur5")
    for count in (1, 33, 129):
        start = cupy.full((count, 6), 0.3)
        px.simulate(robot, start, cupy.zeros((count, 6)), dt=1e-3, steps=5)


def chains():
    """A chain long enough that it is done in rows and levels."""
    robot = px.robots.chain(300)
    q, qd, tau = (cupy.full(300, value) for value in (0.1, 0.2, 0.3))
    px.forward_dynamics(robot, q, qd, tau)
    px.inverse_dynamics(robot, q, qd, tau)


def main():
    cupy.cuda.set_allocator(None)
    for part in (maps, without_room, loops, chains):
        part()
        cupy.cuda.Device().synchronize()
        print(f"{part.__name__}: done")


if __name__ == "__main__":
    main()

"""The peers: inverse dynamics of a batch by Pinocchio and by CasADi-generated C.

Nothing here uses paraxis, so a benchmark or a test can hold the two side by side. Arrays are
(B, n), C order, float64, joints in Pinocchio's velocity order; angles in radians.

    python benchmarks/peers.py        prints the table of both peers on six robots
"""

import ctypes
import itertools
import os
import platform
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import casadi as ca
import numpy as np
import pinocchio as pin

FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "panda": "panda_description/urdf/panda.urdf",  # seven joints and the two fingers
    "kinova": "kinova_description/robots/kinova.urdf",
    "g1_29dof": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
}
ROBOTS = tuple(FILES)
FLAGS = ("-O3", "-march=native")
LANES = 16  # states a block of the vectorised CasADi driver; 8 and 32 differ by a few per cent


# --- robots --------------------------------------------------------------------------------


def robot_root() -> Path:
    """The folder of robots that the package example-robot-data installs."""
    package = distribution("example-robot-data")
    return Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))


def robot_file(name: str) -> Path:
    """The URDF of one of ROBOTS."""
    if name not in FILES:
        raise ValueError(f"unknown robot {name!r}; the peers know {', '.join(ROBOTS)}")
    return robot_root() / FILES[name]


def all_robot_files() -> list[Path]:
    """Every URDF of example-robot-data, sorted. Pinocchio itself refuses falcon and ur3."""
    return sorted(robot_root().rglob("*.urdf"))


def load(path) -> pin.Model:
    """Pinocchio's fixed-base model; every joint must have one degree of freedom."""
    model = pin.buildModelFromUrdf(str(path))
    for i in range(1, model.njoints):
        kind = model.joints[i].shortname()
        if model.nvs[i] != 1 or not kind.startswith(("JointModelR", "JointModelP")):
            raise ValueError(f"joint {model.names[i]!r} is {kind}: not revolute or prismatic")
    return model


# --- Pinocchio -----------------------------------------------------------------------------


class PinocchioPeer:
    """pin.rneaInParallel: OpenMP threads over the columns of nq x B, column-major matrices."""

    def __init__(self, path):
        self.model = load(path)
        self.data = self.model.createData()
        self.n = self.model.nv
        self.joint_names = list(self.model.names)[1:]  # Pinocchio numbers qd in this order
        self._pools: dict[int, pin.ModelPool] = {}
        self._tau = np.empty((self.n, 0), order="F")

    def configuration(self, q):
        """Angles (..., n) to Pinocchio's q (..., nq): a continuous joint is (cos, sin)."""
        q = np.asarray(q, float)
        full = np.empty((*q.shape[:-1], self.model.nq))
        for i in range(1, self.model.njoints):
            angle, k = q[..., self.model.idx_vs[i]], self.model.idx_qs[i]
            if self.model.nqs[i] == 1:
                full[..., k] = angle
            else:
                full[..., k], full[..., k + 1] = np.cos(angle), np.sin(angle)
        return full

    def prepare(self, q, qd, qdd):
        """(B, n) arrays to the matrices Pinocchio reads without a copy, outside the timing."""
        return tuple(np.ascontiguousarray(x, float).T for x in (self.configuration(q), qd, qdd))

    def inverse_dynamics(self, q, qd, qdd, threads: int = 1):
        """Torques (B, n) of prepared states. The result is overwritten by the next call."""
        if threads not in self._pools:
            self._pools[threads] = pin.ModelPool(self.model, threads)
        if self._tau.shape != qd.shape:
            self._tau = np.empty(qd.shape, order="F")
        pin.rneaInParallel(threads, self._pools[threads], q, qd, qdd, self._tau)
        return self._tau.T

    def one(self, q, qd, qdd):
        """Torques of one state (q as prepared by `configuration`). Overwritten likewise."""
        return pin.rnea(self.model, self.data, q, qd, qdd)


# --- CasADi --------------------------------------------------------------------------------


def newton_euler(model: pin.Model, q, qd, qdd, fold: bool, snap: float):
    """Inverse dynamics over casadi.SX, each body in its own frame, at few operations.

    Gravity is a rising base. A body is its mass, first moment and inertia about its origin, and
    K = alpha^ + w^ w^ serves both its own force and its children's acceleration. `fold`
    multiplies the fixed and the joint rotation before use; which is cheaper depends on the robot.
    Entries of a placement or inertia within `snap` of a whole number become that number, or SX
    would carry the rounding noise of the URDF reader (1e-17 for 0) as real terms.
    """

    def const(x):
        x = np.asarray(x, float)
        return ca.sparsify(ca.SX(np.where(abs(x - x.round()) <= snap, x.round(), x)))

    skew, cross, eye = ca.skew, ca.cross, ca.SX.eye(3)
    spin, accel, K = {}, {0: const(-model.gravity.linear)}, {}
    alpha, force, moment, axis, fixed, turn, arm = {}, {}, {}, {}, {}, {}, {}
    spin[0] = alpha[0] = ca.SX(3, 1)
    K[0] = ca.SX(3, 3)
    for i in range(1, model.njoints):
        p, k, joint = model.parents[i], model.idx_vs[i], model.joints[i]
        kind = joint.shortname()
        along = np.eye(3)["XYZ".index(kind[-1])] if kind[-1] in "XYZ" else joint.extract().axis
        e = axis[i] = const(along)
        placement, inertia = model.jointPlacements[i], model.inertias[i]
        fixed[i], arm[i], turn[i] = const(placement.rotation), const(placement.translation), eye
        revolute = kind.startswith("JointModelR")
        if revolute:
            ee = e @ e.T
            turn[i] = ca.sparsify(ee + ca.cos(q[k]) * (eye - ee) + ca.sin(q[k]) * skew(e))
        else:
            arm[i] += fixed[i] @ e * q[k]
        if fold:
            fixed[i], turn[i] = fixed[i] @ turn[i], eye

        def inward(x, i=i):
            return turn[i].T @ (fixed[i].T @ x)

        spin[i], alpha[i] = inward(spin[p]), inward(alpha[p])
        accel[i] = inward(accel[p] + K[p] @ arm[i])
        if revolute:
            alpha[i] += e * qdd[k] + cross(spin[i], e * qd[k])
            spin[i] += e * qd[k]
        else:
            accel[i] += e * qdd[k] + 2 * cross(spin[i], e * qd[k])

        m, c = inertia.mass, inertia.lever
        h, I0 = const(m * c), const(inertia.inertia + m * (c @ c * np.eye(3) - np.outer(c, c)))
        K[i] = skew(alpha[i]) + skew(spin[i]) @ skew(spin[i])
        force[i] = m * accel[i] + K[i] @ h
        moment[i] = I0 @ alpha[i] + cross(spin[i], I0 @ spin[i]) + cross(h, accel[i])

    tau = [None] * model.nv
    for i in reversed(range(1, model.njoints)):
        p, revolute = model.parents[i], model.joints[i].shortname().startswith("JointModelR")
        tau[model.idx_vs[i]] = ca.dot(axis[i], moment[i] if revolute else force[i])
        if p:
            f = fixed[i] @ (turn[i] @ force[i])
            force[p] += f
            moment[p] += fixed[i] @ (turn[i] @ moment[i]) + cross(arm[i], f)
    return tau


def operations(function: ca.Function) -> int:
    """Arithmetic operations of an SX function; sin, cos and sign changes count one each."""
    free = {ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT}
    ids = (function.instruction_id(k) for k in range(function.n_instructions()))
    return sum(op not in free for op in ids)


# Hidden symbols let gcc inline the generated functions (casadi_sq among them) despite -fPIC.
HEAD = """#include <math.h>
%s#pragma GCC visibility push(hidden)
%s
#pragma GCC visibility pop
void batch(const double *q, const double *qd, const double *qdd, double *tau,
           long first, long last) {
"""

# Plain: the generated C entry, once a state, straight on the rows.
ROWS = """  for (long i = first; i < last; ++i) {
    const double *arg[] = {q + i * N, qd + i * N, qdd + i * N};
    double *res[] = {tau + i * N};
    state(arg, res, 0, 0, 0);
  }
}
"""

# Vectorised: gcc turns the loop over l into vector code once every argument is a scalar with
# stride 1 and sin, cos are calls it may vectorise (glibc's libmvec; left alone, gcc fuses them
# into sincos, which it may not).
VECTOR_TRIG = """#define SIMD __attribute__((simd("notinbranch"), const, nothrow))
SIMD double sin_(double) __asm__("sin");
SIMD double cos_(double) __asm__("cos");
#define sin sin_
#define cos cos_
"""
BLOCKS = """  double x[3 * N][W] = {{0}}, y[N][W];
  for (long i = first; i < last; i += W) {
    const long m = last - i < W ? last - i : W;
    for (long l = 0; l < m; ++l)
      for (long k = 0, at = (i + l) * N; k < N; ++k, ++at) {
        x[k][l] = q[at];
        x[N + k][l] = qd[at];
        x[2 * N + k][l] = qdd[at];
      }
    for (long l = 0; l < W; ++l) {
      const double *arg[] = {%s};
      double *res[] = {%s};
      state(arg, res, 0, 0, 0);
    }
    for (long l = 0; l < m; ++l)
      for (long k = 0; k < N; ++k) tau[(i + l) * N + k] = y[k][l];
  }
}
"""


@lru_cache
def executor(threads: int) -> ThreadPoolExecutor:
    """Threads that outlive the call, as a user who cares for speed would keep them."""
    return ThreadPoolExecutor(threads)


class CasadiPeer:
    """Newton-Euler over SX, written as C by CasADi, looped over the batch in C, built by gcc.

    `lanes=1` is CasADi as it comes: its C entry called once a state. `lanes=LANES` hands the
    same generated body to gcc's loop vectoriser, in blocks of that many states; it needs
    x86-64 glibc (libmvec). `flags` are gcc's. Tried: -O2 and -ffast-math change little or lose;
    -fno-tree-slp-vectorize won 5 % on two small arms with one lane and nothing on a humanoid;
    reading struct-of-arrays input directly was slower, as gcc then no longer vectorised.
    """

    def __init__(self, path, lanes: int = 1, flags=FLAGS, snap: float = 1e-15):
        model = load(path)
        self.n, self.joint_names, self.lanes = model.nv, list(model.names)[1:], lanes
        self.flags = tuple(flags)
        variants = [self._function(model, fold, snap) for fold in (False, True)]
        function = min(variants, key=operations)
        self.operations = operations(function)
        self._batch = self._build(self._source(function))

    def _function(self, model, fold, snap) -> ca.Function:
        x = [ca.SX.sym(name, model.nv) for name in ("q", "qd", "qdd")]
        tau = [ca.cse(ca.densify(ca.vertcat(*newton_euler(model, *x, fold, snap))))]
        if self.lanes > 1:  # one scalar argument a joint, so that each can be a row of lanes
            x, tau = [s for v in x for s in ca.vertsplit(v)], ca.vertsplit(tau[0])
        return ca.Function("state", x, tau)

    def _source(self, function) -> str:
        generator = ca.CodeGenerator("peer.c")
        generator.add(function)
        if self.lanes == 1:
            return HEAD % ("", generator.dump()) + ROWS
        arg = ", ".join(f"&x[{j}][l]" for j in range(3 * self.n))
        res = ", ".join(f"&y[{j}][l]" for j in range(self.n))
        flatten = "__attribute__((flatten)) void batch("  # inline the body into the loop
        head = (HEAD % (VECTOR_TRIG, generator.dump())).replace("void batch(", flatten)
        return head + BLOCKS % (arg, res)

    def _build(self, source):
        libraries = ["-lmvec", "-lm"] if self.lanes > 1 else ["-lm"]
        sizes = [f"-DN={self.n}L", f"-DW={self.lanes}L"]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "peer.c").write_text(source)
            command = ["gcc", *self.flags, *sizes, "-shared", "-fPIC", "-o", "peer.so", "peer.c"]
            subprocess.run([*command, *libraries], cwd=folder, check=True)
            batch = ctypes.CDLL(str(Path(folder) / "peer.so")).batch
        batch.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2
        batch.restype = None
        return batch

    def inverse_dynamics(self, q, qd, qdd, threads: int = 1, out=None):
        """Torques (B, n); the batch is cut into `threads` contiguous parts."""
        out = np.empty_like(q) if out is None else out
        for x in (q, qd, qdd, out):
            if x.shape != (len(q), self.n) or x.dtype != float or not x.flags.c_contiguous:
                raise ValueError(f"expected (B, {self.n}) float64 in C order, found {x.shape}")
        address = [x.ctypes.data for x in (q, qd, qdd, out)]
        cuts = [len(q) * t // threads for t in range(threads + 1)]
        parts = list(itertools.pairwise(cuts))
        rest = [executor(threads).submit(self._batch, *address, *part) for part in parts[1:]]
        self._batch(*address, *parts[0])
        for part in rest:
            part.result()
        return out


# --- measuring -----------------------------------------------------------------------------


def best_time(fn, repeat: int = 7, min_seconds: float = 0.02) -> float:
    """Seconds a call of fn: the best of `repeat` runs, each at least `min_seconds` long."""
    fn()  # warm caches, threads and allocations
    start = time.perf_counter()
    fn()
    calls = 1 + int(min_seconds / (time.perf_counter() - start))
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(calls):
            fn()
        best = min(best, time.perf_counter() - start)
    return best / calls


def relative_error(x, reference) -> float:
    """The project's error measure: max|d| / max(1, max|reference|) a state, worst state."""
    return float((abs(x - reference).max(-1) / np.maximum(1, abs(reference).max(-1))).max())


def machine() -> dict:
    """What the times were measured on, without naming the machine."""
    info = {}
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        info = {a.strip(): b.strip() for a, _, b in (line.partition(":") for line in lines)}
    versions = {}
    for package in ("numpy", "pin", "casadi", "example-robot-data", "mujoco", "llvmlite"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True)
    return {
        "cpu": info.get("model name", platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "flags": [f for f in ("avx512f", "avx2", "fma") if f in info.get("flags", "").split()],
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "gcc": gcc.stdout.strip(),
        **versions,
    }


def main(batch: int = 65536) -> None:
    """Print the table: the peers' agreement and their time a state with 1 and 2 threads."""
    for key, value in machine().items():
        print(f"{key}: {value}")
    print(f"batch {batch}; CasADi by gcc {' '.join(FLAGS)}; ns a state with 1 and 2 threads")
    print("CasADi: its C entry once a state; lanes: the same C, vectorised by gcc in blocks\n")
    print(f"{'robot':14}{'n':>3}{'ops':>6}{'error':>9}{'lanes':>9}"
          f"{'Pinocchio':>16}{'CasADi':>16}{f'{LANES} lanes':>16}")  # fmt: skip
    rng = np.random.default_rng(0)
    for name in ROBOTS:
        path = robot_file(name)
        pinocchio, casadi, lanes = PinocchioPeer(path), CasadiPeer(path), CasadiPeer(path, LANES)
        rows = [rng.uniform(-3, 3, (batch, casadi.n)) for _ in range(3)]
        columns, out = pinocchio.prepare(*rows), np.empty_like(rows[0])
        reference = pinocchio.inverse_dynamics(*columns, 2).copy()
        errors = [relative_error(c.inverse_dynamics(*rows), reference) for c in (casadi, lanes)]
        runs = [partial(pinocchio.inverse_dynamics, *columns, threads) for threads in (1, 2)]
        for peer in (casadi, lanes):
            runs += [partial(peer.inverse_dynamics, *rows, threads, out) for threads in (1, 2)]
        times = [best_time(run) / batch * 1e9 for run in runs]
        print(f"{name:14}{casadi.n:3}{casadi.operations:6}{errors[0]:9.0e}{errors[1]:9.0e}"
              + "".join(f"{t:8.0f}" for t in times), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

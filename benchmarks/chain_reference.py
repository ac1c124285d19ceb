"""Dynamics of long chains in more digits than float64 has, to measure errors against.

Both functions work with angular velocities and with the accelerations of the bodies' origins, so
that no large velocity is subtracted from another. Rotations, which are given in float64, are made
orthonormal to the digits of the reference: it is of one definite chain.

Compiled C where there is gcc: in `long double` (64 bits, some 3 digits more than float64) or, with
`quad`, in __float128 (113 bits), which is for checking the former. NumPy's longdouble elsewhere.
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from paraxis.robots.inertia import matrix_of

SOURCE = Path(__file__).with_suffix(".c")
WIDE = np.longdouble
Z = np.array([0, 0, 1], WIDE)


def forward_dynamics(links, q, qd, tau, quad=False):
    """The accelerations, longdouble, of the chain that `links` are."""
    if not can_compile():
        return plain_forward_dynamics(links, q, qd, tau)
    qdd = np.empty(len(q), WIDE)
    _call("forward_dynamics", quad, links, q, qd, tau, qdd)
    return qdd


def inverse_dynamics(links, q, qd, qdd, quad=False):
    """The torques, longdouble, and what each joint carries: the moment, or force if it slides."""
    if not can_compile():
        return plain_inverse_dynamics(links, q, qd, qdd)
    tau, load = np.empty(len(q), WIDE), np.empty(len(q), WIDE)
    _call("inverse_dynamics", quad, links, q, qd, qdd, tau, load)
    return tau, np.sqrt(load)


# -- in C ------------------------------------------------------------------------------------------


class _Links(ctypes.Structure):
    NAMES = ("revolute", "rotation", "origin", "mass", "moment", "inertia", "rotor", "gravity")
    _fields_ = (("n", ctypes.c_long), *((name, ctypes.c_void_p) for name in NAMES))


def can_compile():
    """Is there a compiler, and are its long doubles NumPy's?"""
    return shutil.which("gcc") is not None and np.dtype(WIDE).itemsize == 16


@cache
def _library(quad):
    """The C source as a library; the process keeps it when the file has gone."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "reference.so"
        wide = ["-DQUAD", "-lquadmath"] if quad else []
        command = ["gcc", "-O2", "-shared", "-fPIC", SOURCE, "-o", target, "-lm", *wide]
        subprocess.run(command, check=True)
        return ctypes.CDLL(target)


def _call(function, quad, links, *vectors):
    arrays = {name: np.ascontiguousarray(getattr(links, name)) for name in _Links.NAMES}
    given = _Links(len(links.mass), *(array.ctypes.data for array in arrays.values()))
    vectors = [np.ascontiguousarray(vector, WIDE) for vector in vectors]
    places = [ctypes.c_void_p(vector.ctypes.data) for vector in vectors]
    if getattr(_library(quad), function)(ctypes.byref(given), *places):
        raise MemoryError(f"{function} of {len(links.mass)} links")


# -- in NumPy --------------------------------------------------------------------------------------


def plain_forward_dynamics(links, q, qd, tau):
    """Articulated bodies."""
    moved = list(_moved(links, q, qd))
    A, p, kept = np.zeros((6, 6), WIDE), np.zeros(6, WIDE), []
    for i, (X, c, I, bias) in reversed(list(enumerate(moved))):
        A, p, s = A + I, p + bias, 2 if links.revolute[i] else 5
        U, D, u = A[:, s], A[s, s] + links.rotor[i], tau[i] - p[s]
        kept.append((U, D, u))
        A = A - np.outer(U, U) / D
        p = X.T @ (p + U * (u / D) + A @ c)
        A = X.T @ A @ X
    a, qdd = _rising(links), np.empty(len(q), WIDE)
    for i, ((X, c, _, _), (U, D, u)) in enumerate(zip(moved, reversed(kept), strict=True)):
        a = X @ a + c
        qdd[i] = (u - U @ a) / D
        a[2 if links.revolute[i] else 5] += qdd[i]
    return qdd


def plain_inverse_dynamics(links, q, qd, qdd):
    """Newton-Euler."""
    moved, a, forces = list(_moved(links, q, qd)), _rising(links), []
    for i, (X, c, I, bias) in enumerate(moved):
        a = X @ a + c
        a[2 if links.revolute[i] else 5] += qdd[i]
        forces.append(I @ a + bias)
    tau, load, f = np.empty(len(q), WIDE), np.empty(len(q), WIDE), np.zeros(6, WIDE)
    for i in reversed(range(len(q))):
        f = f + forces[i]
        part = f[:3] if links.revolute[i] else f[3:]
        tau[i], load[i] = part[2] + links.rotor[i] * WIDE(qdd[i]), np.sqrt(part @ part)
        f = moved[i][0].T @ f
    return tau, load


def _moved(links, q, qd):
    """Of each link: the transform of accelerations from the parent's frame, the acceleration and
    force that velocities alone make, and its inertia."""
    w = np.zeros(3, WIDE)
    for i, turns in enumerate(links.revolute):
        R, angle, slid = _orthonormal(links.rotation[i]), q[i] * turns, WIDE(q[i]) * (not turns)
        r = links.origin[i] + R @ (Z * slid)
        c, s = np.cos(WIDE(angle)), np.sin(WIDE(angle))
        R = R @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], WIDE)
        swing, rate = R.T @ _spun(w, r), Z * qd[i]
        w = R.T @ w
        if turns:
            bias = np.concatenate((np.cross(w, rate), swing))
            w = w + rate
        else:
            bias = np.concatenate((np.zeros(3, WIDE), swing + 2 * np.cross(w, rate)))
        inertia, h = matrix_of(links.inertia[i]).astype(WIDE), links.moment[i]
        I = np.block([[inertia, _skew(h)], [_skew(h).T, links.mass[i] * np.eye(3, dtype=WIDE)]])
        X = np.block([[R.T, np.zeros((3, 3), WIDE)], [-R.T @ _skew(r), R.T]])
        yield X, bias, I, np.concatenate((np.cross(w, inertia @ w), _spun(w, h)))


def _orthonormal(rotation):
    R = rotation.astype(WIDE)
    return R @ (3 * np.eye(3, dtype=WIDE) - R.T @ R) / 2


def _rising(links):
    """Gravity is felt as a base that rises."""
    return np.concatenate((np.zeros(3, WIDE), -links.gravity))


def _spun(w, arm):
    return np.cross(w, np.cross(w, arm))


def _skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], WIDE)

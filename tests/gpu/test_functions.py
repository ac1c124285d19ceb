"""Functions that are Programs and array code between them, on a GPU: the CPU's numbers.

python -m pytest tests/gpu/test_functions.py
"""

import numpy as np
import pytest
from support.gpu_arrays import in_cupy, in_jax, in_torch
from support.robots import with_losses

import paraxis as px

cupy = pytest.importorskip("cupy")

WALL = px.Contact(constraint=np.eye(6)[:, 3:4], motion=np.eye(6)[:, [0, 1, 2, 4, 5]])
ARM, LOSSY, PUMA = px.robots.planar(3), with_losses(px.robots.planar(3)), px.load("puma560")
OFTEN_USED = ("contact", "impact", "friction", "closed form", "payload", "push")


def states(*shape, seed=1):
    return np.random.default_rng(seed).uniform(0.2, 1.2, (3, *shape))


def poses():
    found = px.forward_kinematics(PUMA, states(501, 6)[0])
    found[7] *= 2  # no pose at all
    found[8, 0, 3] = 9.0  # too far away
    return found


def at_rest():
    """Some joints stick, some break away, and one state is not solved."""
    q, qd, motor = states(401, 3)
    qd[::2, 1:], motor[::3] = 0.0, 20.0 * motor[::3]
    motor[5, 1] = np.inf
    return q, qd, motor


def solutions(poses):
    found = px.kinematics.inverse_kinematics_solutions(PUMA, poses)
    return (found.q, found.solved, found.error, found.singular, *found.nearest())


def positioning(*motion):
    found = px.kinematics.positioning_solutions(
        PUMA, *motion
    )  # errors of what is unsolved are any number
    return found.q, found.qd, found.qdd, found.solved, found.error * found.solved, found.singular


def in_contact(q, qd, tau):
    return px.constrained_forward_dynamics(ARM, q, qd, tau, WALL)


def in_two_contacts(q, qd, tau):
    """The numbers of one of them differ from state to state."""
    moving = px.Contact(
        "link6", constraint=np.eye(6)[:, 5:], acceleration=np.linspace(-1, 1, 65)[:, None]
    )
    held = px.Contact("link4", constraint=np.eye(6)[:, 3:4])
    return px.constrained_forward_dynamics(PUMA, q, qd, tau, [held, moving])


# name -> (a function of arrays that returns arrays, what makes the arrays)
CASES = {
    "contact": (in_contact, lambda: states(1003, 3)),
    "two contacts": (in_two_contacts, lambda: states(65, 6)),
    "impact": (
        lambda q, qd: [px.project_velocity(ARM, q, qd, WALL)],
        lambda: states(1003, 3)[:2],
    ),
    "friction": (lambda *given: px.forward_dynamics_with_friction(LOSSY, *given), at_rest),
    "no losses": (
        lambda *given: px.forward_dynamics_with_friction(ARM, *given),
        lambda: states(99, 3),
    ),
    "closed form": (solutions, lambda: [poses()]),
    "positioning": (
        positioning,
        lambda: [poses()[:, :3, 3], states(3)[0], states(501, 3)[0]],
    ),
    "payload": (
        lambda mass, com: px.payload(PUMA, mass, com).values(),
        lambda: [states(4, 9)[0], states(9, 3)[0]],
    ),
    "push": (
        lambda q, wrench: [px.external_force(PUMA, q, wrench)],
        lambda: states(4, 9, 6)[:2],
    ),
    "push along a frame": (
        lambda q, wrench: [px.external_force(PUMA, q, wrench, coordinates="body")],
        lambda: [states(9, 6)[0], states(4, 1, 6)[1]],
    ),
    "speculation": (
        lambda *given: px.control.speculate(PUMA, "hamilton").start(*given).values(),
        lambda: states(77, 6),
    ),
}


def as_numpy(array):
    if isinstance(array, cupy.ndarray):
        return cupy.asnumpy(array)
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def check(name, put, tolerance=1e-9):
    function, make = CASES[name]
    given = make()
    there = [put(array) for array in given]
    found, expected = function(*there), function(*given)
    for own, other in zip(found, expected, strict=True):
        assert type(own) is type(there[0])
        own = as_numpy(own)
        assert own.shape == other.shape
        own, other = own.astype(float), other.astype(float)
        np.testing.assert_allclose(own, other, tolerance, tolerance, equal_nan=True)


@pytest.mark.parametrize("name", CASES)
def test_cupy(name):
    check(name, in_cupy)


@pytest.mark.parametrize("put", (in_torch, in_jax))
@pytest.mark.parametrize(
    "name", ["contact", "impact", "friction", "closed form", "payload", "push"]
)
def test_other_libraries(name, put):
    check(name, put)


def test_float32():
    given = [array.astype("float32") for array in states(1003, 3)]
    expected = px.constrained_forward_dynamics(ARM, *given, WALL)
    found = px.constrained_forward_dynamics(ARM, *map(cupy.asarray, given), WALL)
    assert found.qdd.dtype == "float32"
    scale = np.maximum(1, abs(expected.qdd).max(-1, keepdims=True))
    assert np.nanmedian(abs(cupy.asnumpy(found.qdd) - expected.qdd) / scale) < 1e-5


def test_on_a_stream_of_torch():
    """What is queued there before is waited for there, and nothing else is."""
    torch = pytest.importorskip("torch")
    q, qd, tau = states(501, 3)
    expected = px.constrained_forward_dynamics(ARM, q, qd, tau, WALL).qdd
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        given = [torch.asarray(array).cuda() * 1.0 for array in (q, qd, tau)]
        found = px.constrained_forward_dynamics(ARM, *given, WALL).qdd
    stream.synchronize()
    np.testing.assert_allclose(as_numpy(found), expected, 1e-9, 1e-9)


@pytest.mark.parametrize("name", ["impact", "closed form", "payload", "push"])
def test_nothing_waits(name):
    """Work that is queued before is still under way when the function returns."""
    function, make = CASES[name]
    there = [cupy.asarray(array) for array in make()]
    function(*there)  # compiles
    busy = cupy.ones((8192, 8192))
    cupy.matmul(busy, busy)
    cupy.cuda.Device().synchronize()
    done = cupy.cuda.Event()
    for _ in range(20):
        busy = cupy.matmul(busy, busy)
    done.record()
    function(*there)
    assert not done.done
    done.synchronize()


def test_mixed_places():
    q, qd, tau = states(5, 3)
    with pytest.raises(px.ArgumentError, match="tau: expected an array on a GPU"):
        px.constrained_forward_dynamics(ARM, cupy.asarray(q), cupy.asarray(qd), tau, WALL)
    with pytest.raises(px.ArgumentError, match="motor: expected an array on a GPU"):
        px.forward_dynamics_with_friction(ARM, cupy.asarray(q), cupy.asarray(qd), tau)

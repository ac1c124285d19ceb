"""Programs inside JAX on a GPU: kernels on the stream of XLA, against the CPU target."""

import numpy as np
import pytest

import paraxis as px

jax = pytest.importorskip("jax")
pytest.importorskip("cupy")

import jax.numpy as jnp  # noqa: E402

import paraxis.jax as pj  # noqa: E402
from paraxis.jax import lowering  # noqa: E402


def gpus():
    try:
        return jax.devices("gpu")
    except RuntimeError:
        return []


pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not gpus(), reason="JAX sees no GPU")]
ROBOT = px.load("ur5")
ERROR = {np.float64: 1e-12, np.float32: 1e-5}


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(params=["kernel", "operations"])
def way(request, monkeypatch):
    if request.param == "operations":
        monkeypatch.setattr(lowering, "_interface", lambda: None)
    else:
        monkeypatch.setattr(lowering, "FEW_NODES", -1)
    return request.param


def states(count, *shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (count, *shape, ROBOT.n))


def error(found, expected):
    """The one error measure, over all states."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    return abs(found - expected).max() / max(1.0, abs(expected).max())


def test_xla_is_given_a_kernel():
    fn = pj.function(px.program(ROBOT, "forward_dynamics"))
    text = jax.jit(fn).lower(*jnp.asarray(states(3, 5))).as_text()
    assert "@paraxis_CUDA_" in text and "callback" not in text


@pytest.mark.parametrize("dtype", ERROR)
@pytest.mark.parametrize("batch", [(), (1,), (127,), (128,), (1_000_003,)], ids=str)
def test_values(dtype, batch, way):
    if way == "operations" and batch:
        pytest.skip("XLA's own code is checked on one state")
    fn = pj.function(px.program(ROBOT, "inverse_dynamics"))
    given = states(3, *batch).astype(dtype)
    found = fn(*(jnp.asarray(x) for x in given))
    assert found.dtype == dtype and found.devices() <= set(gpus())
    assert error(found, px.inverse_dynamics(ROBOT, *given.astype(float))) < ERROR[dtype]


def test_every_output_is_written():
    """Several outputs, wide ones too; a state with NaN spoils itself only."""
    given = states(3, 1001)
    given[0, 500, 2] = np.nan
    found = pj.forward_dynamics_derivatives(ROBOT, *(jnp.asarray(x) for x in given))
    for each, right in zip(found, px.forward_dynamics_derivatives(ROBOT, *given), strict=True):
        each = np.asarray(each)
        assert np.isnan(each[500]).any() and np.isfinite(np.delete(each, 500, 0)).all()
        assert error(np.delete(each, 500, 0), np.delete(right, 500, 0)) < 1e-11


def test_batches_broadcast(way):
    q, qd, qdd = states(1, 5, 1)[0], states(1)[0], states(1, 4)[0]
    fn = pj.function(px.program(ROBOT, "inverse_dynamics"))
    found = jax.vmap(fn, (0, None, None))(q, qd, qdd)
    assert error(found, px.inverse_dynamics(ROBOT, q, qd, qdd)) < 1e-12


def test_derivatives_against_the_cpu():
    def speed(*x):
        return jnp.sum(pj.forward_dynamics(ROBOT, *x) ** 2)

    def effort(q):
        return jnp.sum(pj.gravity_torques(ROBOT, q) ** 2)

    slopes = jax.jit(jax.vmap(jax.grad(speed, argnums=(0, 1, 2))))
    second = jax.jit(jax.vmap(jax.hessian(effort)))
    given = states(3, 200)
    with jax.default_device(jax.devices("cpu")[0]):
        right = slopes(*given), second(given[0])
    on_gpu = [jax.device_put(x, gpus()[0]) for x in given]
    found = slopes(*on_gpu), second(on_gpu[0])
    for each, expected in zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True):
        assert each.devices() <= set(gpus())
        assert error(each, expected) < 1e-9


def test_kernels_wait_for_what_comes_before_them():
    """A chain of kernels and operations of XLA on one stream, many steps long, replayed too."""

    @jax.jit
    def run(q):
        def step(q, _):
            tau = pj.gravity_torques(ROBOT, q)
            return jnp.sin(q + 1e-3 * tau), None

        return jax.lax.scan(step, q, length=200)[0]

    q = states(1, 4096)[0]
    with jax.default_device(jax.devices("cpu")[0]):
        right = run(q)
    for _ in range(3):
        assert error(run(jax.device_put(q, gpus()[0])), right) < 1e-9


def test_two_threads_at_once():
    import threading

    fn = jax.jit(lambda *x: pj.inverse_dynamics(ROBOT, *x))
    given = [states(3, 50_000, seed=k) for k in range(2)]
    right = [px.inverse_dynamics(ROBOT, *x) for x in given]
    worst = [None, None]

    def work(k):
        worst[k] = max(error(fn(*given[k]), right[k]) for _ in range(10))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(worst) < 1e-12

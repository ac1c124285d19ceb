"""`paraxis.jax.simulate`: against JAX's own derivatives of the same steps, in jit and vmap."""

import numpy as np
import pytest

import paraxis as px

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import paraxis.jax as pj  # noqa: E402

ROBOT = px.robots.planar(2)
STEPS, DT = 6, 0.02
ALL = (0, 1, 2, 3)


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def arguments(*batch):
    rng = np.random.default_rng(0)
    q0, qd0 = rng.uniform(-1, 1, (2, *batch, 2))
    return q0, qd0, rng.uniform(-1, 1, (STEPS, *batch, 2)), np.array([1.2, 0.7])


def ours(q0, qd0, tau, mass, **options):
    q, qd = pj.simulate(ROBOT, q0, qd0, tau, dt=DT, steps=STEPS, mass=mass, **options)
    return q[1:], qd[1:]


def rk4(acceleration, q, qd):
    a1, q2, v2 = acceleration(q, qd), q + DT / 2 * qd, qd
    v2 = qd + DT / 2 * a1
    a2, q3 = acceleration(q2, v2), q + DT / 2 * v2
    v3 = qd + DT / 2 * a2
    a3, q4 = acceleration(q3, v3), q + DT * v3
    v4 = qd + DT * a3
    a4 = acceleration(q4, v4)
    return q + DT / 6 * (qd + 2 * v2 + 2 * v3 + v4), qd + DT / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def euler(acceleration, q, qd):
    qd = qd + DT * acceleration(q, qd)
    return q + DT * qd, qd


def scanned(rule):
    """The same steps as functions of a robot in a scan, which JAX differentiates by itself."""

    def run(q0, qd0, tau, mass):
        def step(state, torques):
            def acceleration(q, qd):
                return pj.forward_dynamics(ROBOT, q, qd, torques, mass=mass)

            state = rule(acceleration, *state)
            return state, state

        return jax.lax.scan(step, (q0, qd0), tau)[1]

    return run


def loss(run, **options):
    def number(*given):
        q, qd = run(*given, **options)
        return jnp.sum(jnp.sin(q)) + jnp.sum(qd**2)

    return number


def close(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("method", "rule"), [("rk4", rk4), ("semi_implicit_euler", euler)])
def test_gradients_are_those_of_jax(method, rule):
    given = arguments(3)
    expected = jax.grad(loss(scanned(rule)), ALL)(*given)
    close(jax.grad(loss(ours, method=method), ALL)(*given), expected)
    close(jax.jit(jax.grad(loss(ours, method=method, checkpoint=4), ALL))(*given), expected)


def test_only_what_is_asked_for_and_only_what_is_used():
    given = arguments(3)

    def last_position(mass, steps_apart):
        return ours(*given[:3], mass, every=steps_apart)[0][-1].sum()

    every, last = (jax.grad(last_position)(given[3], apart) for apart in (1, STEPS))
    close([every], [last])


def test_vmap_is_a_batch():
    q0, qd0, tau, mass = arguments(3)
    each = jax.grad(loss(ours), ALL[:3])
    mapped = jax.jit(jax.vmap(each, in_axes=(0, 0, 1, None), out_axes=(0, 0, 1)))
    close(mapped(q0, qd0, tau, mass), each(q0, qd0, tau, mass))
    shared = jax.vmap(jax.grad(loss(ours), ALL), in_axes=(0, None, None, None))
    found = shared(q0, qd0[0], tau[:, 0], mass)
    one_by_one = [jax.grad(loss(ours), ALL)(q, qd0[0], tau[:, 0], mass) for q in q0]
    close(found, [jnp.stack(rows) for rows in zip(*one_by_one, strict=True)])


def test_settings_and_the_tangent_space():
    def law(t, q, qd, gain):
        return gain * (1.0 - q) - 0.1 * qd

    q0, qd0, *_ = arguments(3)

    def cost(gain, q0):
        return jnp.sum(
            pj.simulate(ROBOT, q0, qd0, controller=law, dt=DT, steps=STEPS, gain=gain)[0] ** 2
        )

    h = 1e-6
    slope = (cost(3.0 + h, q0) - cost(3.0 - h, q0)) / (2 * h)
    np.testing.assert_allclose(jax.grad(cost)(3.0, q0), slope, rtol=1e-6)
    moved = pj.tangent(ROBOT, lambda q: cost(3.0, q))
    close([jax.grad(moved)(np.zeros((3, 2)), q0)], [jax.grad(cost, 1)(3.0, q0)])


def test_single_precision():
    jax.config.update("jax_enable_x64", False)
    given = arguments(3)
    found = jax.grad(loss(ours), ALL)(*given)
    jax.config.update("jax_enable_x64", True)
    for mine, other in zip(found, jax.grad(loss(ours), ALL)(*given), strict=True):
        assert mine.dtype == jnp.float32
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


def test_refused():
    q0, qd0, *_ = arguments()

    def position(q):
        return jnp.sum(pj.simulate(ROBOT, q, qd0, dt=DT, steps=2)[0])

    with pytest.raises(px.ArgumentError, match="has no derivatives"):
        jax.jacrev(jax.grad(position))(q0)
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(position, (q0,), (q0,))
    with pytest.raises(px.ArgumentError, match=r"paraxis.jax.simulate does not support it"):
        pj.simulate(ROBOT, q0, qd0, dt=DT, steps=2, contact=None)
    with pytest.raises(px.ArgumentError, match="q0: expected shape"):
        pj.simulate(ROBOT, jnp.zeros(3), qd0, dt=DT, steps=2)

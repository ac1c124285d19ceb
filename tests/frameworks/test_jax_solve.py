"""`paraxis.jax.solve`: gradients of optima in grad, jit and vmap, and what is refused."""

import numpy as np
import pytest

import paraxis as px

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import paraxis.jax as pj  # noqa: E402

X0 = np.array([[0.3, 0.1], [-0.4, 0.5], [0.2, 0.0]])
GOAL = np.array([0.6, 0.3, 0.5])
PARTS = (0, 1, 2)


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(scope="module")
def solver():
    def pendulum(x, u, g):
        rate = x[1] + 0.05 * (u[0] - g * px.math.sin(x[0]))
        return [x[0] + 0.05 * rate, rate]

    return px.optimal_control(
        px.trace(pendulum, x=2, u=1, g=()),
        lambda u: 0.05 * (u @ u),
        20,
        terminal=lambda x, goal: 10 * ((x[0] - goal) ** 2 + x[1] ** 2),
        inequality=lambda x: x[1] - 0.9,
        method="ddp",
        limits=(-1.8, 1.8),
        parameters={"goal": ()},
    )


def loss_of(solver, **options):
    def loss(x0, g, goal):
        xs, us, cost, _ = pj.solve(solver, x0, g=g, goal=goal, **options)
        return jnp.sum(jnp.sin(xs)) + jnp.sum(us**2) + jnp.sum(cost)

    return loss


def close(ours, theirs, rtol=1e-9):
    for mine, other in zip(ours, theirs, strict=True):
        assert np.shape(mine) == np.shape(other)
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=rtol)


def test_gradients_are_those_of_the_solver(solver):
    found = solver.solve(X0, g=9.81, goal=GOAL)
    assert found.solved.all() and (found.multipliers["stage"] > 0).any()
    assert (abs(found.us) == 1.8).any()
    xs, us, cost, solved = pj.solve(solver, X0, g=9.81, goal=GOAL)
    close((xs, us, cost), (found.xs, found.us, found.cost), 1e-15)
    assert solved.dtype == bool and solved.all()
    bars = np.cos(found.xs), 2 * found.us, np.ones(3)
    expected = solver.gradient(found, *bars)
    expected = [expected[name] for name in ("x0", "g", "goal")]
    gradient = jax.grad(loss_of(solver), PARTS)
    close(gradient(X0, 9.81, GOAL), expected)
    close(jax.jit(gradient)(X0, 9.81, GOAL), expected)


def test_vmap_is_a_batch(solver):
    gradient = jax.grad(loss_of(solver), PARTS)
    by_x0, by_g, by_goal = gradient(X0, 9.81, GOAL)
    each = jax.vmap(gradient, in_axes=(0, None, 0))(X0, 9.81, GOAL)
    close((each[0], each[1].sum(), each[2]), (by_x0, by_g, by_goal))

    def first_controls(goal):
        return pj.solve(solver, X0, g=9.81, goal=goal)[1][:, 0, 0]

    rows = jax.jit(jax.jacrev(first_controls))(GOAL)
    assert np.array_equal(rows, np.diag(np.diag(rows)))
    found = solver.solve(X0, g=9.81, goal=GOAL)
    bar = np.zeros_like(found.us)
    bar[:, 0] = 1.0
    close([np.diag(rows)], [solver.gradient(found, us_bar=bar)["goal"]])


def test_guesses_have_no_gradient(solver):
    def cost(us):
        return jnp.sum(pj.solve(solver, X0, us, g=9.81, goal=GOAL)[2])

    assert not jax.grad(cost)(jnp.zeros((20, 1))).any()


def test_problems_that_are_not_solved(solver):
    def loss(x0):
        _, us, _, solved = pj.solve(solver, x0, g=9.81, goal=GOAL)
        return jnp.sum(jnp.where(solved[:, None, None], us, 0.0))

    x0 = jnp.asarray(X0).at[1].set(jnp.nan)
    gradient = jax.grad(loss)(x0)
    assert not gradient[1].any()
    found = solver.solve(X0[[0, 2]], g=9.81, goal=GOAL[[0, 2]])
    expected = solver.gradient(found, us_bar=np.ones_like(found.us))["x0"]
    close([gradient[np.array([0, 2])]], [expected])


def test_single_precision(solver):
    given = X0, 9.81, GOAL
    expected = jax.grad(loss_of(solver), PARTS)(*given)
    jax.config.update("jax_enable_x64", False)
    found = jax.grad(loss_of(solver), PARTS)(*given)
    assert all(each.dtype == jnp.float32 for each in found)
    close(found, expected, 1e-3)


def test_refused(solver):
    loss = loss_of(solver)
    with pytest.raises(px.ArgumentError, match="has no derivatives"):
        jax.jacrev(jax.grad(loss))(X0, 9.81, GOAL)
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(lambda x0: loss(x0, 9.81, GOAL), (X0,), (X0,))
    with pytest.raises(px.ArgumentError, match="goal: is missing"):
        pj.solve(solver, X0, g=9.81)
    with pytest.raises(px.ArgumentError, match="expected a solver"):
        pj.solve(px.robots.planar(2), X0)
    with pytest.raises(px.ArgumentError, match="x0: expected shape"):
        pj.solve(solver, np.zeros(3), g=9.81, goal=GOAL)

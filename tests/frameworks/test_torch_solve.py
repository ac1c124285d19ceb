"""`paraxis.torch.solve`: gradients of optima, and what is refused."""

import numpy as np
import pytest

import paraxis as px

torch = pytest.importorskip("torch")

import paraxis.torch as pt  # noqa: E402

X0 = [[0.3, 0.1], [-0.4, 0.5], [0.2, 0.0]]
GOAL = [0.6, 0.3, 0.5]


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


def arguments(dtype=torch.float64):
    return [torch.tensor(each, dtype=dtype, requires_grad=True) for each in (X0, 9.81, GOAL)]


def loss_of(solver, x0, g, goal):
    xs, us, cost, _ = pt.solve(solver, x0, g=g, goal=goal)
    return xs.sin().sum() + us.square().sum() + cost.sum()


def test_gradients_are_those_of_the_solver(solver):
    given = arguments()
    loss_of(solver, *given).backward()
    found = solver.solve(X0, g=9.81, goal=GOAL)
    assert (found.multipliers["stage"] > 0).any() and (abs(found.us) == 1.8).any()
    expected = solver.gradient(found, np.cos(found.xs), 2 * found.us, np.ones(3))
    for tensor, name in zip(given, ("x0", "g", "goal"), strict=True):
        np.testing.assert_allclose(tensor.grad, expected[name], rtol=1e-12)
    xs, us, cost, solved = pt.solve(solver, *given[:1], g=given[1], goal=given[2])
    assert np.array_equal(xs.detach(), found.xs) and np.array_equal(us.detach(), found.us)
    assert np.array_equal(cost.detach(), found.cost) and solved.all()
    assert not solved.requires_grad


def test_the_gradient_is_that_of_what_was_found(solver):
    """Whatever becomes of the tensors that were returned."""
    first, second = arguments(), arguments()
    for changed, given in ((False, first), (True, second)):
        xs, us, _, _ = pt.solve(solver, given[0], g=given[1], goal=given[2])
        if changed:
            xs.data.zero_()
        us.sum().backward()
    for mine, other in zip(first, second, strict=True):
        assert torch.equal(mine.grad, other.grad)


def test_guesses_have_no_gradient(solver):
    x0, g, goal = arguments()
    us = torch.zeros((20, 1), dtype=torch.float64, requires_grad=True)
    _, found, _, _ = pt.solve(solver, x0, us, g=g, goal=goal)
    found.sum().backward()
    assert us.grad is None and x0.grad.shape == (3, 2)


def test_problems_that_are_not_solved(solver):
    _, g, goal = arguments()
    x0 = torch.tensor(X0, dtype=torch.float64)
    x0[1] = torch.nan
    x0.requires_grad_()
    _, us, _, solved = pt.solve(solver, x0, g=g, goal=goal)
    assert solved.tolist() == [True, False, True]
    us[solved].sum().backward()
    assert not x0.grad[1].any() and x0.grad[[0, 2]].isfinite().all() and g.grad.isfinite()


def test_single_precision(solver):
    single, double = arguments(torch.float32), arguments()
    for given in (single, double):
        loss_of(solver, *given).backward()
    for mine, other in zip(single, double, strict=True):
        assert mine.grad.dtype == torch.float32
        torch.testing.assert_close(mine.grad.double(), other.grad, rtol=1e-3, atol=1e-3)


def test_refused(solver):
    x0, g, goal = arguments()
    (first,) = torch.autograd.grad(loss_of(solver, x0, g, goal), x0, create_graph=True)
    with pytest.raises(px.ArgumentError, match="has no derivatives"):
        first.sum().backward()
    with pytest.raises(px.ArgumentError, match=r"torch.func"):
        torch.func.grad(lambda x0: loss_of(solver, x0, g, goal))(x0)
    with pytest.raises(px.ArgumentError, match="goal: is missing"):
        pt.solve(solver, x0, g=g)
    with pytest.raises(px.ArgumentError, match="expected a solver"):
        pt.solve(px.robots.planar(2), x0)

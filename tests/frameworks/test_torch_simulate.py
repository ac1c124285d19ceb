"""`paraxis.torch.simulate`: gradients against differences, and what is refused."""

import numpy as np
import pytest

import paraxis as px

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck  # noqa: E402

import paraxis.torch as pt  # noqa: E402

ROBOT = px.robots.planar(2)
STEPS, DT = 6, 0.02


def arguments(dtype=torch.float64):
    numbers = torch.Generator().manual_seed(0)
    shapes = (2, 2), (2, 2), (STEPS, 2, 2)
    given = [torch.rand(shape, generator=numbers, dtype=torch.float64) for shape in shapes]
    given.append(torch.tensor([1.2, 0.7], dtype=torch.float64))
    return [each.to(dtype).requires_grad_() for each in given]


def run(q0, qd0, tau, mass, **options):
    return pt.simulate(ROBOT, q0, qd0, tau, dt=DT, steps=STEPS, mass=mass, **options)


CASES = ({}, {"every": 2}, {"every": 3, "checkpoint": 2}, {"method": "semi_implicit_euler"})


@pytest.mark.parametrize("options", CASES, ids=str)
def test_gradients(options):
    assert gradcheck(lambda *given: run(*given, **options), arguments())


def test_values_are_those_of_simulate():
    given = arguments()
    q, qd = run(*given)
    q0, qd0, tau, mass = (each.detach().numpy() for each in given)
    plain = px.simulate(ROBOT, q0, qd0, tau, dt=DT, steps=STEPS, mass=mass)
    assert (q.detach().numpy() == plain.q).all() and (qd.detach().numpy() == plain.qd).all()


def test_settings_of_a_controller():
    def law(t, q, qd, gain, goal):
        return gain * (goal - q) - 0.1 * qd

    q0, qd0, *_ = arguments()
    gain, goal = torch.tensor(3.0), torch.ones(1, 2)
    settings = [each.double().requires_grad_() for each in (gain, goal)]

    def closed(gain, goal):
        options = {"dt": DT, "steps": STEPS, "gain": gain, "goal": goal}
        return pt.simulate(ROBOT, q0, qd0, controller=law, **options)

    assert gradcheck(closed, settings)


def test_single_precision():
    single, double = arguments(torch.float32), arguments()
    for given in (single, double):
        q, qd = run(*given)
        assert q.dtype == qd.dtype == given[0].dtype
        (q.sin().sum() + qd.square().sum()).backward()
    for mine, other in zip(single, double, strict=True):
        assert mine.grad.dtype == torch.float32
        assert torch.allclose(mine.grad.double(), other.grad, rtol=1e-4, atol=1e-5)


def test_over_the_tangent_space():
    trunk = px.robots.Inertia.of(3.0, (0, 0, 0.1), (0.5, 0.8, 0.4))
    arm = px.Robot("walker", ROBOT.joints, ROBOT.inertias, root=trunk)
    floating = arm.with_floating_base()
    start = torch.tensor(px.neutral(floating))
    v = torch.zeros(floating.nv, dtype=torch.float64, requires_grad=True)
    q, _ = pt.simulate(floating, pt.integrate(floating, start, v), 0.1 * v, dt=DT, steps=STEPS)
    q[-1].sum().backward()
    run = px.simulation.differentiable(
        floating, px.neutral(floating), np.zeros(floating.nv), dt=DT, steps=STEPS
    )
    bar = np.zeros_like(run.q)
    bar[-1] = 1.0
    found = run.gradient(bar, tangent=True)
    np.testing.assert_allclose(v.grad, found["q0"] + 0.1 * found["qd0"], rtol=1e-12, atol=1e-14)


def test_a_graph_is_not_kept_for_nothing():
    q0, qd0, tau, mass = (each.detach() for each in arguments())
    q, _ = run(q0, qd0, tau, mass)
    assert not q.requires_grad
    q, _ = run(q0, qd0, tau, mass.requires_grad_())
    q.sum().backward()
    assert mass.grad.shape == (2,) and q0.grad is None


def test_refused():
    q0, qd0, *_ = arguments()

    def position(q):
        return pt.simulate(ROBOT, q, qd0, dt=DT, steps=2)[0].sum()

    (first,) = torch.autograd.grad(position(q0), q0, create_graph=True)
    with pytest.raises(px.ArgumentError, match="has no derivatives"):
        first.sum().backward()
    with pytest.raises(px.ArgumentError, match=r"torch.func"):
        torch.func.grad(position)(q0)
    with pytest.raises(px.ArgumentError, match=r"paraxis.torch.simulate does not support it"):
        pt.simulate(ROBOT, q0, qd0, dt=DT, steps=2, contact=None)
    with pytest.raises(px.ArgumentError, match="dtype"):
        pt.simulate(ROBOT, q0, qd0.float(), dt=DT, steps=2)

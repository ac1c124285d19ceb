"""Functions of robots in PyTorch on a GPU: against the CPU, derivatives, layouts, streams."""

import pytest

import paraxis as px
from paraxis.errors import ArgumentError

torch = pytest.importorskip("torch")
pytest.importorskip("cupy")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.func import grad, hessian, vmap  # noqa: E402

import paraxis.torch as pt  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU"),
]
ERROR = {torch.float64: 1e-12, torch.float32: 1e-5}
A_WHILE = 200_000_000  # cycles of the GPU: about a tenth of a second


def on_gpu(shapes, dtype=torch.float64, seed=0, requires_grad=True):
    numbers = torch.Generator().manual_seed(seed)
    made = [torch.rand(shape, generator=numbers, dtype=dtype) * 2 - 1 for shape in shapes]
    return [each.cuda().requires_grad_(requires_grad) for each in made]


def in_rows(tensor):
    return tensor.detach().clone(memory_format=torch.contiguous_format)


def in_columns(tensor):
    return tensor.detach().T.contiguous().T


def every_other(tensor):
    wide = torch.full((2 * tensor.shape[0], 2 * tensor.shape[1]), torch.nan).to(tensor)
    wide[::2, ::2] = tensor.detach()
    return wide[::2, ::2]


def close(ours, expected, dtype):
    """By the project's measure of errors, a state at a time."""
    ours, expected = ours.detach().cpu().double(), expected.detach().double()
    size = expected.abs().amax(-1).clamp(min=1)
    return bool(((ours - expected).abs().amax(-1) / size).max() <= ERROR[dtype])


@pytest.mark.parametrize("layout", [in_rows, in_columns, every_other])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_values_and_gradients_are_those_of_the_cpu(name, dtype, layout):
    robot = px.load("ur5")
    given = [layout(x).requires_grad_() for x in on_gpu([(1003, 6)] * 3, dtype)]
    there = [x.detach().cpu().double().requires_grad_() for x in given]
    ours, expected = getattr(pt, name)(robot, *given), getattr(pt, name)(robot, *there)
    assert ours.device == given[0].device and ours.dtype == dtype and ours.requires_grad
    assert close(ours, expected, dtype)
    weights = torch.linspace(-1, 1, 1003 * 6, dtype=torch.float64).reshape(1003, 6)
    ours.backward(layout(weights.to(ours)))
    expected.backward(weights)
    for x, y in zip(given, there, strict=True):
        assert x.grad.device == x.device and x.grad.dtype == dtype
        assert close(x.grad, y.grad, dtype)


def test_derivatives():
    robot = px.robots.planar(2)
    given = on_gpu([(2,)] * 3)
    mass = torch.tensor(px.parameter_values(robot, "mass")).cuda().requires_grad_()

    def torques(q, qd, qdd, mass):
        return pt.inverse_dynamics(robot, q, qd, qdd, mass=mass)

    assert gradcheck(torques, [*given, mass], check_forward_ad=True)
    assert gradgradcheck(torques, [*given, mass])


def test_batches_broadcast():
    robot = px.robots.planar(2)
    q, qd, qdd = on_gpu([(2,), (3, 1, 2), (1, 4, 2)])
    tau = pt.inverse_dynamics(robot, q, qd, qdd)
    tau.square().sum().backward()
    there = [x.detach().cpu().requires_grad_() for x in (q, qd, qdd)]
    pt.inverse_dynamics(robot, *there).square().sum().backward()
    for x, y in zip((q, qd, qdd), there, strict=True):
        assert torch.allclose(x.grad.cpu(), y.grad, 0, 1e-10)


def test_a_program_of_ones_own():
    program = px.trace(lambda x, k: {"y": px.math.sin(x[0] * k) / x[1], "z": x}, x=2, k=())
    assert gradcheck(pt.function(program), on_gpu([(4, 2), (4,)]), check_forward_ad=True)


def test_vmap_and_hessian():
    robot = px.robots.planar(2)
    (q,) = on_gpu([(5, 2)], requires_grad=False)

    def energy(q):
        return pt.potential_energy(robot, q)

    assert torch.allclose(vmap(grad(energy))(q), pt.gravity_torques(robot, q), 0, 1e-12)
    assert torch.allclose(vmap(hessian(energy))(q).cpu(), vmap(hessian(energy))(q.cpu()), 0, 1e-12)


def test_work_is_queued_on_the_current_stream_and_not_waited_for():
    """Inputs are filled late, by a stream that is busy; only work behind that sees them."""
    robot = px.load("ur5")
    expected = on_gpu([(10_000, 6)] * 3, requires_grad=False)
    given = [torch.zeros_like(x).requires_grad_() for x in expected]

    def step(tensors):
        tau = pt.inverse_dynamics(robot, *tensors)
        return tau.detach(), *torch.autograd.grad(tau.sum(), tensors)

    wanted = step([x.clone().requires_grad_() for x in expected])  # and everything is compiled
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(A_WHILE)
        with torch.no_grad():
            for x, value in zip(given, expected, strict=True):
                x.copy_(value)
        found = step(given)
        assert not stream.query()  # nobody waited
    stream.synchronize()
    for one, other in zip(found, wanted, strict=True):
        assert torch.equal(one, other)


def test_devices_are_not_mixed():
    q, qd, qdd = on_gpu([(6,)] * 3)
    with pytest.raises(ArgumentError, match="qd: expected device cuda:0, as q has, found cpu"):
        pt.inverse_dynamics(px.load("ur5"), q, qd.cpu(), qdd)


def test_masses_are_identified():
    robot = px.load("planar3")
    q, qd, qdd = on_gpu([(200, 3)] * 3, requires_grad=False)
    true = torch.tensor([3.0, 2.0, 0.7]).to(q)
    measured = pt.inverse_dynamics(robot, q, qd, qdd, mass=true)
    mass = torch.ones_like(true).requires_grad_()
    optimizer = torch.optim.Adam([mass], lr=0.1)
    for _ in range(400):
        optimizer.zero_grad()
        error = pt.inverse_dynamics(robot, q, qd, qdd, mass=mass) - measured
        error.square().mean().backward()
        optimizer.step()
    assert torch.allclose(mass, true, rtol=1e-2)

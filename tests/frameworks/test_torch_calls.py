"""Calls on PyTorch's tensors on a GPU, played by main memory: what is remembered, and what must not
be: gradients that somebody wants, and transformations of PyTorch."""

import numpy as np
import pytest
from support.cuda_on_cpu import noted
from support.robots import relative_error

import paraxis as px
from paraxis.targets.cuda.map import CudaKernel

torch = pytest.importorskip("torch")

from support import torch_on_cpu  # noqa: E402

import paraxis.torch as pt  # noqa: E402
from paraxis.torch import operator  # noqa: E402


@pytest.fixture
def gpu(monkeypatch):
    """The device; `gpu.careful` counts the calls that were not remembered."""
    device, compute = torch_on_cpu.use(monkeypatch), CudaKernel.compute
    device.careful = 0

    def counted(kernel, *call):
        device.careful += 1
        return compute(kernel, *call)

    monkeypatch.setattr(CudaKernel, "compute", counted)
    return device


def motion(count=5, dtype=torch.float64, seed=0):
    made = np.random.default_rng(seed).normal(size=(3, count, 2))
    return [torch.tensor(array, dtype=dtype) for array in made]


def right(tensors):
    return px.inverse_dynamics(fresh(), *(tensor.detach().double().numpy() for tensor in tensors))


def fresh():
    """A robot that no call was made with."""
    return px.robots.planar(2)


def test_functions_of_tensors(gpu):
    robot = fresh()
    for k in range(3):
        given = motion(seed=k)
        found, before = px.inverse_dynamics(robot, *given), noted()["calls"]
        assert isinstance(found, torch.Tensor) and relative_error(found, right(given)) < 1e-12
        out = torch.empty(5, 2, dtype=torch.float64)
        assert px.inverse_dynamics(robot, *given, out=out) is out and torch.equal(out, found)
        assert gpu.careful == 2 and noted()["calls"] == before + (k > 0)
    columns = [tensor.T.contiguous().T for tensor in given]
    for _ in range(2):
        found = px.inverse_dynamics(robot, *columns)
        assert found.stride() == (1, 5) and relative_error(found, right(given)) < 1e-12
    assert gpu.careful == 3
    for _ in range(2):
        single = px.inverse_dynamics(robot, *(tensor.float() for tensor in given))
        assert single.dtype == torch.float32 and relative_error(single, right(given)) < 1e-5
    assert gpu.careful == 4
    px.inverse_dynamics(robot, *given, out=given[1])  # copied first
    assert relative_error(given[1], found) < 1e-12
    with gpu.arrays.cuda.stream(5):
        px.inverse_dynamics(robot, *given)
    assert noted()["stream"] == 5


def test_tensors_that_are_more_than_numbers_in_memory(gpu):
    robot, given = fresh(), motion()
    px.inverse_dynamics(robot, *given)
    wanting = [given[0].clone().requires_grad_(), *given[1:]]
    with torch.no_grad():
        for _ in range(2):
            assert relative_error(px.inverse_dynamics(robot, *wanting), right(given)) < 1e-12
    with pytest.raises(px.ArgumentError, match="a tensor requires grad: use paraxis.torch"):
        px.inverse_dynamics(robot, *wanting)
    negative = torch.complex(torch.zeros_like(given[0]), -given[0]).conj().imag
    assert negative.is_neg()
    for _ in range(2):
        assert (
            relative_error(px.inverse_dynamics(robot, negative, *given[1:]), right(given)) < 1e-12
        )
    px.inverse_dynamics(robot, *given, out=torch.empty_like(given[0]))
    with pytest.raises(px.ArgumentError, match="out: the tensor is the negative of what its memor"):
        px.inverse_dynamics(robot, *given, out=negative)
    with pytest.raises(px.ArgumentError, match="q: expected a dense tensor, found .*sparse"):
        px.inverse_dynamics(robot, given[0].to_sparse(), *given[1:])
    with pytest.raises(px.ArgumentError, match=r"qd: expected numbers .* found torch\.bfloat16"):
        px.inverse_dynamics(robot, given[0], given[1].bfloat16(), given[2])
    with pytest.raises(px.ArgumentError, match="qdd: expected an array on GPU -1, as q is"):
        px.inverse_dynamics(robot, *given[:2], np.zeros((5, 2)))


def test_without_a_gradient_a_call_is_one_launch(gpu):
    robot = fresh()
    for k in range(3):
        given, before = motion(seed=k), noted()["calls"]
        found = pt.inverse_dynamics(robot, *given)
        assert relative_error(found, right(given)) < 1e-12
        assert gpu.careful == 1 and noted()["calls"] == before + (k > 0)
    wanting = [tensor.clone().requires_grad_() for tensor in given]
    with torch.no_grad():
        assert not pt.inverse_dynamics(robot, *wanting).requires_grad
    assert gpu.careful == 1
    named = dict(zip(("q", "qd", "qdd"), given, strict=True))
    assert torch.equal(pt.inverse_dynamics(robot, **named), found)


def test_with_gradients_each_direction_is_one_launch(gpu):
    robot = fresh()
    reference = [tensor.clone().requires_grad_() for tensor in motion()]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operator, "call", torch_on_cpu.on_cpu)
        pt.inverse_dynamics(fresh(), *reference).square().sum().backward()
    for k in range(3):
        given, before = [t.clone().requires_grad_() for t in motion()], noted()["calls"]
        tau = pt.inverse_dynamics(robot, *given)
        assert tau.requires_grad
        tau.square().sum().backward()
        assert gpu.careful == 2 and noted()["calls"] == before + 2 * (k > 0)
        for ours, theirs in zip(given, reference, strict=True):
            assert relative_error(ours.grad, theirs.grad) < 1e-12
    one, *others = motion()
    one.requires_grad_()
    (slope,) = torch.autograd.grad(pt.inverse_dynamics(robot, one, *others).sum(), one)
    assert slope.shape == one.shape
    shared = others[0][:1].clone().requires_grad_()  # one rate for all states
    tau = pt.inverse_dynamics(robot, one, shared, others[1])
    assert torch.autograd.grad(tau.sum(), shared)[0].shape == (1, 2)


def test_second_derivatives(gpu):
    robot, q = fresh(), motion()[0].requires_grad_()
    forces = px.gravity_torques(robot, q.detach().numpy())
    for _ in range(2):
        (slope,) = torch.autograd.grad(pt.potential_energy(robot, q).sum(), q, create_graph=True)
        assert relative_error(slope.detach(), forces) < 1e-12
        (second,) = torch.autograd.grad(slope.sum(), q)
        assert second.abs().max() > 0.1


def test_transformations_see_the_operator(gpu, monkeypatch):
    """A call that is remembered must not hide from vmap, jvp, duals or a dispatch mode."""
    robot, (q, qd, qdd) = fresh(), motion()
    for _ in range(2):
        plain = pt.inverse_dynamics(robot, q, qd, qdd)
    monkeypatch.setattr(operator, "call", torch_on_cpu.on_cpu)
    before = noted()["calls"]
    mapped = torch.func.vmap(lambda *x: pt.inverse_dynamics(robot, *x))(q, qd, qdd)
    assert relative_error(mapped, plain) < 1e-12
    _, dot = torch.func.jvp(lambda x: pt.inverse_dynamics(robot, x, qd, qdd), (q,), (qd,))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(q, qd)
        tangent = torch.autograd.forward_ad.unpack_dual(
            pt.inverse_dynamics(robot, dual, qd, qdd)
        ).tangent
    assert dot.abs().max() > 0 and relative_error(tangent, dot) < 1e-12
    seen = []

    class Watching(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            seen.append(str(function))
            return function(*arguments, **(options or {}))

    with Watching():
        pt.inverse_dynamics(robot, q, qd, qdd)
    assert "paraxis.call.default" in seen
    assert noted()["calls"] == before

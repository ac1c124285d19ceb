"""Functions of robots in PyTorch: values, derivatives of any order both ways, batches, errors."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from support.joints import motion
from support.joints import robot_of as robot_with
from support.robots import random_robot, with_losses

import paraxis as px
from paraxis.errors import ArgumentError
from paraxis.frameworks.derivable import Derivable

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

import paraxis.torch as pt  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs/howto/gpu/torch.md"


def tensors(shapes, seed=0, dtype=torch.float64, requires_grad=True):
    """A random tensor for each shape."""
    numbers = torch.Generator().manual_seed(seed)
    made = [torch.rand(shape, generator=numbers, dtype=dtype) * 2 - 1 for shape in shapes]
    return [each.requires_grad_(requires_grad) for each in made]


def parameter(robot, name, dtype=torch.float64):
    return torch.tensor(px.parameter_values(robot, name), dtype=dtype, requires_grad=True)


def check(function, given):
    """First and second derivatives, both ways, against differences."""
    assert gradcheck(function, given, check_forward_ad=True)
    assert gradgradcheck(function, given, check_fwd_over_rev=True)


# -- every function of a robot ---------------------------------------------------------------------


def robot_of(function):
    """A chain, so that it has a tool; an arm where the tool must be free to go every way."""
    if function == "operational_space_inertia":
        return px.load("puma560")
    chains = (random_robot(seed, joints=(2, 2)) for seed in range(100))
    return with_losses(next(robot for robot in chains if not robot.branching), 2)


def arguments(robot, function):
    return [(robot.n,)] * len(px.program(robot, function).inputs)


@pytest.mark.parametrize("name", px.functions())
def test_every_function_has_the_value_of_its_namesake(name):
    robot = robot_of(name)
    given = tensors(arguments(robot, name))
    ours = getattr(pt, name)(robot, *given)
    expected = getattr(px, name)(robot, *(each.detach().numpy() for each in given))
    if isinstance(expected, tuple):
        assert type(ours) is type(expected)
    else:
        ours, expected = [ours], [expected]
    for one, other in zip(ours, expected, strict=True):
        assert one.shape == np.shape(other) and one.dtype == torch.float64
        assert np.allclose(one.detach(), other, 1e-12, 1e-12)


@pytest.mark.long
@pytest.mark.parametrize("name", px.functions())
def test_every_function_has_its_derivatives(name):
    robot = robot_of(name)
    function = getattr(pt, name)
    given = tensors(arguments(robot, name))
    assert gradcheck(lambda *arrays: function(robot, *arrays), given, check_forward_ad=True)


@pytest.mark.parametrize(
    ("name", "joints"),
    [
        ("inverse_dynamics", 2),
        pytest.param("inverse_dynamics", 3, marks=pytest.mark.long),
        pytest.param("forward_dynamics", 3, marks=pytest.mark.long),
    ],
)
def test_second_derivatives_of_dynamics(name, joints):
    robot = random_robot(2, joints=(joints, joints))
    check(lambda *arrays: getattr(pt, name)(robot, *arrays), tensors([(joints,)] * 3))


def test_parameters_have_gradients():
    robot = px.robots.planar(2)
    q, qd, qdd = tensors([(2,)] * 3, requires_grad=False)

    def torques(mass, com, gravity):
        return pt.inverse_dynamics(robot, q, qd, qdd, mass=mass, com=com, gravity=gravity)

    given = [parameter(robot, name) for name in ("mass", "com", "gravity")]
    assert gradcheck(torques, given, check_forward_ad=True)


def test_what_is_no_tensor_is_a_constant():
    robot = px.load("planar3")
    (q,) = tensors([(3,)], dtype=torch.float32)
    held = px.payload(robot, mass=[0.5, 2.0])
    tau = pt.gravity_torques(robot, q, **held, gravity=(0, 0, -9.81))
    whole = {name: torch.tensor(array, dtype=torch.float32) for name, array in held.items()}
    expected = pt.gravity_torques(robot, q, **whole, gravity=torch.tensor([0, 0, -9.81]))
    assert tau.shape == (2, 3) and torch.equal(tau, expected)
    run = pt.function(px.trace(lambda x, k: k * x[0], x=2, k=()))
    assert run(torch.ones(2), 3.0) == 3


def test_what_is_shown_is_what_is_offered():
    assert set(dir(pt)) == {"function", "tangent", "payload", "external_force", *px.functions()}
    assert "joint torques" in pt.inverse_dynamics.__doc__ and "out" not in str(
        inspect.signature(pt.inverse_dynamics)
    )


def test_options_are_those_of_the_namesake():
    robot = px.load("planar3")
    (q,) = tensors([(4, 3)], requires_grad=False)
    frame = robot.frame_names[0]
    ours = pt.jacobian(robot, q, frame, coordinates="body")
    assert np.allclose(ours, px.jacobian(robot, q.numpy(), frame, "body"), 0, 1e-15)
    named = pt.forward_dynamics(robot, q, q, q, algorithm="composite_body")
    assert np.allclose(named, px.forward_dynamics(robot, *[q.numpy()] * 3), 0, 1e-10)
    with pytest.raises(ArgumentError, match="algorithm: expected one of"):
        pt.forward_dynamics(robot, q, q, q, algorithm="magic")


# -- batches, dtypes, layouts ----------------------------------------------------------------------


def test_batch_shapes_broadcast_and_gradients_are_summed_back():
    robot = px.robots.planar(2)
    given = tensors([(2,), (3, 1, 2), (1, 4, 2)]) + [parameter(robot, "mass")]

    def torques(q, qd, qdd, mass):
        return pt.inverse_dynamics(robot, q, qd, qdd, mass=mass)

    tau = torques(*given)
    assert tau.shape == (3, 4, 2)
    tau.square().sum().backward()
    assert [each.grad.shape for each in given] == [each.shape for each in given]
    assert gradcheck(torques, given, check_forward_ad=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_results_and_gradients_have_the_dtype_of_what_is_given(dtype):
    robot = px.load("planar3")
    given = tensors([(5, 3)] * 3, dtype=dtype)
    tau, energy = pt.inverse_dynamics(robot, *given), pt.potential_energy(robot, given[0][0])
    assert tau.dtype == energy.dtype == dtype and energy.shape == ()
    (tau.sum() + energy).backward()
    doubled = [each.detach().double().requires_grad_() for each in given]
    expected = pt.inverse_dynamics(robot, *doubled).sum()
    (expected + pt.potential_energy(robot, doubled[0][0])).backward()
    for each, double in zip(given, doubled, strict=True):
        assert each.grad.dtype == dtype
        error = (each.grad - double.grad).abs().max() / double.grad.abs().max()
        assert error <= (1e-5 if dtype == torch.float32 else 1e-12)


def test_any_strides():
    robot = px.load("planar3")
    (columns,) = tensors([(3, 5)])
    (double,) = tensors([(10, 6)])
    given = [columns.T, double[::2, ::2], columns.T[0].expand(5, 3)]
    tau = pt.inverse_dynamics(robot, *given)
    straight = [each.detach().clone(memory_format=torch.contiguous_format) for each in given]
    assert torch.equal(tau, pt.inverse_dynamics(robot, *straight))
    tau.sum().backward()
    assert columns.grad.shape == (3, 5) and (double.grad[1::2] == 0).all()


def test_no_states():
    robot = px.load("planar3")
    given = tensors([(0, 3)] * 3)
    tau = pt.inverse_dynamics(robot, *given)
    tau.sum().backward()
    assert tau.shape == given[0].grad.shape == (0, 3)


def test_nothing_is_copied(monkeypatch):
    seen, kernel_of = [], Derivable.kernel

    def recorded(body, target, dtype):
        def kernel(*arrays):
            seen.append((arrays, kernel_of(body, target, dtype)(*arrays)))
            return seen[-1][1]

        return kernel

    monkeypatch.setattr(Derivable, "kernel", recorded)
    given = tensors([(7, 3)] * 3)
    tau = pt.inverse_dynamics(px.load("planar3"), *given)
    ((arrays, result),) = seen
    assert [a.ctypes.data for a in arrays] == [each.data_ptr() for each in given]
    assert result.ctypes.data == tau.data_ptr()


# -- what is made, and what is not -----------------------------------------------------------------


def test_gradients_are_made_only_where_they_are_wanted(monkeypatch):
    asked, vjp = [], Derivable.vjp
    monkeypatch.setattr(Derivable, "vjp", lambda self, *key: asked.append(key) or vjp(self, *key))
    run = pt.function(
        px.trace(lambda x, y: {"a": x * y, "b": px.math.sin(x), "c": y * y}, x=(), y=())
    )
    x, y = tensors([(), ()])
    a, _, c = run(x, y.detach())
    assert not asked
    a.backward()
    assert asked == [((0,), (0,))] and x.grad == y
    del asked[:]
    *_, c = run(x, y)
    c.backward()
    assert asked == [((0, 1), (2,))] and y.grad == 2 * y
    with torch.no_grad():
        assert not run(x, y)[0].requires_grad


def test_a_program_is_a_function_of_tensors_by_name():
    program = px.trace(lambda x, k: {"y": px.math.sin(x[0] * k) / x[1], "z": x}, x=2, k=())
    run = pt.function(program)
    x, k = tensors([(4, 2), (4,)])
    y, z = run(k=k, x=x)
    assert torch.allclose(y, torch.sin(x[:, 0] * k) / x[:, 1]) and torch.equal(z, x)
    check(run, [x, k])


def test_a_cost_with_dynamics_inside():
    robot = px.load("planar3")

    def cost(q, tau):
        qdd = px.forward_dynamics(robot, q, [0.0] * 3, tau)
        pose = px.forward_kinematics(robot, q)
        return sum(a * a for a in qdd) * 1e-3 + pose[0][3] ** 2

    assert gradcheck(pt.function(px.trace(cost, q=3, tau=3)), tensors([(3,), (3,)]))


def test_choices():
    """What is not chosen may have no slope; a step is flat."""
    program = px.trace(
        lambda x: px.math.select(x[0] < 0, x[1], px.math.sqrt(x[0])) * px.math.sign(x[1]), x=2
    )
    run = pt.function(program)
    x = torch.tensor([[-1.0, 3.0], [4.0, -2.0]], requires_grad=True)
    run(x).sum().backward()
    assert x.grad.tolist() == [[0, 1], [-0.25, 0]]


# -- torch.func ------------------------------------------------------------------------------------


def test_second_and_third_derivatives_all_ways():
    from torch.func import hessian, jacfwd, jacrev

    robot = px.robots.planar(2)
    (q,) = tensors([(2,)], requires_grad=False)

    def energy(q):
        return pt.potential_energy(robot, q)

    expected = hessian(energy)(q)
    slope = px.program(robot, "gravity_torques").jacobian("g", "q")
    assert np.allclose(expected, slope.evaluate(q=q.numpy()), 0, 1e-12)
    for outer in (jacfwd, jacrev):
        for inner in (jacfwd, jacrev):
            assert torch.allclose(outer(inner(energy))(q), expected, 0, 1e-12)
    third = jacrev(jacrev(jacrev(energy)))(q)
    assert torch.allclose(third, jacfwd(jacrev(jacfwd(energy)))(q), 0, 1e-12)
    assert torch.allclose(third, third.transpose(0, 2), 0, 1e-12)


def test_derivatives_over_the_tangent_space():
    """At the velocity zero, where a rotation vector has no direction, and to second order."""
    from torch.func import hessian, jacrev

    robot = robot_with(("free", "spherical"), (-1, 0), 1)
    q, still = torch.tensor(motion(robot)["q"]), torch.zeros(robot.nv, dtype=torch.float64)
    energy, move = px.program(robot, "potential_energy"), {"q": px.program(robot, "integrate")}
    moved = pt.tangent(robot, lambda q: pt.potential_energy(robot, q))
    second = energy.hessian("energy", "q", along=move).evaluate(q=q.numpy())
    assert np.allclose(hessian(moved)(still, q), second, 0, 1e-12)
    found = torch.autograd.functional.hessian(lambda v: moved(v, q), still)
    assert np.allclose(found, second, 0, 1e-12)
    v, numbers = still.requires_grad_(), q.clone().requires_grad_()
    moved(v, numbers).backward()
    slope = energy.gradient("energy", "q", along=move).evaluate(q=q.numpy())
    assert np.allclose(v.grad, slope, 0, 1e-12) and numbers.grad.shape == (robot.nq,)

    def round_trip(v):
        return pt.difference(robot, q, pt.integrate(robot, q, v))

    assert torch.allclose(jacrev(round_trip)(still), torch.eye(robot.nv).double(), 0, 1e-14)
    assert jacrev(jacrev(round_trip))(still).abs().max() <= 1e-14


def test_vmap():
    from torch.func import grad, vmap

    robot = px.load("planar3")
    q, qd, single = tensors([(5, 4, 3), (5, 3), (4, 3)], requires_grad=False)

    def bias(q, qd):
        return pt.bias_forces(robot, q, qd)

    expected = pt.bias_forces(robot, q, qd[:, None])
    assert torch.equal(vmap(bias)(q, qd), expected)
    assert torch.equal(vmap(bias, (0, 1))(q, qd.T), expected)
    assert torch.equal(vmap(vmap(bias, (0, None)), (0, 0))(q, qd), expected)
    assert torch.equal(
        vmap(bias, (None, 0))(single, qd), pt.bias_forces(robot, single, qd[:, None])
    )
    slopes = vmap(grad(lambda q: pt.potential_energy(robot, q)))(single)
    assert torch.allclose(slopes, pt.gravity_torques(robot, single), 0, 1e-12)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({name: [1.0] * 3 for name in ("q", "qd", "qdd")}, "q: expected a tensor, found list"),
        ({"qd": "fast"}, "qd: expected real numbers of at most 64 bits, found dtype <U4"),
        ({"qd": [1.0, 2.0]}, r"qd: expected shape \(..., 3\), found \(2,\)"),
        ({"out": torch.ones(3).double()}, "inverse_dynamics: paraxis.torch does not support out"),
        ({"qd": torch.ones(3)}, "qd: expected dtype torch.float64, as q has, found torch.float32"),
        ({"q": torch.ones(3).half()}, "q: expected one of .* found torch.float16"),
        ({"q": torch.ones(3).long()}, "q: expected one of .* found torch.int64"),
        ({"q": torch.ones(3, device="meta")}, "q: expected a device of .* found meta"),
        ({"qd": torch.ones(4).double()}, r"qd: expected shape \(..., 3\), found \(4,\)"),
        (
            {"q": torch.ones(2, 3).double(), "qd": torch.ones(4, 3).double()},
            r"batch shapes do not broadcast together: q \(2,\), qd \(4,\), qdd \(\)",
        ),
    ],
)
def test_errors(change, message):
    given = {name: torch.ones(3).double() for name in ("q", "qd", "qdd")} | change
    with pytest.raises(ArgumentError, match=message):
        pt.inverse_dynamics(px.load("planar3"), **given)


@pytest.mark.parametrize(
    "transformed",
    [
        lambda function: lambda q: function(q.requires_grad_()),
        torch.func.grad,
        torch.func.jacfwd,
        torch.func.vmap,
    ],
)
def test_functions_for_numpy_name_those_for_tensors(transformed):
    robot = px.load("planar3")
    (q,) = tensors([(2, 3)], requires_grad=False)
    for function in (
        lambda q: px.gravity_torques(robot, q),
        lambda q: px.simulate(robot, q, q, dt=1e-3, steps=1).q,
        lambda q: px.payload(robot, mass=q[..., 0])["mass"],
    ):
        with pytest.raises(ArgumentError, match="paraxis.torch, whose functions support gradients"):
            transformed(function)(q.clone())


def test_functions_for_numpy_compute_single_tensors_in_single():
    robot = px.load("planar3")
    (q,) = tensors([(2, 3)], dtype=torch.float32, requires_grad=False)
    found, expected = px.gravity_torques(robot, q), px.gravity_torques(robot, q.numpy())
    assert type(found) is np.ndarray and found.dtype == np.float32 and (found == expected).all()


def test_what_is_no_program_or_no_robot_or_too_much():
    with pytest.raises(ArgumentError, match="function: expected a Program .* found function"):
        pt.function(lambda x: x)
    with pytest.raises(ArgumentError, match="robot"):
        pt.gravity_torques("puma560", torch.ones(6))
    with pytest.raises(ArgumentError, match=r"expected the arrays \(x\), found 'y'"):
        pt.function(px.trace(lambda x: x, x=2))(y=torch.ones(2))


# -- the page --------------------------------------------------------------------------------------


def test_the_page_runs():
    """It checks itself, where it says something that may be wrong."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 8
    space = {}
    for block in blocks:
        exec(block, space)
    assert space["tau"].grad.abs().sum() > 0
    assert space["stiffness"].shape == (1000, 6, 6)


# -- tracers and compilers -------------------------------------------------------------------------


def gravity():
    """A function of q, and two different q."""
    robot = px.load("planar3")
    return lambda q: pt.gravity_torques(robot, q), *tensors([(4, 3)] * 2, requires_grad=False)


def test_a_linear_part_holds_for_any_tangent():
    f, q, tangent = gravity()
    value, linear = torch.func.linearize(f, q)
    expected = torch.func.jvp(f, (q,), (tangent,))
    assert torch.equal(value, expected[0]) and torch.allclose(linear(tangent), expected[1])
    both = torch.vmap(linear)(torch.stack([tangent, -tangent]))
    assert torch.allclose(both, torch.stack([expected[1], -expected[1]]))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_recorded_graph_computes_anew(mode):
    from torch.fx.experimental.proxy_tensor import make_fx

    f, q, other = gravity()
    graph = make_fx(f, tracing_mode=mode)(q)
    assert torch.equal(graph(other), f(other))
    slope = make_fx(torch.func.grad(lambda q: f(q).sum()), tracing_mode=mode)(q)
    assert torch.equal(slope(other), torch.func.grad(lambda q: f(q).sum())(other))
    assert gradcheck(graph, other[0].clone().requires_grad_(), check_forward_ad=True)
    assert torch.equal(torch.vmap(graph)(other[None]), f(other)[None])


def test_an_exported_module_computes_anew():
    f, q, other = gravity()

    class Module(torch.nn.Module):
        def forward(self, q):
            return f(q)

    assert torch.equal(torch.export.export(Module(), (q,)).module()(other), f(other))


def test_pytorch_compiles_what_is_around_and_keeps_the_call_in_its_graph():
    f, q, other = gravity()
    f(q)  # what is made once is made outside

    def effort(q):
        return (f(q.sin()) ** 2).sum() * 2

    compiled = torch.compile(effort, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(q), effort(q))
    slopes = []
    for run in (effort, compiled):
        given = other.clone().requires_grad_()
        run(given).backward()
        slopes.append(given.grad)
    assert torch.allclose(*slopes)


def test_what_a_graph_calls_must_be_there():
    with pytest.raises(ArgumentError, match="graph calls a Program .nowhere."):
        torch.ops.paraxis.call("nowhere", [torch.ones(3)])


def test_older_vectorised_derivatives_name_the_newer():
    f, q, _ = gravity()
    with pytest.raises(ArgumentError, match="use torch.func"):
        torch.autograd.functional.jacobian(f, q, vectorize=True)
    given = q.clone().requires_grad_()
    with pytest.raises(ArgumentError, match="use torch.func"):
        torch.autograd.grad(f(given), given, torch.ones(2, 4, 3).double(), is_grads_batched=True)

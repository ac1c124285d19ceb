"""Programs inside JAX: values, batches, derivatives in both directions, and what XLA is given."""

import ctypes
import re
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from support.joints import motion, robot_of
from support.processes import python
from support.robots import random_robot

import paraxis as px
from paraxis.graph.operations import OPS
from paraxis.robot_functions import FUNCTIONS
from paraxis.targets.cpu.text import xla_entry

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import paraxis.jax as pj  # noqa: E402
from paraxis.jax import lowering, numeric  # noqa: E402

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def double_precision():
    """As most who differentiate dynamics have it; tests of single precision turn it off."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(params=["kernel", "operations"])
def way(request, monkeypatch):
    """Both things that XLA may be given, whatever would be chosen."""
    if request.param == "operations":
        monkeypatch.setattr(lowering, "_interface", lambda: None)
    else:
        monkeypatch.setattr(lowering, "FEW_NODES", -1)
    return request.param


def arrays(count, *shape):
    return list(RNG.uniform(-1, 1, (count, *shape)))


def law(x, k):
    """Something of everything: a corner, a choice, an angle, an input that is half unused."""
    spring = px.math.select(px.math.less(x[0], 0.2), k * x[0] * x[0], px.math.sin(k) + x[0])
    return {
        "force": [spring, px.math.atan2(x[0], k + 3.0) * 2.0],
        "size": px.math.sqrt(k * k + 1.0),
    }


def test_every_operation_is_one_of_jax():
    """On numbers for which each has a value, and conditions both."""
    assert numeric.OPERATIONS.keys() == OPS.keys()
    points = {1: (0.3,), 2: (5.5, 0.7), 3: (0.3, 0.7, -0.2)}

    @jax.jit  # all of them at once
    def every(points):
        return {name: f(*points[OPS[name].arity]) for name, f in numeric.OPERATIONS.items()}

    for name, found in every(
        {arity: list(map(jnp.asarray, points[arity])) for arity in points}
    ).items():
        expected = OPS[name].meaning(*points[OPS[name].arity])
        assert found.dtype == "float64" and np.isclose(found, expected, 1e-15, 1e-15), name


def motor(x, k):
    """What a drive is described with: exponentials, a dead zone, a remainder, saturation."""
    dead = px.math.logical_and(px.math.less(-0.1, x[0]), px.math.less(x[0], 0.1))
    heat = px.math.exp(-k * x[0]) + px.math.log(2.0 + k)
    push = px.math.select(px.math.logical_not(dead), px.math.tanh(4 * x[0]), x[0] ** 3)
    angle = px.math.fmod(7.3 * k + 9.0, 1.25) + px.math.floor(9 * k) * px.math.tan(x[0])
    return {"force": [push * heat, angle], "turn": px.math.asin(x[0] / 2) * px.math.acos(k / 2)}


def test_derivatives_of_every_kind_of_function():
    function = jax.jit(pj.function(px.trace(motor, x=2, k=())))
    x, k = RNG.uniform(-1, 1, (5, 2)), RNG.uniform(-1, 1, 5)
    check_grads(function, (x, k), order=1, modes=("fwd", "rev"), rtol=1e-4)


LAW = px.trace(law, x=2, k=())


# -- values --------------------------------------------------------------------------------------


QUICK = ("inverse_dynamics", "motor_torques", "jacobian")


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=() if x in QUICK else pytest.mark.long) for x in FUNCTIONS]
)
def test_every_function_of_a_robot(name):
    robot = px.load("ur5") if name.startswith("operational") else random_robot(13, joints=(3, 3))
    given = arrays(len(FUNCTIONS[name].inputs), 3, robot.n)
    expected, found = getattr(px, name)(robot, *given), getattr(pj, name)(robot, *given)
    assert type(found) is type(expected) or isinstance(found, jax.Array)
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b), tuple(found), tuple(expected))


def test_positions_of_joints_of_several_degrees_have_derivatives():
    """What integrate moves, difference leads to: the slope of both together is one."""
    body = px.robots.Inertia.of(1.0, (0.2, 0.0, 0.1), (0.02, 0.01, 0.02))
    joints = [px.robots.Joint("base", "free"), px.robots.Joint("ball", "spherical", 0)]
    robot = px.Robot("flyer", joints, [body, body])
    v, qd, qdd = arrays(3, robot.nv)
    q = px.integrate(robot, px.neutral(robot), qd)
    slope = jax.jacobian(lambda v: pj.difference(robot, q, pj.integrate(robot, q, v)))(v)
    assert abs(slope - np.eye(robot.nv)).max() <= 1e-12
    assert (pj.inverse_dynamics(robot, q, qd, qdd) == px.inverse_dynamics(robot, q, qd, qdd)).all()


def test_a_program_with_several_outputs(way):
    x, k = arrays(1, 4, 2)[0], arrays(1, 4)[0]
    expected = LAW.evaluate(x=x, k=k)
    force, size = pj.function(LAW)(x, k=k)
    np.testing.assert_allclose(force, expected["force"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(size, expected["size"], rtol=0, atol=1e-14)


def test_options_and_parameters_are_those_of_the_namesake():
    robot = random_robot(5, joints=(2, 2))
    q, qd, qdd = arrays(3, 2)
    mass = arrays(1, 3, 2)[0] + 2.0
    frame = robot.frame_names[1]
    for name, given, options in (
        ("inverse_dynamics", (q, qd, qdd), {"mass": mass}),
        ("inverse_dynamics", (q, qd, qdd), {"algorithm": "newton_euler"}),
        ("jacobian", (q, frame), {"coordinates": "body"}),
    ):
        expected = getattr(px, name)(robot, *given, **options)
        found = getattr(pj, name)(robot, *given, **options)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_payloads_and_pushes_have_derivatives():
    robot = px.robots.planar(2)
    q, qd, qdd = arrays(3, 2)
    wrench = np.arange(6.0)

    def torque(mass, q):
        push = pj.external_force(robot, q, wrench)
        held = pj.payload(robot, mass, com=(0.1, 0.0, 0.2))
        return pj.inverse_dynamics(robot, q, qd, qdd, external_force=push, **held).sum()

    expected = px.inverse_dynamics(
        robot,
        q,
        qd,
        qdd,
        external_force=px.external_force(robot, q, wrench),
        **px.payload(robot, 1.5, com=(0.1, 0.0, 0.2)),
    ).sum()
    assert abs(torque(1.5, q) - expected) < 1e-12
    slope, along = jax.grad(torque, (0, 1))(1.5, q)
    assert abs(slope - (torque(2.0, q) - torque(1.0, q))) < 1e-11  # linear in the mass
    step = 1e-6
    difference = (torque(1.5, q + [step, 0]) - torque(1.5, q - [step, 0])) / (2 * step)
    assert abs(along[0] - difference) < 1e-6


def test_batches_broadcast(way):
    robot, fn = (
        px.robots.planar(2),
        pj.function(px.program(px.robots.planar(2), "inverse_dynamics")),
    )
    given = RNG.uniform(-1, 1, (3, 1, 2)), RNG.uniform(-1, 1, 2), RNG.uniform(-1, 1, (4, 2))
    expected = px.inverse_dynamics(robot, *given)
    np.testing.assert_allclose(fn(*given), expected, rtol=0, atol=1e-13)
    assert fn(np.zeros((0, 2)), *given[1:2], np.zeros(2)).shape == (0, 2)
    mapped = jax.jit(jax.vmap(jax.vmap(fn, (0, None, 1)), (2, None, None), 1))
    q, qd, qdd = RNG.uniform(-1, 1, (3, 2, 5)), RNG.uniform(-1, 1, 2), RNG.uniform(-1, 1, (7, 3, 2))
    rows = np.moveaxis(q, 2, 0)[:, :, None, :], qd, np.moveaxis(qdd, 1, 0)[None]
    expected = np.moveaxis(px.inverse_dynamics(robot, *rows), 0, 1)
    np.testing.assert_allclose(mapped(q, qd, qdd), expected, rtol=0, atol=1e-13)


def test_nan_stays_in_its_state(way):
    robot = px.robots.planar(2)
    q, qd, tau = arrays(3, 3, 2)
    q[1, 0] = np.nan
    found = pj.forward_dynamics(robot, q, qd, tau)
    assert np.isnan(found[1]).all() and np.isfinite(found[::2]).all()
    slope = jax.vmap(jax.grad(lambda *x: pj.forward_dynamics(robot, *x).sum()))(q, qd, tau)
    assert np.isnan(slope[1]).all() and np.isfinite(slope[::2]).all()


def test_an_entry_that_nothing_depends_on_spoils_results_all_the_same(way):
    fn = pj.function(LAW)
    x = np.array([[0.1, np.nan], [0.1, np.inf], [0.1, 0.3]])
    force, size = fn(x, 0.5)
    assert np.isnan(force[:2]).all() and np.isnan(size[:2]).all()
    assert np.isfinite(force[2]).all() and np.isfinite(size[2])


def test_single_precision(way):
    robot = px.robots.planar(2)
    given = arrays(3, 5, 2)
    expected = px.inverse_dynamics(robot, *given)
    singles = [x.astype(np.float32) for x in given]
    assert pj.inverse_dynamics(robot, *singles).dtype == jnp.float32
    assert pj.inverse_dynamics(robot, singles[0], *given[1:]).dtype == jnp.float64  # as JAX has it
    assert pj.inverse_dynamics(robot, *(np.int32(x) for x in given)).dtype == jnp.float64
    halves = [jnp.asarray(x, jnp.bfloat16) for x in given]
    assert pj.inverse_dynamics(robot, *halves).dtype == jnp.float32
    jax.config.update("jax_enable_x64", False)
    found = pj.inverse_dynamics(robot, *given)
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * abs(expected).max())
    slope = jax.grad(lambda q: pj.inverse_dynamics(robot, q, *given[1:]).sum())(singles[0])
    assert slope.dtype == jnp.float32


# -- derivatives ---------------------------------------------------------------------------------


def test_both_directions_twice():  # one state: by operations
    check_grads(pj.function(LAW), (np.array([0.5, 0.1]), 0.7), order=2)


def test_derivatives_of_batches_that_broadcast():  # by kernels
    given = RNG.uniform(0.3, 1, (3, 1, 2)), RNG.uniform(-1, 1, 4)
    check_grads(pj.function(LAW), given, order=1)
    mapped = jax.vmap(pj.function(LAW), (1, None))
    check_grads(mapped, (np.moveaxis(given[0], 0, 1), given[1]), order=1)


def test_jacobians_and_hessians_against_programs():
    robot = px.robots.planar(2)
    q, qd, qdd = arrays(3, 2)

    def torques(q):
        return pj.inverse_dynamics(robot, q, qd, qdd)

    slope, _ = px.inverse_dynamics_derivatives(robot, q, qd, qdd)
    np.testing.assert_allclose(jax.jacfwd(torques)(q), slope, rtol=0, atol=1e-12)
    np.testing.assert_allclose(jax.jacrev(torques)(q), slope, rtol=0, atol=1e-12)
    height = px.program(robot, "potential_energy")
    second = height.gradient("energy", "q").jacobian("denergy_dq", "q")
    found = jax.hessian(lambda q: pj.potential_energy(robot, q))(q)
    np.testing.assert_allclose(found, second.evaluate(q=q), rtol=0, atol=1e-12)


def test_derivatives_over_the_tangent_space():
    """Both ways, twice, at the velocity zero, where a rotation vector has no direction."""
    robot = robot_of(("free",), (-1,), 1)
    state, still = motion(robot), np.zeros(robot.nv)
    q, energy = state["q"], px.program(robot, "potential_energy")
    move = {"q": px.program(robot, "integrate")}
    moved = pj.tangent(robot, lambda q: pj.potential_energy(robot, q))
    slope = energy.gradient("energy", "q", along=move).evaluate(q=q)
    second = energy.hessian("energy", "q", along=move).evaluate(q=q)
    np.testing.assert_allclose(jax.grad(moved)(still, q), slope, rtol=0, atol=1e-12)
    np.testing.assert_allclose(jax.hessian(moved)(still, q), second, rtol=0, atol=1e-12)
    found = jax.jacrev(jax.jacfwd(moved))(still, q)
    np.testing.assert_allclose(found, second, rtol=0, atol=1e-12)
    assert jax.grad(moved, argnums=1)(still, q).shape == (robot.nq,)  # of its numbers

    def round_trip(v):
        return pj.difference(robot, q, pj.integrate(robot, q, v))

    np.testing.assert_allclose(jax.jacrev(round_trip)(still), np.eye(robot.nv), atol=1e-14)
    twice = jax.jacfwd(jax.jacrev(round_trip))(still)
    np.testing.assert_allclose(twice, np.zeros_like(twice), atol=1e-14)
    with pytest.raises(px.ArgumentError, match="expected a function of positions, found ndarray"):
        pj.tangent(robot, q)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_random_robots_twice(seed, way):
    robot = random_robot(seed, joints=(2, 3))
    given = arrays(3, robot.n)
    mass = px.parameter_values(robot, "mass")
    check_grads(
        lambda *x: pj.forward_dynamics(robot, *x[:3], mass=x[3]), (*given, mass), order=2, rtol=1e-3
    )


@pytest.mark.long
def test_the_third_derivative():
    check_grads(pj.function(LAW), (np.array([0.5, 0.1]), 0.7), order=3)


def test_a_gradient_costs_a_vjp():
    robot = px.robots.planar(2)
    given = arrays(3, 2)
    text = str(jax.make_jaxpr(jax.grad(lambda *x: pj.inverse_dynamics(robot, *x).sum()))(*given))
    assert re.findall(r"body=(\w+)", text) == ["inverse_dynamics", "inverse_dynamics_vjp"]


def test_learning_through_a_simulation(way):
    """The gradient of a rollout, against differences."""
    robot = px.robots.planar(2)

    @jax.jit
    def end(torques):
        def step(state, tau):
            q, qd = state
            qd = qd + 0.05 * pj.forward_dynamics(robot, q, qd, tau)
            return (q + 0.05 * qd, qd), None

        (q, _), _ = jax.lax.scan(step, (jnp.array([0.3, -0.5]), jnp.zeros(2)), torques)
        return q @ q

    torques = arrays(1, 6, 2)[0]
    check_grads(end, (torques,), order=1, modes=["rev"])


def test_what_is_not_a_tangent_is_not_transposed():
    fn = pj.function(px.trace(lambda x: [2.0 * x[0]], x=1))
    with pytest.raises(px.ArgumentError, match="can be transposed by its tangents only"):
        jax.linear_transpose(fn, np.ones(1))(np.ones(1))


# -- what XLA is given ---------------------------------------------------------------------------


def lowered(fn, *given):
    return jax.jit(fn).lower(*given).as_text()


def test_kernels_are_called_by_xla_itself():
    robot = px.robots.planar(2)
    batch, one = arrays(3, 5, 2), arrays(3, 2)
    long_one = pj.function(px.program(px.load("ur5"), "forward_dynamics"))
    for text in (
        lowered(lambda *x: pj.inverse_dynamics(robot, *x), *batch),
        lowered(long_one, *arrays(3, 6)),
    ):
        assert "@paraxis_cpu_" in text and "callback" not in text and "sine" not in text
    text = lowered(lambda *x: pj.inverse_dynamics(robot, *x), *one)
    assert ("paraxis_cpu" not in text and "stablehlo.sine" in text) or "stablehlo.cosine" in text


def test_on_a_gpu_xla_is_given_rows_and_their_number(monkeypatch):
    """What is lowered for a GPU, which needs none; tests/gpu runs it."""

    class Kernel:
        def row_major_launches(self, states):
            return [(1234, 128, 512, 128)]  # function, threads, bytes, states

        def by_lanes(self, states):
            return False

    fn = pj.function(px.trace(lambda x, y: [x[0] * y[0]], x=1, y=1))
    monkeypatch.setattr(lowering, "_compiles_for_cuda", lambda: True)
    monkeypatch.setattr(lowering, "device", lambda: SimpleNamespace(start=1))
    monkeypatch.setattr("paraxis.frameworks.derivable.Derivable.kernel", lambda *_: Kernel())
    traced = jax.jit(fn).trace(np.ones((3, 1, 1)), np.ones((5, 1)))
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    call = re.search(r"custom_call @paraxis_CUDA_\w+.*", text)[0]
    assert "states = 15 : i64" in call
    assert call.count("tensor<3x5x1xf64>") == 3  # inputs are whole, as the result is
    monkeypatch.setattr(lowering, "_compiles_for_cuda", lambda: False)
    assert (
        "paraxis_CUDA"
        not in jax.jit(fn)
        .trace(np.ones((3, 1)), np.ones(1))
        .lower(lowering_platforms=("cuda",))
        .as_text()
    )


def test_a_batch_size_that_is_left_open():
    from jax import export

    robot, given = px.robots.planar(2), arrays(3, 4, 2)
    shape = jax.ShapeDtypeStruct((*export.symbolic_shape("batch"), 2), np.float64)
    exported = export.export(jax.jit(lambda *x: pj.inverse_dynamics(robot, *x)))(*[shape] * 3)
    found = exported.call(*given)
    np.testing.assert_allclose(found, px.inverse_dynamics(robot, *given), rtol=0, atol=1e-13)


def test_equal_programs_have_one_kernel():
    """Its name says what is computed, and nothing of this process: XLA keeps it on disk."""

    def names():
        fn = pj.function(px.program(px.robots.planar(2)))
        slope = jax.vmap(jax.grad(lambda *x: fn(*x).sum()))
        given = np.zeros((3, 5, 2), np.float32)
        return re.findall(r"@(paraxis_cpu_\w+)", lowered(fn, *given) + lowered(slope, *given))

    assert names() == names() and len(set(names())) == 2


def test_many_threads_at_once():
    """Batches large enough that the threads of XLA share each, from several threads of Python."""
    robot = px.robots.planar(2)
    given = [arrays(3, 60_001, 2) for _ in range(3)]
    expected = [px.inverse_dynamics(robot, *each) for each in given]
    fn = jax.jit(lambda *x: pj.inverse_dynamics(robot, *x))
    found = [[] for _ in given]

    def work(k):
        for _ in range(5):
            found[k].append(np.asarray(fn(*given[k])))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(len(given))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for own, right in zip(found, expected, strict=True):
        assert len(own) == 5
        for each in own:
            np.testing.assert_array_equal(each, right)


# -- handlers, called as XLA calls them -----------------------------------------------------------


class Call:
    """A call frame by hand, as XLA's c_api.h describes it, and what is answered."""

    def __init__(self, inputs, outputs, attributes, stage=xla_entry.EXECUTE):
        self.kept, self.errors, self.stream = [], [], 4321
        void = ctypes.c_void_p
        create = ctypes.CFUNCTYPE(void, void)(self._create)
        stream = ctypes.CFUNCTYPE(void, void)(self._stream)
        refuse = ctypes.CFUNCTYPE(void, void)(lambda _: 99)
        destroy = ctypes.CFUNCTYPE(None, void)(lambda _: None)
        api = xla_entry._Api()
        for name, function in (
            ("error_create", create),
            ("error_destroy", destroy),
            ("stream_get", stream),
            ("pool_schedule", refuse),
        ):
            setattr(api, name, self.keep(ctypes.cast(function, void), function).value)
        self.frame = xla_entry._Call(api=self.address(api), ctx=77, stage=stage)
        for part, given in (("args", inputs), ("rets", outputs)):
            buffers = [self.address(xla_entry._Buffer(data=array.ctypes.data)) for array in given]
            getattr(self.frame, part).size = len(given)
            getattr(self.frame, part).values = self.table(buffers)
        self.frame.attrs.size = len(attributes)
        self.frame.attrs.values = self.table(map(self.attribute, attributes))

    def keep(self, value, *others):
        self.kept += [value, *others]
        return value

    def address(self, structure):
        return ctypes.addressof(self.keep(structure))

    def table(self, addresses):
        addresses = list(addresses)
        return self.address((ctypes.c_void_p * max(len(addresses), 1))(*addresses))

    def attribute(self, value):
        words = self.keep(np.array(value, np.int64))
        if words.ndim:
            return self.address(xla_entry._Array(size=words.size, data=words.ctypes.data))
        return self.address(xla_entry._Scalar(value=words.ctypes.data))

    def _create(self, arguments):
        message = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_char_p))[2]
        self.errors.append(message.decode())
        return 55

    def _stream(self, arguments):
        words = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_void_p))
        assert words[2] == 77
        words[3] = self.stream
        return None

    def __call__(self, handler):
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(handler.address)
        return function(ctypes.addressof(self.frame))


def test_a_handler_runs_alone_where_there_is_no_pool_and_refuses_what_is_wrong():
    program = px.program(px.robots.planar(2))
    kernel = program.compile()
    handler = xla_entry.cpu_handler(kernel.addresses, 3, 1, 3)
    given, result = arrays(3, 9, 2), np.zeros((9, 2))
    words, _ = kernel.row_major_job([(9,)] * 3, (9,))
    assert Call(given, [result], [words, 3])(handler) is None
    np.testing.assert_array_equal(result, kernel(*given))
    one = np.zeros(2)
    assert Call([x[4] for x in given], [one], [words, 0])(handler) is None
    np.testing.assert_array_equal(one, result[4])
    for wrong in (
        Call(given[:2], [result], [words, 1]),
        Call(given, [result], [words[:-1], 1]),
        Call(given, [result], [words]),
        Call(given, [result], [words, 1], stage=1),
    ):
        assert wrong(handler) == 55
        assert wrong.errors == ["paraxis: a call that was not made by this version of paraxis"]


def test_a_handler_says_for_which_interface_it_was_made():
    handler = xla_entry.cpu_handler({"run": 1}, 1, 1, minor=7)
    metadata = xla_entry._Metadata()
    extension = xla_entry._Extension(type=xla_entry.METADATA, metadata=ctypes.addressof(metadata))
    call = Call([], [], [])
    call.frame.extension_start, call.frame.api = ctypes.addressof(extension), None
    assert call(handler) is None
    assert (metadata.version.major, metadata.version.minor) == (0, 7)


def test_the_handler_for_cuda_launches_on_the_stream_of_xla():
    seen = []

    def launch(function, gx, gy, gz, bx, by, bz, shared, stream, values, extra):
        words = [ctypes.cast(values[k], ctypes.POINTER(ctypes.c_int64))[0] for k in range(4)]
        seen.append((function, (gx, gy, gz), (bx, by, bz), shared, stream, words, extra))
        return len(seen) > 2  # 0 is success

    sizes = [ctypes.c_uint] * 7
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_void_p,
        *sizes,
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.c_void_p,
    )
    start = kind(launch)
    address = ctypes.cast(start, ctypes.c_void_p).value
    launches = [xla_entry.Launch(1234, 128, 512, 32), xla_entry.Launch(1235, 64, 0, 64)]
    handler = xla_entry.cuda_handler(address, launches, 2, 1, 3)
    a, b, result = np.zeros((300, 2)), np.zeros((300, 2)), np.zeros((300, 2))
    call = Call([a, b], [result], [300])
    assert call(handler) is None
    words = [300, a.ctypes.data, b.ctypes.data, result.ctypes.data]
    assert seen == [
        (1234, (10, 1, 1), (128, 1, 1), 512, 4321, words, None),
        (1235, (5, 1, 1), (64, 1, 1), 0, 4321, words, None),
    ]
    assert call(handler) == 55 and call.errors == ["paraxis: the CUDA kernel could not be launched"]


# -- errors --------------------------------------------------------------------------------------


def test_errors_name_what_was_found():
    robot, fn = px.robots.planar(2), pj.function(LAW)
    with pytest.raises(px.ArgumentError, match="function: expected a Program .* found Robot"):
        pj.function(robot)
    with pytest.raises(px.ArgumentError, match=r"q: expected shape \(\.\.\., 2\), found \(3,\)"):
        pj.mass_matrix(robot, np.zeros(3))
    with pytest.raises(px.ArgumentError, match="x: expected real numbers, found dtype complex"):
        fn(np.zeros(2, complex), 0.0)
    with pytest.raises(px.ArgumentError, match="do not broadcast together: x .3,., k .2,."):
        fn(np.zeros((3, 2)), np.zeros(2))
    with pytest.raises(px.ArgumentError, match="missing k; it takes"):
        fn(np.zeros(2))
    with pytest.raises(px.ArgumentError, match="robot: expected a Robot"):
        pj.mass_matrix(np.zeros(2), np.zeros(2))
    with pytest.raises(px.ArgumentError, match="does not support out"):
        pj.mass_matrix(robot, np.zeros(2), out=np.zeros((2, 2)))


@pytest.mark.parametrize("transformed", [jax.jit, jax.jacfwd, jax.jacrev, jax.vmap])
def test_functions_for_numpy_name_those_for_jax(transformed):
    robot = px.robots.planar(2)
    for function in (
        lambda q: px.gravity_torques(robot, q),
        lambda q: px.simulate(robot, q, q, dt=1e-3, steps=1).q,
    ):
        with pytest.raises(px.ArgumentError, match="use paraxis.jax, whose functions"):
            transformed(function)(np.zeros((3, 2)))


def test_jax_finds_where_a_nan_came_from(way):
    root = pj.function(px.trace(px.math.sqrt, x=()))
    jax.config.update("jax_debug_nans", True)
    try:
        with pytest.raises(FloatingPointError, match="nan"):
            root(jnp.full(2, -1.0))
    finally:
        jax.config.update("jax_debug_nans", False)


def test_without_jax_the_error_names_the_extra():
    code = "import sys; sys.modules['jax'] = None; import paraxis.jax"
    done = python(code)
    assert "MissingPackageError" in done.stderr and "pip install 'paraxis[jax]'" in done.stderr

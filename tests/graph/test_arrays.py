"""Functions of a user's own while they are traced: arrays of scalars, as NumPy has them."""

import numpy as np
import pytest

import paraxis as px
from paraxis.frameworks.functions import functions_of_robots

A = np.arange(9.0).reshape(3, 3) - 2.0
Q, QD = np.array([0.3, -0.8, 1.1]), np.array([0.9, 0.2, -0.4])


def filled(q):
    array = np.zeros(3, dtype=object)
    array[1:] = q[:2]
    array *= 2
    return array


# Each is called with numbers too, which says what it means.
EXPRESSIONS = {
    "2 * q": lambda q, qd: 2 * q,
    "q + qd": lambda q, qd: q + qd,
    "q * list": lambda q, qd: q * [1, 2, 3],
    "-q / qd": lambda q, qd: -q / qd,
    "np.select": lambda q, qd: np.select([q > 1.0, q > qd], [q, -q], qd),
    "np.stack of both": lambda q, qd: np.tanh(np.stack([q[0], 0.5])),
    "q ** 2": lambda q, qd: q**2,
    "q ** 2.0": lambda q, qd: q**2.0 + np.power(qd, 3.0) + q[0] ** np.int64(2),
    "q[0] ** array": lambda q, qd: q[0] ** np.array([0, 1, 2]),
    "abs": lambda q, qd: abs(q) - np.abs(qd),
    "@": lambda q, qd: A @ q + q @ A,
    "np.dot": lambda q, qd: np.dot(q, qd),
    "broadcasting": lambda q, qd: q[:, None] * qd - np.float64(2.0),
    "slices": lambda q, qd: q[1:] - qd[::-1][:2],
    "index arrays": lambda q, qd: q[[2, 0]],
    "np.linalg.norm": lambda q, qd: np.linalg.norm(q - qd),
    "norms of rows": lambda q, qd: np.linalg.norm(np.stack([q, qd]), axis=1),
    "norm of a matrix": lambda q, qd: np.linalg.norm(np.outer(q, qd)),
    "sums": lambda q, qd: [q.sum(), np.sum(qd), sum(q), q.mean(), np.prod(qd)],
    "np.cumsum, np.diff": lambda q, qd: np.concatenate([np.cumsum(q), np.diff(qd)]),
    "np.stack": lambda q, qd: np.stack([q, qd, [1.0, 2.0, 3.0]]),
    "np.concatenate": lambda q, qd: np.concatenate([q, [7.0], qd]).reshape(7, 1),
    "np.block": lambda q, qd: np.block([np.outer(q, qd), np.eye(3)]),
    "np.cross": lambda q, qd: np.cross(q, qd),
    "np.einsum": lambda q, qd: np.einsum("ij,j,k->ik", A, q, qd),
    "np.kron, np.trace, .T": lambda q, qd: np.trace(np.kron(q[:, None], qd).T[:3]),
    "np.sin": lambda q, qd: np.sin(q) + np.cos(qd) * np.sin(q[0]),
    "np.sqrt": lambda q, qd: np.sqrt(np.square(q)),
    "np.arctan2": lambda q, qd: np.arctan2(q, qd),
    "np.rint": lambda q, qd: np.rint(q),
    "np.zeros of objects": lambda q, qd: filled(q),
    "an array of both": lambda q, qd: np.array([q[0], 1.0, qd[2]]),
    "px.math.sin of a list": lambda q, qd: px.math.sin([q[0], 1.0, [0.5][0]]),
    "px.math.sin of lists": lambda q, qd: px.math.sin([[q[0], 1.0], [qd[1], q[2]]]),
    "px.math.cos of an array of both": lambda q, qd: px.math.cos(np.array([q[0], 1.0])),
    "px.math.sqrt of an array": lambda q, qd: px.math.sqrt(q * q),
    "px.math.atan2 of lists": lambda q, qd: px.math.atan2([q[0], 1.0], qd[:2]),
    "px.math.minimum": lambda q, qd: px.math.minimum(px.math.maximum(q, [0.2, -0.3, 0.4]), 0.6),
    "px.math.select": lambda q, qd: px.math.select(px.math.less(q, qd), q, [1.0, 2.0, 3.0]),
    "px.math.sign of a list": lambda q, qd: px.math.sign([q[0], -2.0, q[1]]),
    "np.exp": lambda q, qd: np.exp(q) + np.exp(qd[0]),
    "np.log": lambda q, qd: np.log(q * q),
    "np.tan": lambda q, qd: np.tan(q),
    "np.tanh": lambda q, qd: np.tanh(q),
    "np.arcsin": lambda q, qd: np.arcsin(q[:2]),
    "np.arccos": lambda q, qd: np.arccos(qd),
    "np.arctan": lambda q, qd: np.arctan(q),
    "np.arctan2 of a number": lambda q, qd: np.arctan2(1.0, qd[2]),
    "np.floor, ceil, trunc": lambda q, qd: [np.floor(3 * q), np.ceil(3 * q), np.trunc(3 * q)],
    "np.fmod": lambda q, qd: np.fmod(3 * q, qd),
    "np.mod": lambda q, qd: [np.mod(3 * q, qd), 3 * q % qd, 2.0 % qd],
    "//": lambda q, qd: [3 * q // qd, np.floor_divide(2.0, qd), *np.divmod(q, qd)],
    "comparisons": lambda q, qd: [q > 0, q >= qd, q < 1, q <= qd, q == 0.3, q != qd],
    "np.logical_and": lambda q, qd: np.logical_and(q > 0, np.logical_not(qd < 0.5)),
    "&, |, ~": lambda q, qd: (q > 0) & (qd > 0) | ~(q < 1),
    "np.where": lambda q, qd: np.where(q > 0, q, qd - 1.0),
    "np.where of a mask": lambda q, qd: np.where([True, False, True], q, 0.0),
    "np.where of scalars": lambda q, qd: np.where(q[0] > qd[0], q[1], 2.0) + q,
    "np.maximum": lambda q, qd: np.maximum(q, 0.0) - np.minimum(0.5, qd) + np.maximum(q[0], 2.0),
    "np.clip": lambda q, qd: np.clip(q, -0.5, qd) + q.clip(max=0.1) + np.clip(qd[0], 0.0, 0.5),
    "np.sign": lambda q, qd: np.sign(q) - np.fabs(qd),
    "extremes": lambda q, qd: [q.max(), np.min(qd), np.stack([q, qd]).max()],
    "extremes of rows": lambda q, qd: np.stack([q, qd]).max(axis=1, keepdims=True),
    "np.all, np.any": lambda q, qd: np.where(np.all(q < 2), 1.0, 2.0) + np.any(q > 5),
    "np.linalg.solve": lambda q, qd: np.linalg.solve(np.outer(q, qd) + np.eye(3), q),
    "np.linalg.inv": lambda q, qd: np.linalg.inv(np.outer(q, qd) + np.diag(q)),
    "numbers of NumPy": lambda q, qd: np.float64(2) * q[0] - q[1] / np.float64(3) + np.int64(1),
    "entries of both": lambda q, qd: np.exp(np.concatenate([q, [1.0]])),
    "assignment by a mask": lambda q, qd: placed(q * 1, np.array([True, False, True])),
}


def placed(array, mask):
    array[mask] = 7.0
    return array


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_arrays_of_traced_scalars_are_computed_with_as_arrays_of_numbers(name):
    function = EXPRESSIONS[name]
    found, expected = px.trace(function, q=3, qd=3).evaluate(q=Q, qd=QD), function(Q, QD)
    assert found.shape == np.shape(expected)
    assert abs(found - np.asarray(expected, float)).max() < 1e-15 * 8


def test_inputs_and_outputs_of_any_shape():
    def function(M, v, k):
        assert M.shape == (2, 3) and v.shape == (3,) and np.shape(k) == ()
        return {"matrix": M * k, "vector": M @ v, "number": k * v.sum(), "nested": [[k], [1.0]]}

    program = px.trace(function, M=(2, 3), v=3, k=())
    assert program.outputs == {"matrix": (2, 3), "vector": (2,), "number": (), "nested": (2, 1)}
    M = np.arange(6.0).reshape(2, 3)
    assert (program.evaluate(M=M, v=[1, 2, 3], k=2.0)["vector"] == M @ [1, 2, 3]).all()


def test_functions_of_robots_take_and_return_arrays():
    robot = px.robots.planar(2)

    def torques(q, qd):
        M = px.mass_matrix(robot, [q[0], q[1]])  # of a list, too
        pose = px.forward_kinematics(robot, q)
        return M @ (2 * qd) + px.bias_forces(robot, q, qd) + pose[:2, 3]

    q, qd = Q[:2], QD[:2]
    found, expected = px.trace(torques, q=2, qd=2).evaluate(q=q, qd=qd), torques(q, qd)
    assert abs(found - expected).max() < 1e-14


def loaded(q, mass, com, wrench):
    robot = px.robots.planar(2)
    push = px.external_force(robot, q, wrench) + px.external_force(
        robot, q, [0.0, 0.1, 0.2, *com], coordinates="body"
    )
    held = px.payload(robot, mass, com)
    return px.inverse_dynamics(robot, q, 2 * q, 3 * q, external_force=push, **held)


def test_payloads_and_pushes_inside_a_trace():
    given = {"q": Q[:2], "mass": 1.5, "com": QD, "wrench": np.arange(6.0)}
    program = px.trace(loaded, q=2, mass=(), com=3, wrench=6)
    assert abs(program.evaluate(**given) - loaded(**given)).max() < 1e-13
    assert np.isnan(program.evaluate(**given | {"mass": -1.0})).all()
    with pytest.raises(px.ArgumentError, match="com: expected 3 scalars, found 2"):
        px.trace(lambda m: px.payload(px.robots.planar(2), m, [1.0, 2.0])["mass"], m=())


def test_payloads_and_pushes_for_other_frameworks():
    """What jax/ and torch/ share, with NumPy as the framework."""
    robot = px.robots.planar(2)
    theirs = functions_of_robots("numpy", lambda program: program.compile())
    q, wrench = np.stack([Q[:2], QD[:2]]), np.arange(6.0)
    for name, given, options in (
        ("payload", (np.array([0.5, 2.0]),), {"com": (0.1, 0.2, 0.3)}),
        ("payload", (2.0,), {"frame": robot.frame_names[1]}),
        ("external_force", (q, wrench), {}),
        ("external_force", (q, wrench, robot.frame_names[1], "body"), {}),
    ):
        expected = getattr(px, name)(robot, *given, **options)
        found = theirs[name](robot, *given, **options)
        if name == "external_force":
            found, expected = {name: found}, {name: expected}
        assert found.keys() == expected.keys()
        assert all(np.array_equal(found[key], expected[key]) for key in found)
    assert theirs["payload"].__name__ == "payload"
    with pytest.raises(px.ArgumentError, match="coordinates: expected one of"):
        theirs["external_force"](robot, q, wrench, coordinates="moon")


def test_marks_of_arrays():
    program = px.trace(lambda q: px.math.mark("twice", 0, 2 * q).sum(), q=3).with_marks("twice")
    assert (program.evaluate(q=Q)["twice.0"] == 2 * Q).all()


REFUSED = {
    "if": (lambda q: q if q[0] > 0 else -q, r"px.math.select\(.* instead of `if`"),
    "and": (lambda q: q[0] > 0 and q[1] > 0, r"px.math.logical_and.* instead of `and`"),
    "np.array": (lambda q: np.array([q[0], 1.0]) > 0, r"px.math.less,.*that np.array made"),
    "q[q > 0]": (lambda q: q[q > 0], "px.math.select"),
    "q[q > 0] = 0": (lambda q: q.__setitem__(q > 0, 0.0), "px.math.select"),
    "np.where alone": (lambda q: np.where(q > 0), "px.math.select"),
    "np.sort": (lambda q: np.sort(q), "px.math.minimum"),
    "==": (lambda q: q[0] == 0, "px.math.equal"),
    "np.zeros": (lambda q: np.zeros(3).__setitem__(0, q[0]), r"np.zeros\(n, dtype=object\)"),
    "np.sinh": (lambda q: np.sinh(q), r"np.sinh: a Program has no such .*; write \(px.math.exp"),
    "np.log10": (lambda q: np.log10(np.array([q[0], q[1]])), r"write px.math.log\(x\) / np.log"),
    "np.hypot": (lambda q: np.hypot(q, 1.0), r"np.hypot: .* write px.math.sqrt\(x \* x"),
    "np.isnan": (lambda q: np.isnan(q), r"np.isnan: .* write px.math.logical_not"),
    "np.interp": (lambda q: np.interp(q, [0, 1], [0, 1]), "np.interp .* px.math.select"),
    "np.nan_to_num": (lambda q: np.nan_to_num(q), "np.nan_to_num .* px.math.select"),
    "np.tanh of both": (lambda q: np.tanh(np.array([q[0], 0.5])), "px.math.tanh, .* np.stack"),
    "np.arctan2 of both": (lambda q: np.arctan2([q[0], 0.5], 1.0), "px.math.atan2, .* np.stack"),
    "q ** 0.5": (lambda q: q**0.5, r"px.math.sqrt\(x\), .* px.math.exp\(exponent"),
    "np.linalg.det": (lambda q: np.linalg.det(np.outer(q, q)), r"np.linalg.det .* px.math.solve"),
    "& of numbers": (lambda q: q & 1.0, r"expected conditions, .* px.math.logical_and"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_arrays_of_traced_scalars_cannot_do_says_what_to_write(name):
    function, message = REFUSED[name]
    with pytest.raises(px.TraceError, match=message):
        px.trace(function, q=3)


@pytest.mark.parametrize(
    "name", ["self", "out", "robot", "function", "arrays", "threads", "dtype", "steps", "name"]
)
def test_an_argument_may_have_any_name(name):
    program = px.trace(lambda x, **given: 2 * given[name] - x, **{"x": 2, name: 2})
    x, y = np.array([0.5, 1.0]), np.array([3.0, 4.0])
    expected, out = 2 * y - x, np.empty(2)
    kernel = program.compile()
    assert (program.evaluate(**{"x": x, name: y}) == expected).all()
    for batch in (x, np.stack([x, x])):  # the short way, and the general one
        assert (kernel(x=batch, **{name: y}) == expected).all()
        assert (kernel(batch, **{name: y}) == expected).all()
        assert (kernel(batch, y) == expected).all()
    assert kernel(x, y, out=out) is out and (out == expected).all()


def test_names_that_a_loop_has_arguments_of():
    program = px.trace(lambda steps, self: {"next": steps + self}, steps=2, self=2)
    with pytest.raises(px.ArgumentError, match="input 'steps': rename it"):
        program.compile_iterate({"steps": "next"})
    program = px.trace(lambda x, self: {"next": x + self}, x=2, self=2)
    carried, _ = program.compile_iterate({"x": "next"})(steps=3, x=[0.0, 1.0], self=[1.0, 2.0])
    assert carried["x"].tolist() == [3.0, 7.0]

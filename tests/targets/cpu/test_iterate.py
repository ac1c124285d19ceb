"""The `iterate` driver against the interpreter, repeated by a loop in Python.

First what the arrays of a body may do: carried, held, streamed, recorded, done. Then what a batch
may look like; what must not matter (place, threads, pieces); bodies too long for one function; and
what is refused.
"""

import tracemalloc
from functools import cache

import numpy as np
import pytest
from support.bits import same_bits

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.targets.cpu import iterate as iterate_kernel
from paraxis.targets.cpu.text.job import MOST_STACK
from paraxis.targets.cpu.text.lanes import Lanes

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
WIDTHS = {"float64": (2, 4, 8), "float32": (4, 8, 16)}
ELEMENT = {"float64": "double", "float32": "float"}


# -- bodies ----------------------------------------------------------------------------------------


def spring(x, v, push, stiffness, dt):
    """Two coupled springs: everything a body can have, and an output that is not carried."""
    force = [push[0] - stiffness[0] * x[0], push[1] - stiffness[1] * (x[1] - x[0])]
    v = [v[0] + dt * force[0], v[1] + dt * force[1]]
    x = [x[0] + dt * v[0], x[1] + dt * v[1]]
    return {"v_next": v, "x_next": x, "energy": v[0] * v[0] + v[1] * v[1]}


SHAPES = {"x": (2,), "v": (2,), "push": (2,), "stiffness": (2,), "dt": ()}
CARRY = {"x": "x_next", "v": "v_next"}


@cache
def springs():
    return px.trace(spring, **SHAPES)


@cache
def loop(dtype="float64", threads=None):
    return springs().compile_iterate(
        CARRY, per_step=("push",), record=("x", "energy"), dtype=dtype, threads=threads
    )


def arrays(steps, *batch, seed=0, dtype="float64"):
    """Values for the springs, all of the whole batch."""
    rng = np.random.default_rng(seed)
    found = {name: rng.normal(size=(*batch, *shape)) for name, shape in SHAPES.items()}
    found["push"] = rng.normal(size=(steps, *batch, 2))
    found["dt"] = rng.uniform(0.01, 0.1, batch)
    return {name: np.asarray(value, dtype) for name, value in found.items()}


def repeated(program, carry, steps, every, arrays, per_step=(), record=()):
    """What a loop means: the interpreter, again and again."""
    now, records = dict(arrays), {name: [] for name in record}
    for step in range(steps):
        given = now | {name: arrays[name][step] for name in per_step}
        result = program.evaluate(**given)
        now |= {name: result[output] for name, output in carry.items()}
        if (step + 1) % every == 0:
            for name in record:
                records[name].append(now[name] if name in carry else result[name])
    return {name: now[name] for name in carry}, records


def expected(steps, every, arrays):
    return repeated(springs(), CARRY, steps, every, arrays, ("push",), ("x", "energy"))


def close(found, reference, tolerance):
    found, reference = np.asarray(found), np.asarray(reference)
    assert found.shape == reference.shape
    return (abs(found - reference) <= tolerance * np.maximum(1, abs(reference))).all()


def all_same_bits(a, b):
    return a.keys() == b.keys() and all(same_bits(a[name], b[name]) for name in a)


# -- against the interpreter -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("every", (1, 3, 4, 12, 13))
def test_it_is_the_interpreter_repeated(every, dtype):
    given = arrays(12, 21, dtype=dtype)
    final, records = expected(12, every, given)
    found, recorded = loop(dtype)(12, every, **given)
    for name in CARRY:
        assert found[name].dtype == dtype
        assert close(found[name], final[name], TOLERANCE[dtype])
    for name, each in records.items():
        assert recorded[name].shape[0] == 12 // every
        if each:
            assert close(recorded[name], each, TOLERANCE[dtype])


BATCHES = ((), (0,), (1,), (7,), (8,), (9,), (17,), (3, 5), (2, 0, 3), (2, 1, 4), (1, 1))


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_batches_of_any_shape(batch):
    given = arrays(5, *batch)
    final, records = expected(5, 1, given)
    found, recorded = loop()(5, **given)
    for name in CARRY:
        assert close(found[name], final[name], 1e-12)
    for name in records:
        assert close(recorded[name], records[name], 1e-12)


def test_arrays_broadcast():
    """Each array brings some of the axes of the batch, or none, in any strides and dtypes."""
    full = arrays(6, 3, 5)
    given = full | {
        "x": full["x"][0],
        "v": full["v"][:, :1].astype("float32"),
        "push": full["push"][:, :, :1],
        "stiffness": [2, 3],
        "dt": np.asfortranarray(full["dt"])[:, ::-1],
    }
    whole = {name: np.asarray(value, float) for name, value in given.items()}
    final, records = expected(6, 2, whole | {"push": given["push"]})
    found, recorded = loop()(6, 2, **given)
    assert found["x"].shape == (3, 5, 2)
    for name in CARRY:
        assert close(found[name], final[name], 1e-12)
    for name in records:
        assert close(recorded[name], records[name], 1e-12)
    only = given | {"push": full["push"][:, 0, 0]}  # the same for all: the steps are its only axis
    wide = only | {"push": np.broadcast_to(only["push"][:, None, None], (6, 3, 5, 2))}
    assert all_same_bits(loop()(6, **only)[0], loop()(6, **wide)[0])


def test_no_steps():
    given = arrays(0, 4)
    found, recorded = loop()(0, **given)
    assert all(same_bits(found[name], given[name]) for name in CARRY)
    assert recorded["x"].shape == (0, 4, 2) and recorded["energy"].shape == (0, 4)


def test_what_was_given_is_not_written():
    given = arrays(3, 9)
    before = {name: array.copy() for name, array in given.items()}
    loop()(3, **given)
    assert all_same_bits(given, before)


def test_records_go_where_they_are_asked_to():
    given = arrays(6, 4)
    out = {"x": np.full((3, 4, 2), np.nan), "energy": np.full((3, 4), np.nan)}
    iteration = loop().start(6, 2, out, **given).advance()
    assert iteration.records["x"] is out["x"] and iteration.records["energy"] is out["energy"]
    assert all_same_bits(out, loop()(6, 2, **given)[1])


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_arrays_in_reverse_order(batch):
    """Read and written from their end, where they are."""
    given = arrays(6, *batch)
    final, records = loop()(6, 2, **given)
    turned = given | {"push": np.ascontiguousarray(given["push"][::-1])[::-1]}
    own = {name: np.full_like(array, np.nan) for name, array in records.items()}
    iteration = loop().start(6, 2, {name: array[::-1] for name, array in own.items()}, **turned)
    for _ in range(3):
        iteration.advance(2)
    assert all_same_bits(iteration.state, final)
    assert all_same_bits({name: array[::-1] for name, array in own.items()}, records)


def test_records_are_not_copied():
    """A record of 16 MB, given or made, is all the memory that a run takes."""
    states, steps = 1000, 1000
    given = arrays(steps, 1) | {"x": np.zeros((states, 2))}
    plain = springs().compile_iterate(CARRY, per_step=("push",), record=("x",))
    out = {"x": np.empty((steps, states, 2))}
    plain.start(steps, 1, out, **given).advance()  # so that threads are there
    for place, most in ((out, 1e6), (None, out["x"].nbytes + 1e6)):
        tracemalloc.start()
        plain.start(steps, 1, place, **given).advance()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < most
    turned = given | {"push": np.zeros((steps, states, 2))[::-1]}  # nor are these 16 MB
    tracemalloc.start()
    plain.start(steps, 1, {"x": out["x"][::-1]}, **turned).advance()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6


def test_names_of_inputs_and_outputs_may_be_the_same():
    """Swapped names, and a held input beside an output that is called like it."""

    def step(x, y, z):
        return {"x": y * 0.5 + z, "y": x + 1.0, "z": x - y}

    program = px.trace(step, x=(), y=(), z=())
    for carry in ({"x": "y", "y": "x"}, {"x": "x", "y": "y"}, {"x": "z"}):
        given = {"x": np.arange(5.0), "y": np.ones(5), "z": np.full(5, 3.0)}
        record = ("x", "z")
        found, recorded = program.compile_iterate(carry, record=record)(4, **given)
        final, records = repeated(program, carry, 4, 1, given, record=record)
        assert all((found[name] == final[name]).all() for name in carry), carry
        assert all((recorded[name] == records[name]).all() for name in record), carry


def test_a_robot():
    robot = px.load("puma560")

    def step(q, qd, tau, dt):
        qdd = px.forward_dynamics(robot, q, qd, tau)
        qd = [rate + dt * each for rate, each in zip(qd, qdd, strict=True)]
        q = [angle + dt * rate for angle, rate in zip(q, qd, strict=True)]
        return {"q_next": q, "qd_next": qd}

    program = px.trace(step, q=6, qd=6, tau=6, dt=())
    rng = np.random.default_rng(0)
    given = {"q": rng.normal(size=(11, 6)), "qd": rng.normal(size=(11, 6))}
    given |= {"tau": rng.normal(size=(8, 11, 6)), "dt": 1e-3}
    carry = {"q": "q_next", "qd": "qd_next"}
    found, _ = program.compile_iterate(carry, per_step=("tau",))(8, **given)
    final, _ = repeated(program, carry, 8, 1, given, per_step=("tau",))
    assert all(close(found[name], final[name], 1e-11) for name in carry)


# -- what must not matter --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTHS)
def test_every_number_of_lanes_gives_the_same_bits(dtype):
    given = arrays(9, 37, dtype=dtype)
    results = []
    for count in WIDTHS[dtype]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(iterate_kernel, "lanes_of", lambda _, n=count: Lanes(ELEMENT[dtype], n))
            own = springs().compile_iterate(
                CARRY, per_step=("push",), record=("x", "energy"), dtype=dtype
            )
        assert own.lanes == count
        results.append(own(9, 2, **given))
    for final, records in results[1:]:
        assert all_same_bits(final, results[0][0])
        assert all_same_bits(records, results[0][1])


def test_a_state_gives_the_same_bits_anywhere_in_a_batch():
    given = arrays(6, 29)
    final, records = loop()(6, **given)
    for k in (0, 7, 8, 28):
        alone = {name: a[:, k] if name == "push" else a[k] for name, a in given.items()}
        own, own_records = loop()(6, **alone)
        assert all(same_bits(own[name], final[name][k]) for name in CARRY)
        assert all(same_bits(own_records[x], records[x][:, k].copy()) for x in records)


def test_threads_do_not_matter():
    given = arrays(300, 3000)
    one, one_records = loop(threads=1)(300, 100, **given)
    two, two_records = loop(threads=2)(300, 100, **given)
    assert all_same_bits(one, two) and all_same_bits(one_records, two_records)


@pytest.mark.parametrize(
    "every, pieces",
    [(1, (1, 3, 9)), (2, (3, 8, 1, 1)), (5, (5, 5, 3)), (5, (2, 9, 1, 1)), (20, (6, 7))],
)
def test_pieces_make_the_whole(every, pieces):
    given = arrays(13, 11)
    final, records = loop()(13, every, **given)
    iteration = loop().start(13, every, **given)
    for piece in pieces:
        before = iteration.done
        iteration.advance(piece)
        assert iteration.done == before + piece
        done = iteration.done // every
        assert all_same_bits(iteration.recorded, {x: a[:done] for x, a in records.items()})
    assert iteration.over
    assert all_same_bits(iteration.state, final) and all_same_bits(iteration.records, records)
    iteration.advance()  # nothing is left
    assert iteration.done == 13 and all_same_bits(iteration.state, final)


def test_a_piece_is_a_whole_number_of_steps():
    iteration = loop().start(12, 4, **arrays(12, 2))
    for bad in (-1, 2.5, "4", True):
        with pytest.raises(px.ArgumentError, match="steps: expected an integer"):
            iteration.advance(bad)


@pytest.mark.parametrize("value", (np.nan, np.inf))
def test_what_is_not_a_number_stays_in_its_state(value):
    given = arrays(7, 19)
    good, good_records = loop()(7, **given)
    given["x"][4, 1] = value
    bad, bad_records = loop()(7, **given)
    others = np.arange(19) != 4
    assert not np.isfinite(bad["x"][4, 1])
    for name in CARRY:
        assert same_bits(bad[name][others], good[name][others])
    for name in good_records:
        assert same_bits(bad_records[name][:, others], good_records[name][:, others])


# -- until -----------------------------------------------------------------------------------------


def growth(x, rate, limit):
    """Goes on growing if nobody stops it."""
    x = x * rate
    return {"x_next": x, "big": px.math.less(limit, x)}


@cache
def grow(threads=None):
    program = px.trace(growth, x=(), rate=(), limit=())
    return program.compile_iterate({"x": "x_next"}, until="big", threads=threads)


def grown(x, rate, limit, steps):
    """One state, by hand."""
    for _ in range(steps):
        x *= rate
        if x > limit:
            break
    return x


@pytest.mark.parametrize("batch", ((), (1,), (0,), (5,), (8,), (37,), (3, 7)), ids=str)
@pytest.mark.parametrize("steps", (0, 1, 2, 10, 5000))
def test_a_state_that_is_done_keeps_what_it_has(steps, batch):
    rate = np.random.default_rng(3).uniform(1.001, 3, batch)
    iteration = grow().start(steps, x=np.ones(batch), rate=rate, limit=100.0).advance()
    by_hand = np.reshape([grown(1.0, r, 100.0, steps) for r in rate.flat], batch)
    assert same_bits(iteration.state["x"], by_hand)
    assert (iteration.finished == (by_hand > 100)).all() and iteration.finished.shape == batch


def test_neighbours_that_are_done_later_do_not_matter():
    slow = np.full(8, 1.0001)
    for place in range(8):
        rate = slow.copy()
        rate[place] = 2.0
        final, _ = grow()(100_000, x=np.ones(8), rate=rate, limit=1e3)
        assert final["x"][place] == 1024.0
    assert (final["x"][:7] == grown(1.0, 1.0001, 1e3, 100_000)).all()


@pytest.mark.parametrize("piece", (1, 7, 64))
def test_pieces_make_the_whole_when_states_are_done(piece):
    given = {"x": np.ones(21), "rate": np.linspace(1.01, 4, 21), "limit": 50.0}
    iteration = grow().start(1000, **given)
    while not iteration.over:
        iteration.advance(piece)
    assert iteration.done < 1000
    assert all_same_bits(iteration.state, grow()(1000, **given)[0])


def test_done_at_two_threads():
    given = {"x": np.ones(5001), "rate": np.linspace(1.0001, 4, 5001), "limit": 50.0}
    assert all_same_bits(grow(1)(10_000, **given)[0], grow(2)(10_000, **given)[0])


def test_a_state_that_is_no_number_is_done_only_if_it_says_so():
    given = {"x": np.array([1.0, np.nan, 1.0]), "rate": 1.5, "limit": 10.0}
    iteration = grow().start(50, **given).advance()
    assert iteration.finished.tolist() == [True, False, True]  # NaN is not beyond the limit
    assert np.isnan(iteration.state["x"][1]) and iteration.state["x"][0] == 1.5**6
    program = px.trace(lambda x, s: {"n": x + 1.0, "stop": s}, x=(), s=())
    stop = program.compile_iterate({"x": "n"}, until="stop").start(9, x=0.0, s=[0.0, np.nan, -1.0])
    assert stop.advance().state["x"].tolist() == [9.0, 1.0, 1.0]  # NaN is not zero


# -- long bodies -----------------------------------------------------------------------------------


def long_body(entries):
    """Keeps many values from its beginning to its end: several functions, a large frame."""

    def step(x, a):
        early = [px.math.sin(x[k]) + a * x[k - 1] for k in range(entries)]
        total = 0.0
        for value in early:
            total = (total + value) * 0.5
        return {"x_next": [e * 0.5 + total * 0.1 for e in early], "total": total}

    return px.trace(step, x=entries, a=())


@pytest.mark.long
@pytest.mark.parametrize("until", (None, "total"))
def test_a_body_of_several_functions_with_a_frame_on_the_heap(until):
    program = long_body(1500)
    assert MOST_STACK < 1500 * 8 * 8
    record = () if until else ("total",)
    compiled = program.compile_iterate({"x": "x_next"}, record=record, until=until)
    given = {"x": np.random.default_rng(0).normal(size=(11, 1500)), "a": np.linspace(0, 0.5, 11)}
    steps = 1 if until else 3
    final, records = repeated(program, {"x": "x_next"}, steps, 1, given, record=record)
    found, recorded = compiled(3, **given)  # with `until` the first step is the last
    assert close(found["x"], final["x"], 1e-12)
    assert all(close(recorded[name], records[name], 1e-12) for name in record)


# -- what is refused -------------------------------------------------------------------------------

INPUTS, OUTPUTS = {"x": (2,), "u": (2,)}, {"x_next": (2,), "y": (), "w": (3,)}
BAD_PLANS = {
    "no carry": ({}, {}, r"carry: expected a dict .* at least one entry, found \{\}"),
    "not a dict": (["x"], {}, r"carry: expected a dict .* found \['x'\]"),
    "unknown input": ({"z": "x_next"}, {}, r"carry: expected one of 'x', 'u', found 'z'"),
    "unknown output": ({"x": "z"}, {}, r"carry of x: expected one of 'x_next', .* found 'z'"),
    "shapes": ({"x": "w"}, {}, r"x has shape \(2,\), but w, which becomes it, has shape \(3,\)"),
    "one for two": ({"x": "x_next", "u": "x_next"}, {}, "cannot be carried from the same output"),
    "stream unknown": ({"x": "x_next"}, {"per_step": ("z",)}, "per_step: expected one of"),
    "stream carried": ({"x": "x_next"}, {"per_step": ("x",)}, "per_step: x is in carry"),
    "stream twice": (
        {"x": "x_next"},
        {"per_step": ("u", "u")},
        "per_step: expected each name once",
    ),
    "record unknown": ({"x": "x_next"}, {"record": ("z",)}, "record: expected one of"),
    "record held": ({"x": "x_next"}, {"record": ("u",)}, "record: expected one of"),
    "record twice": ({"x": "x_next"}, {"record": ("y", "y")}, "record: expected each name once"),
    "until unknown": ({"x": "x_next"}, {"until": "z"}, "until: expected one of"),
    "until many": ({"x": "x_next"}, {"until": "w"}, r"a scalar output, found w of shape \(3,\)"),
    "until records": (
        {"x": "x_next"},
        {"until": "y", "record": ("x",)},
        "combined with record",
    ),
    "until streams": ({"x": "x_next"}, {"until": "y", "per_step": ("u",)}, "different steps"),
}


@pytest.mark.parametrize("case", BAD_PLANS)
def test_plans_that_make_no_sense(case):
    carry, options, message = BAD_PLANS[case]
    with pytest.raises(px.ArgumentError, match=message):
        Plan(INPUTS, OUTPUTS, carry, **options)


BAD_CALLS = {
    "negative steps": ({"steps": -1}, "steps: expected an integer >= 0, found -1"),
    "half a step": ({"steps": 2.5}, "steps: expected an integer >= 0, found 2.5"),
    "every of 0": ({"every": 0}, "every: expected an integer >= 1, found 0"),
    "missing": ({"x": ...}, "missing x; it takes"),
    "unknown": ({"z": 1.0}, "expected the arrays .*, found 'z'"),
    "entries": ({"x": np.zeros(3)}, r"x: expected shape \(\.\.\., 2\), found \(3,\)"),
    "text": ({"x": ["a", "b"]}, "x: expected real numbers"),
    "too few steps": ({"push": np.zeros((4, 2))}, r"push: expected shape \(5, \.\.\., 2\)"),
    "no steps axis": ({"push": np.zeros(2)}, "push: expected shape .* one value per step"),
    "batches": ({"x": np.zeros((3, 2)), "v": np.zeros((4, 2))}, "do not broadcast together: x"),
    "out of list": ({"out": []}, "out: expected a dict with arrays for .*, found list"),
    "out of one": ({"out": {"x": np.zeros((5, 2))}}, r"out: expected a dict .* found \('x',\)"),
    "out's shape": ({"out": {"x": np.zeros((5, 3)), "energy": np.zeros(5)}}, r"found .*\(5, 3\)"),
    "out's dtype": (
        {"out": {"x": np.zeros((5, 2), "float32"), "energy": np.zeros(5)}},
        r"out \(x\): expected a contiguous array of float64 .* found float32",
    ),
    "out of text": ({"out": {"x": "x", "energy": np.zeros(5)}}, "found str"),
    "out's strides": (
        {"out": {"x": np.zeros((5, 4))[:, ::2], "energy": np.zeros(5)}},
        "found one that is strided",
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_calls_that_make_no_sense(case):
    changed, message = BAD_CALLS[case]
    given = arrays(5) | {"steps": 5} | changed
    with pytest.raises(px.ArgumentError, match=message):
        loop().start(**{name: value for name, value in given.items() if value is not ...})


def test_a_loop_says_what_it_is():
    assert "carrying x[2], v[2], float64" in repr(loop())

"""Steps of several stages on the CPU, against the interpreter and against each other."""

from functools import cache

import numpy as np
import pytest
from support.bits import same_bits
from support.stages import random_row, repeated, solving, systems, values_for

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.drivers.row import Row, Stage
from paraxis.targets.cpu import iterate as iterate_kernel
from paraxis.targets.cpu.text import body as body_text
from paraxis.targets.cpu.text.lanes import Lanes
from paraxis.targets.target import CPU


def close(found, reference, tolerance=1e-12):
    found, reference = np.asarray(found), np.asarray(reference)
    assert found.shape == reference.shape
    return (abs(found - reference) <= tolerance * np.maximum(1, abs(reference))).all()


def agree(row, plan, steps, every, given, dtype="float64", tolerance=1e-12):
    final, records = repeated(row, plan, steps, every, given)
    found, recorded = CPU.iterate(row, plan, dtype)(steps, every, **given)
    assert found.keys() == final.keys() and recorded.keys() == records.keys()
    for name, array in final.items():
        assert found[name].dtype == dtype and close(found[name], array, tolerance), name
    for name, array in records.items():
        assert close(recorded[name], array, tolerance), name


@cache
def kernel(threads=None, dtype="float64"):
    return CPU.iterate(*solving(), dtype, threads=threads)


@pytest.mark.parametrize("batch", ((), (1,), (7,), (8,), (19,), (3, 5)), ids=str)
def test_a_solver_inside_a_step(batch):
    given = systems(4, *batch)
    agree(*solving(), 4, 2, given)
    _, records = kernel()(4, **given)
    if len(records["sweeps"].flat) > 30:
        assert len(np.unique(records["sweeps"])) > 5  # states stop one after another
    least = given["tolerance"] > records["left"]
    assert (least | (records["sweeps"] == 30)).all()


def test_in_single_precision():
    """With a fixed number of sweeps: when they converge is a matter of rounding."""
    agree(*solving(6, None), 3, 1, systems(3, 21), "float32", 1e-5)
    given = systems(3, 21) | {"tolerance": np.logspace(-4, 0, 21)}
    _, records = kernel(dtype="float32")(3, **given)
    assert (records["left"] < given["tolerance"]).all()
    assert len(np.unique(records["sweeps"])) > 3


def test_a_state_gives_the_same_bits_anywhere():
    """Whatever its neighbours, which stop sooner or later, and however many lanes there are."""
    given = systems(3, 29)
    final, records = kernel()(3, **given)
    for k in (0, 7, 8, 28):
        own = {x: a[:, k] if x == "push" else a[k] if a.ndim else a for x, a in given.items()}
        alone, alone_records = kernel()(3, **own)
        assert all(same_bits(alone[name], final[name][k]) for name in alone)
        assert all(same_bits(alone_records[x], records[x][:, k].copy()) for x in records)
    for count in (2, 4):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(iterate_kernel, "lanes_of", lambda _, n=count: Lanes("double", n))
            narrow = CPU.iterate(*solving())
        assert narrow.lanes == count
        for found, reference in zip(narrow(3, **given), (final, records), strict=True):
            assert all(same_bits(found[name], reference[name]) for name in reference)


def test_threads_and_pieces_do_not_matter():
    given = systems(40, 500)
    one, two = kernel(1)(40, 8, **given), kernel(2)(40, 8, **given)
    iteration = kernel(2).start(40, 8, **given)
    for piece in (3, 8, 29):
        iteration.advance(piece)
    for other in (two, (iteration.state, iteration.records)):
        for found, reference in zip(other, one, strict=True):
            assert all(same_bits(found[name], reference[name]) for name in reference)


def test_what_is_not_a_number_stays_in_its_state():
    given = systems(3, 13)
    good, _ = kernel()(3, **given)
    given["x"][4, 1] = np.nan
    bad, records = kernel()(3, **given)
    others = np.arange(13) != 4
    assert np.isnan(bad["x"][4]).all()
    assert all(same_bits(bad[name][others], good[name][others]) for name in good)
    assert (records["sweeps"][:, 4] == 30).all()  # it has not converged


@pytest.mark.parametrize("seed", range(8))
def test_random_stages(seed):
    row, plan = random_row(seed)
    agree(row, plan, 4, 2, values_for(plan, 4, 11))


def doubling(x, y):
    return {"x_new": x * 2.0, "y_new": y + 1.0, "big": px.math.less(100.0, x * 2.0)}


def after(x, y, x_new, y_new):
    return {"sum": x + y + x_new * 1000.0 + y_new * 1e6}


def two(repeat=10, carry=None, until="big"):
    pair = px.trace(doubling, x=(), y=()), px.trace(after, x=(), y=(), x_new=(), y_new=())
    carry = {"x": "x_new", "y": "y_new"} if carry is None else carry
    return Row([Stage(pair[0], repeat, carry, until), Stage(pair[1])])


def test_the_input_keeps_its_value_for_later_stages():
    row = two()
    x = np.array([1.0, 60.0, 30.0, 0.0, np.nan, 3.0])
    plan = Plan(row.inputs, row.outputs, {"x": "x_new"}, record=("sum",))
    state, records = CPU.iterate(row, plan)(1, x=x, y=0.0)
    assert state["x"].tolist()[:4] == [128.0, 120.0, 120.0, 0.0] and np.isnan(state["x"][4])
    expected = row.evaluate(x=x, y=np.zeros(6))["sum"]
    assert expected[:3].tolist() == [7128001.0, 1120060.0, 2120030.0]
    assert np.array_equal(records["sum"][0], expected, equal_nan=True)


@pytest.mark.parametrize("stage_carry", ({"x": "x_new", "y": "y_new"}, {"y": "y_new"}))
@pytest.mark.parametrize("carry", ({"x": "x_new"}, {"x": "y_new", "y": "x_new"}, {"y": "sum"}))
def test_blocks_that_are_shared_and_that_cannot_be(carry, stage_carry):
    """Also in a row that ends with what is repeated."""
    rng = np.random.default_rng(0)
    given = {"x": rng.normal(size=9), "y": rng.normal(size=9)}
    rows = [two(3, stage_carry), two(3, stage_carry, None), Row(two(1).stages)]
    rows.append(Row([*two(3, stage_carry).stages[:1]]))
    for row in rows:
        if not set(carry.values()) <= set(row.outputs):
            continue
        record = (*carry, *row.outputs) if not set(carry) & set(row.outputs) else ()
        agree(row, Plan(row.inputs, row.outputs, carry, (), record), 3, 1, given)


def test_steps_that_end_early_too():
    """States that are done keep what they have, while others still sweep."""
    row = two(3)
    plan = Plan(row.inputs, row.outputs, {"x": "x_new", "y": "y_new"}, until="big")
    given = {"x": np.linspace(0.1, 50, 21), "y": np.zeros(21)}
    iteration = CPU.iterate(row, plan).start(20, **given).advance()
    assert iteration.finished.all()
    x, y = given["x"].copy(), np.zeros(21)
    while (going := x <= 100).any():
        x, y = np.where(going, x * 2, x), np.where(going, y + 1, y)
    assert same_bits(iteration.state["x"], x) and same_bits(iteration.state["y"], y)


def test_stages_too_long_for_one_function(monkeypatch):
    """Inputs that no output overlaps are read where they are needed, and not kept in a frame."""
    row, plan = solving()
    given = systems(2, 11)
    whole, frames = CPU.iterate(row, plan), []
    define = body_text.define_steps
    monkeypatch.setattr(body_text, "MOST_LINES", 40)
    monkeypatch.setattr(
        body_text, "define_steps", lambda *given: frames.append(define(*given)) or frames[-1]
    )
    monkeypatch.setattr(
        iterate_kernel.store, "get", lambda parts, make, load, *rest: load(*make(), *rest)
    )
    cut = CPU.iterate(row, plan)
    assert frames[1] > 0 and frames[1] < 30  # less than the matrix and all else that it reads
    for found, reference in zip(cut(2, **given), whole(2, **given), strict=True):
        assert all(same_bits(found[name], reference[name]) for name in reference)


def test_repeats_are_compiled_once():
    """The code of a thousand sweeps is that of two."""
    from paraxis.drivers.row import made_row

    texts = [
        iterate_kernel.assembly_source(made_row(row), plan, Lanes("double", 8))
        for row, plan in (solving(2), solving(1000))
    ]
    assert abs(len(texts[1]) - len(texts[0])) < 10


def test_a_plan_must_fit():
    row, plan = solving()
    inputs = {name: shape for name, shape in plan.inputs.items() if name != "tolerance"}
    with pytest.raises(
        px.ArgumentError, match=r"'tolerance' is missing, which stage 2 \(sweep\) reads"
    ):
        CPU.iterate(row, Plan(inputs, plan.outputs, plan.carry))
    with pytest.raises(px.ArgumentError, match="inputs of the plan of solving: expected only"):
        CPU.iterate(row, Plan(plan.inputs | {"other": ()}, plan.outputs, plan.carry))
    with pytest.raises(px.ArgumentError, match=r"tolerance has shape \(2,\), expected \(\)"):
        CPU.iterate(row, Plan(plan.inputs | {"tolerance": (2,)}, plan.outputs, plan.carry))
    with pytest.raises(px.ArgumentError, match="outputs of the plan of solving: 'sweeps' is miss"):
        outputs = {name: shape for name, shape in plan.outputs.items() if name != "sweeps"}
        CPU.iterate(row, Plan(plan.inputs, outputs, plan.carry))
    with pytest.raises(px.ArgumentError, match="tolerance"):
        given = systems(2, 3)
        del given["tolerance"]
        kernel()(2, **given)

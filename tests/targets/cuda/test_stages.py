"""Steps of several stages as CUDA text, on its stand-in, against the interpreter and the CPU."""

import numpy as np
import pytest
from support.cuda_on_cpu import CpuDevice
from support.stages import SIZE, random_row, repeated, solving, systems, values_for

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.drivers.row import Row, Stage
from paraxis.targets.cuda.iterate import CudaIterateKernel
from paraxis.targets.target import CPU


def same(found, reference, tolerance=1e-12):
    found, reference = np.array(found), np.array(reference)
    assert found.shape == reference.shape
    assert (abs(found - reference) <= tolerance * np.maximum(1, abs(reference))).all()


def agree(row, plan, steps, every, given, dtype="float64", tolerance=1e-12):
    final, records = repeated(row, plan, steps, every, given)
    found, recorded = CudaIterateKernel(row, plan, dtype, CpuDevice())(steps, every, **given)
    assert found.keys() == final.keys() and recorded.keys() == records.keys()
    for name, array in final.items():
        same(found[name], array, tolerance)
    for name, array in records.items():
        same(recorded[name], array, tolerance)


def test_a_solver_inside_a_step():
    for batch in ((), (7,), (3, 25)):
        agree(*solving(), 4, 2, systems(4, *batch))


def test_in_single_precision():
    agree(*solving(6, None), 3, 1, systems(3, 21), "float32", 1e-5)
    given = systems(3, 21) | {"tolerance": np.logspace(-4, 0, 21)}
    there = CudaIterateKernel(*solving(), "float32", CpuDevice())
    _, records = there(3, **given)
    assert (np.array(records["left"]) < given["tolerance"]).all()
    assert len(np.unique(np.array(records["sweeps"]))) > 3


@pytest.mark.parametrize("seed", range(8))
def test_random_stages(seed):
    row, plan = random_row(seed)
    agree(row, plan, 4, 2, values_for(plan, 4, 11))


def test_many_held_inputs_are_read_again():
    """More of them than registers should hold."""
    row, plan = solving()
    wide = px.trace(
        lambda solution, weights: {"weighed": [w * solution[0] for w in weights]},
        solution=(SIZE,),
        weights=(40,),
    )
    longer = Row([*row.stages, Stage(wide)], "longer")
    plan = Plan(longer.inputs, longer.outputs, plan.carry, ("push",), ("weighed", "sweeps"))
    given = systems(3, 9) | {"weights": np.random.default_rng(0).normal(size=(9, 40))}
    assert "FORGET(weights" in CudaIterateKernel(longer, plan, on=CpuDevice()).text().text
    agree(longer, plan, 3, 1, given)


def test_steps_that_end_early_too():
    def doubling(x, y):
        return {"x_new": x * 2.0, "y_new": y + 1.0, "big": px.math.less(100.0, x * 2.0)}

    stage = Stage(px.trace(doubling, x=(), y=()), 3, {"x": "x_new", "y": "y_new"}, "big")
    row = Row([stage])
    plan = Plan(row.inputs, row.outputs, {"x": "x_new", "y": "y_new"}, until="big")
    given = {"x": np.linspace(0.1, 50, 21), "y": np.zeros(21)}
    there = CudaIterateKernel(row, plan, on=CpuDevice()).start(20, **given).advance()
    here = CPU.iterate(row, plan).start(20, **given).advance()
    for name in ("x", "y"):
        assert (np.array(there.state[name]) == here.state[name]).all()


def solved(a, b, y, n):
    y = [(b[0] - a * y[1]) * 0.5, (b[1] - a * y[0]) * 0.5]
    return {"y_new": y, "count": n + 1.0, "stop": px.math.less(y[0], 0.1)}


def moved(x, y_new, count):
    return {"x_next": x + y_new[0] * count}


def test_the_text():
    """A loop that is left early, around the statements of one repetition."""
    first = px.trace(lambda x: {"b": [x, -x]}, x=())
    middle = px.trace(solved, a=(), b=2, y=2, n=())
    last = px.trace(moved, x=(), y_new=2, count=())
    carry = {"y": "y_new", "n": "count"}
    row = Row([Stage(first), Stage(middle, 20, carry, "stop"), Stage(last)], "three")
    plan = Plan(row.inputs, row.outputs, {"x": "x_next", "y": "y_new"}, record=("count",))
    text = CudaIterateKernel(row, plan, on=CpuDevice()).text().text
    assert GOLDEN in text


GOLDEN = """
        y_new_made[0] = y_0_now;
        y_new_made[1] = y_1_now;
        count_made[0] = n_0_held;
        #pragma unroll 1
        for (int repetition = 0; repetition < 20; repetition++) {
            const double y_0_old = y_new_made[0];
            const double y_1_old = y_new_made[1];
            const double n_0_old = count_made[0];
            const double v1 = a_0_held;
            const double v7 = -v1;
            const double v5 = y_1_old;
            const double v2 = b_made[0];
            const double v8 = fma(v7, v5, v2);
            const double v10 = v8 * 0.5;
            y_new_made[0] = v10;
            const double v4 = y_0_old;
            const double v3 = b_made[1];
            const double v11 = fma(v7, v4, v3);
            const double v12 = 0.5 * v11;
            y_new_made[1] = v12;
            const double v6 = n_0_old;
            const double v13 = 1.0 + v6;
            count_made[0] = v13;
            const double v15 = v10 < 0.1;
            stop_made[0] = v15;
            if (stop_made[0] != 0) break;
        }
        y_0_next = y_new_made[0];
        y_1_next = y_new_made[1];
        if (recorded) count_record[0 * count_record_entry] = count_made[0];
        {
            const double poison0 = y_new_made[1] - y_new_made[1];
            const double v1 = y_new_made[0];
            const double v2 = count_made[0];
            const double v0 = x_0_now;
            const double v3 = fma(v1, v2, v0);
            x_0_next = v3 + poison0;
        }
        x_0_now = x_0_next;
"""

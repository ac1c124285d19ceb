"""Steps that the warps of a block share: the text is run on the CPU, with a thread for each lane,
against the thread kernel's stand-in, the CPU driver."""

import sys
from functools import cache

import numpy as np
import pytest
from support.cuda_warps import WarpDevice
from support.robots import random_robot
from support.stages import random_row, repeated, values_for

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.drivers.row import Row, Stage
from paraxis.targets.cuda import team
from paraxis.targets.cuda.iterate import CudaIterateKernel
from paraxis.targets.cuda.text.iterate import MOST_HELD

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


class TeamDevice(WarpDevice):
    most_shared = 100 << 10


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Teams, also for a few operations."""
    monkeypatch.setattr(team, "GAIN", 0.0)


def same(found, reference, tolerance):
    found, reference = np.array(found, float), np.array(reference, float)
    assert found.shape == reference.shape
    assert (np.isnan(found) == np.isnan(reference)).all()
    wrong = abs(found - reference) > tolerance * np.fmax(1, abs(reference))
    assert not wrong.any(), np.nanmax(abs(found - reference))


def both(program, carry, dtype="float64", **options):
    """The loop of a Program by teams on the stand-in, and on the CPU."""
    plan = Plan(program.inputs, program.outputs, carry, **options)
    return (
        CudaIterateKernel(program, plan, dtype, TeamDevice()),
        program.compile_iterate(carry, dtype="float64", **options),
    )


@cache
def arm():
    """Three joints and a motor for each: held and streamed inputs, records, an angle that is not an
    input, an output that is an input, and one that is always the same."""
    robot = random_robot(5, joints=(3, 3))

    def step(q, qd, tau, dt, unused):
        middle = [x + 0.5 * dt * v for x, v in zip(q, qd, strict=True)]
        qdd = px.forward_dynamics(robot, middle, qd, tau)
        rates = [v + dt * a for v, a in zip(qd, qdd, strict=True)]
        return {
            "qd_next": rates,
            "q_next": [x + dt * v for x, v in zip(middle, rates, strict=True)],
            "was": q[1],
            "less": -rates[0],
            "always": 2.0,
        }

    return px.trace(step, q=3, qd=3, tau=3, dt=(), unused=2)


CARRY = {"q": "q_next", "qd": "qd_next"}
OPTIONS = {"per_step": ("tau",), "record": ("q", "was", "less", "always")}


def values(steps, count, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "q": rng.normal(size=(count, 3)),
        "qd": rng.normal(size=(count, 3)),
        "tau": rng.normal(size=(steps, count, 3)),
        "dt": rng.uniform(0.001, 0.01, count),
        "unused": rng.normal(size=(count, 2)),
    }


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-11), ("float32", 1e-4)])
@pytest.mark.parametrize("count, every", [(1, 1), (32, 2), (45, 3)])
def test_it_is_the_loop_of_the_cpu(count, every, dtype, tolerance):
    there, here = both(arm(), CARRY, dtype, **OPTIONS)
    assert there.loaded(there.way(count)).states == 32
    given = values(7, count)
    given["q"][0] += 1e6  # so far round that the slow way is taken
    (final, records), (expected, recorded) = there(7, every, **given), here(7, every, **given)
    for name in CARRY:
        assert final[name].dtype == dtype
        same(final[name], expected[name], tolerance * (1e3 if dtype == "float32" else 1))
    for name, array in recorded.items():
        same(records[name], array, tolerance * (1e3 if dtype == "float32" else 1))


def without_ends(seed):
    """A random Row whose repetitions are all done."""
    row, plan = random_row(seed)
    stages = [Stage(each.body, each.repeat, each.carry) for each in row.stages]
    return Row(stages, row.name), plan


@pytest.mark.parametrize("warps", (2, 4))
@pytest.mark.parametrize("seed", range(8))
def test_random_stages(seed, warps, monkeypatch):
    """Stages, some of them repeated, that read what is there under any name."""
    row, plan = without_ends(seed)
    kernel = CudaIterateKernel(row, plan, on=TeamDevice())
    monkeypatch.setattr(kernel, "way", lambda states: warps)
    monkeypatch.setattr(team, "MOST_NODES", {"float64": 10_000})
    monkeypatch.setattr(team, "MOST_READ", 1000)
    assert kernel.loaded(warps).states == 32
    given = values_for(plan, 4, 11, seed=seed)
    final, records = repeated(row, plan, 4, 2, given)
    found, recorded = kernel(4, 2, **given)
    assert found.keys() == final.keys() and recorded.keys() == records.keys()
    for name, array in final.items():
        same(found[name], array, 1e-11)
    for name, array in records.items():
        same(recorded[name], array, 1e-11)


def test_threads_compute_what_teams_do_not(monkeypatch):
    """Steps that end early, steps with little to share, large batches, steps that
    read much, GPUs with little memory."""
    program = px.trace(lambda x: {"x_next": x * 0.5, "stop": px.math.less(x, 1.0)}, x=())
    plan = Plan(program.inputs, program.outputs, {"x": "x_next"}, until="stop")
    assert CudaIterateKernel(program, plan, on=TeamDevice()).loaded(4).states > 32

    there, _ = both(arm(), CARRY, **OPTIONS)
    assert there.way(team.MOST_STATES) == team.WARPS and there.way(team.MOST_STATES + 1) == 1
    assert there.text(4).states == 32
    monkeypatch.setattr(team, "GAIN", 100.0)
    assert there.text(4).states > 32
    monkeypatch.setattr(team, "GAIN", 0.0)
    assert there.text(4).states == 32
    monkeypatch.setattr(team, "MOST_READ", 2)
    assert there.text(4).states > 32
    monkeypatch.setattr(team, "MOST_READ", 3)
    monkeypatch.setattr(TeamDevice, "most_shared", 100)
    assert there.text(4).states > 32
    monkeypatch.setattr(TeamDevice, "most_shared", 0)
    assert there.way(1) == 1


def test_many_held_numbers_are_read_at_every_step():
    def step(x, a):
        return {"x_next": [sum((b * y for b in a), 0.0) * 0.01 + px.math.sin(y) for y in x]}

    program = px.trace(step, x=5, a=MOST_HELD + 1)
    there, here = both(program, {"x": "x_next"})
    assert "FORGET(a_input_entry)" in there.text(4).text
    given = {"x": np.ones((6, 5)), "a": np.random.default_rng(0).normal(size=(6, MOST_HELD + 1))}
    same(there(5, **given)[0]["x"], here(5, **given)[0]["x"], 1e-12)


def test_carried_values_may_be_exchanged():
    """Inputs that become each other, a number, and what nothing depends on."""

    def step(x, y, z, w, unused):
        wave = [px.math.sin(a * (1.0 + k)) for k, a in enumerate([x, y, z, w] * 6)]
        return {"x": y, "y": x * 0.5 + 0.01 * sum(wave, 0.0), "z": x, "five": 5.0, "w": -z}

    program = px.trace(step, x=(), y=(), z=(), w=(), unused=())
    given = {name: np.linspace(-1.0, 2.0, 5) + k for k, name in enumerate(program.inputs)}
    for unused in (0.0, np.array([0.0, np.nan, np.inf, 1.0, 2.0])):
        for carry in ({"x": "x", "y": "y", "z": "z", "w": "w"}, {"x": "z", "y": "five", "w": "x"}):
            there, here = both(program, carry, record=("x", "five", "w"))
            given["unused"] = unused
            (final, records), (expected, recorded) = there(4, **given), here(4, **given)
            for name in carry:
                same(final[name], expected[name], 1e-12)
            for name, array in recorded.items():
                same(records[name], array, 1e-12)


@pytest.mark.parametrize("dtype, bound", [("float64", 2e-16), ("float32", 1e-7)])
def test_divisions_without_a_branch(dtype, bound):
    """Within about a unit in the last place; what is divided by zero, infinity or NaN as ever."""

    def step(x, by):
        return {"x_next": x, "ratio": x / by, "one": 1.0 / by}

    program = px.trace(step, x=(), by=())
    by = [1.0, -3.0, 7e-30, 9e29, np.pi, 0.0, -0.0, np.inf, -np.inf, np.nan]
    x = [1.0, 5.0, 7e-30, 1e30, np.e, 1.0, 0.0, 2.0, -3.0, 1.0]
    there, _ = both(program, {"x": "x_next"}, dtype, record=("ratio", "one"))
    given = {"x": np.array(x, dtype), "by": np.array(by, dtype)}
    assert "* reciprocal(" in there.text(4).text
    _, records = there(1, **given)
    with np.errstate(all="ignore"):
        expected = {"ratio": given["x"] / given["by"], "one": 1.0 / given["by"]}
    for name, right in expected.items():
        found = np.array(records[name])[0]
        assert (np.isnan(found) == np.isnan(right)).all()
        exact = np.isfinite(right) & (right != 0)
        assert (found[~exact] == right[~exact])[~np.isnan(right[~exact])].all()
        assert (abs(found[exact] - right[exact]) <= 2 * bound * abs(right[exact])).all()

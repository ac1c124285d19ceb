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

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


class TeamDevice(WarpDevice):
    most_shared = 100 << 10


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Teams, also for a few operations."""
    monkeypatch.setattr(team, "WORTH", 1)


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
    assert there.way(count) > 1
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
    assert kernel.loaded(warps).states == 32
    given = values_for(plan, 4, 11, seed=seed)
    final, records = repeated(row, plan, 4, 2, given)
    found, recorded = kernel(4, 2, **given)
    assert found.keys() == final.keys() and recorded.keys() == records.keys()
    for name, array in final.items():
        same(found[name], array, 1e-11)
    for name, array in records.items():
        same(recorded[name], array, 1e-11)

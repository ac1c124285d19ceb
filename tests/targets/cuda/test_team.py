"""Kernels of a team: warps, and blocks of a cluster, that compute states together. The text is run
on the CPU, against the interpreter."""

import sys

import numpy as np
import pytest
from support.cuda_on_cpu import body_apart
from support.cuda_warps import WarpDevice, placed
from support.robots import random_robot, states

import paraxis as px
from paraxis.drivers.device_map import COLUMNS, ROWS
from paraxis.passes.fuse import fuse
from paraxis.targets.cuda import teams
from paraxis.targets.cuda.map import CudaKernel
from paraxis.targets.cuda.teams import Choice, choose

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's memory maps")


class TeamDevice(WarpDevice):
    most_shared = 24 << 10


@pytest.fixture(params=[1, 2, 4], ids="{} blocks".format)
def blocks(request, monkeypatch):
    """Clusters of so many blocks of two warps, whether they pay or not."""
    monkeypatch.setattr(teams, "BLOCKS", (request.param,))
    monkeypatch.setattr(teams, "WARPS", 2)
    monkeypatch.setattr(teams, "LEAST", 0)
    monkeypatch.setattr(teams, "PAYS", 0)
    return request.param


def team_kernel(program, dtype, blocks):
    return CudaKernel(body_apart(program, "team", blocks), dtype, on=TeamDevice())


def results_of(program, given):
    expected = program.evaluate(**dict(zip(program.inputs, given, strict=True)))
    return list(expected.values()) if isinstance(expected, dict) else [expected]


ROBOT = random_robot(3, joints=(4, 4))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", ["inverse_dynamics_derivatives", "forward_dynamics"])
def test_rows(function, dtype, blocks):
    """All of the results and nothing beside them, for full clusters and for the last of them."""
    program = px.program(ROBOT, function)
    kernel = team_kernel(program, dtype, blocks)
    for count in (1, 32, 45):
        given = [np.ascontiguousarray(a, dtype) for a in states(ROBOT, count)]
        expected = results_of(program, given)
        places, fields = zip(*(placed(each.shape, dtype, 16) for each in expected), strict=True)
        kernel(*given, out=places if len(places) > 1 else places[0])
        for place, field, theirs in zip(places, fields, expected, strict=True):
            scale = abs(theirs).max()
            np.testing.assert_allclose(place / scale, theirs / scale, atol=1e-4)
            assert np.isnan(field).sum() == field.size - place.size
    for (_, _, (found, warps, _)), loaded in kernel._loaded.items():
        assert (found, warps) == (blocks, 2)
        assert next(each[1:] for each in loaded.kernels)[0] == 64


@pytest.mark.parametrize("layout", ["columns", "apart"])
def test_other_layouts(layout, blocks):
    program = px.program(ROBOT, "inverse_dynamics_derivatives")
    given, kernel = states(ROBOT, 40), team_kernel(program, "float64", blocks)
    expected = results_of(program, given)
    if layout == "columns":
        turned = [np.asfortranarray(array) for array in given]
        places = [np.full(each.shape[::-1], np.nan).T for each in expected]
    else:
        turned = [np.repeat(array, 3, axis=1)[:, ::3] for array in given]
        places = [np.full((*each.shape, 2), np.nan)[..., 0] for each in expected]
    kernel(*turned, out=places)
    for place, theirs in zip(places, expected, strict=True):
        np.testing.assert_allclose(place, theirs, atol=1e-9)
    (layouts, *_), *_ = kernel._loaded
    assert layouts[0] not in (ROWS,) and (layout != "columns" or layouts[0] == COLUMNS)


def test_results_that_are_inputs_constants_and_signs(blocks):
    """Nobody computes them: whoever is the first writes them, also negated and NaN."""

    def run(x, unused):
        y = x[0] * x[1]
        return {"a": [x[0], -x[1], 0.0, 2.5, y, -y], "b": [-y * x[2], 0.0]}

    program = px.trace(run, x=3, unused=2)
    x, unused = np.random.default_rng(5).normal(size=(2, 9, 3))
    unused = unused[:, :2]
    unused[4, 1] = np.inf
    with np.errstate(all="ignore"):
        expected = results_of(program, (x, unused))
    for found, theirs in zip(
        team_kernel(program, "float64", blocks)(x, unused), expected, strict=True
    ):
        np.testing.assert_allclose(found, theirs, rtol=1e-15)
    assert np.isnan(expected[0][4]).any()


def test_a_state_has_the_same_bits_wherever_it_stands(blocks):
    program = px.program(ROBOT, "forward_dynamics_derivatives")
    kernel = team_kernel(program, "float32", blocks)
    given = [np.repeat(a[:1], 70, axis=0).astype("float32") for a in states(ROBOT, 2)]
    for each in kernel(*given):
        assert (each == each[0]).all()


def test_teams_are_for_long_graphs_and_small_batches():
    room, processors = 227 << 10, 132
    long = fuse(px.program(random_robot(2, joints=(12, 12)), "inverse_dynamics_derivatives").graph)
    found = choose(long, "float32", room, processors)
    assert found.blocks and found.pays(16, processors) and not found.pays(1 << 20, processors)
    assert not choose(long, "float32", 0, processors).pays(16, processors)
    short = fuse(px.program(px.robots.planar(2), "inverse_dynamics").graph)
    assert not choose(short, "float32", room, processors).pays(16, processors)


def test_a_team_must_be_much_sooner_as_it_is_seldom_as_good_as_it_should_be():
    choice = Choice(blocks=2, warps=16, states=32, cost=1000, alone=5200)
    assert choice.rounds(2 * 32, 132) == 1 and choice.rounds(32 * 66 + 1, 132) == 2
    assert choice.pays(32 * 66 * 2, 132) and not choice.pays(32 * 66 * 2 + 1, 132)
    assert not choice.pays(0, 132)

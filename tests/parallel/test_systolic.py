"""Lathrop's arrays: torques of every state, in step, at the times and sizes he prints."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.robots import random_chain, relative_error, states

import paraxis as px
from paraxis.errors import ArgumentError, MissingPackageError, ScheduleError
from paraxis.parallel.systolic.array import INSIDE
from paraxis.parallel.systolic.linear import BODY, INWARD, SLIDING, TURNING
from paraxis.parallel.systolic.logarithmic import GLUE_LOADS, GLUE_MOTIONS
from paraxis.parallel.systolic.node_program import processors, steps
from paraxis.parallel.systolic.operators import MV, VA, VC
from paraxis.parallel.systolic.wiring import OUTSIDE, Input
from paraxis.physics.newton_euler import inverse_dynamics
from paraxis.robots.model import Model

FORMS = ("linear", "logarithmic")
MACHINES = ("systolic", "single_device")
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16)
ROUNDING = 1e-12
every_form = pytest.mark.parametrize("form", FORMS)
every_machine = pytest.mark.parametrize("machine", MACHINES)


CHAINS = [random_chain(seed, (1, 9)) for seed in range(10)]


def torques(robot, q, qd, qdd):
    """By the plain recursion, state by state."""
    model = Model(robot)
    return np.array([inverse_dynamics(model, *state) for state in zip(q, qd, qdd, strict=True)])


def levels(n):
    """⌈log₂ n⌉"""
    return math.ceil(math.log2(n))


# -- torques, in step ------------------------------------------------------------------------------


def test_the_robots_have_what_the_tests_rely_on():
    joints = [joint for robot in CHAINS for joint in robot.joints]
    assert {joint.is_revolute for joint in joints} == {True, False}
    assert {joint.is_revolute for joint in (robot.joints[0] for robot in CHAINS)} == {True, False}
    assert {bool(joint.rotor_inertia) for joint in joints} == {True, False}
    assert max(robot.n for robot in CHAINS) >= 8 and min(robot.n for robot in CHAINS) <= 2


@every_machine
@every_form
@pytest.mark.parametrize("robot", CHAINS, ids=lambda robot: f"{robot.n}joints")
def test_torques_of_every_state_are_those_of_inverse_dynamics(robot, form, machine):
    array = px.parallel.systolic_array(robot, form, machine)
    state = states(robot, 12)
    came = array.run(*state)
    assert relative_error(came.torques, torques(robot, *state)) < ROUNDING
    assert came.departures == [array.latency + array.interval * k for k in range(12)]


@every_machine
@every_form
def test_an_array_keeps_up_at_its_shortest_interval_and_not_below(form, machine):
    robot = CHAINS[3]
    array = px.parallel.systolic_array(robot, form, machine)
    quick = array.with_interval(array.shortest_interval)
    state = states(robot, 15)
    came = quick.run(*state)
    assert relative_error(came.torques, torques(robot, *state)) < ROUNDING
    assert set(np.diff(came.departures)) == {array.shortest_interval}
    with pytest.raises(ScheduleError, match="must start its next operation before it is done"):
        array.with_interval(array.shortest_interval - 1)


@every_form
def test_the_fewest_buffers_give_the_same_torques_at_the_same_time(form):
    robot = px.load("stanford")
    plain, best = (
        px.parallel.systolic_array(robot, form, fewest_buffers=best) for best in (False, True)
    )
    state = states(robot, 10)
    came = best.run(*state)
    assert relative_error(came.torques, torques(robot, *state)) < ROUNDING
    assert came.departures == plain.run(*state).departures
    assert best.least_buffers == best.buffers < plain.buffers  # proved: there is no better


@every_form
def test_states_are_at_several_places_at_the_same_time(form):
    """The second state enters, and others follow, long before the first leaves."""
    array = px.parallel.systolic_array(px.robots.chain(6), form)
    assert array.interval == MV.flops + VA.flops == 4
    assert array.latency // array.interval > 8
    spread = [array.starts[each] // array.interval for each in array.starts]
    assert {*range(array.latency // array.interval - 1)} <= {*spread}


def test_a_state_that_is_no_number_stays_alone():
    robot = px.load("ur5")
    q, qd, qdd = states(robot, 7)
    clean = px.parallel.systolic_array(robot).run(q, qd, qdd).torques
    qdd[3] = np.nan
    came = px.parallel.systolic_array(robot).run(q, qd, qdd).torques
    assert np.isnan(came[3]).all()
    np.testing.assert_array_equal(np.delete(came, 3, 0), np.delete(clean, 3, 0))


def test_states_come_in_any_shape():
    array = px.parallel.systolic_array(px.robots.planar(2))
    q, qd, qdd = states(px.robots.planar(2), 6)
    flat = array.run(q, qd, qdd)
    shaped = array.run(q.reshape(2, 3, 2), qd.reshape(2, 3, 2), qdd.reshape(2, 3, 2))
    np.testing.assert_array_equal(shaped.torques, flat.torques.reshape(2, 3, 2))
    assert array.run(q[0], qd[0], qdd[0]).torques.shape == (2,)
    assert array.run(q, 0 * q[0], qdd[:1]).torques.shape == (6, 2)
    empty = array.run(q[:0], qd[:0], qdd[:0])
    assert empty.torques.shape == (0, 2) and empty.departures == []


# -- what is out of step is found ------------------------------------------------------------------


def fresh(form, machine="systolic"):
    return px.parallel.systolic_array(px.robots.chain(3), form, machine)


@every_machine
@every_form
@pytest.mark.parametrize("change", [-1, 1])
def test_a_delay_line_read_at_another_tap_is_found(form, machine, change):
    """One register too few gives the value of the next state, or of the next link."""
    count = len(fresh(form, machine).taps)
    for k in range(0, count, 7):
        array = fresh(form, machine)
        array.taps[list(array.taps)[k]] += change
        with pytest.raises(ScheduleError, match=r"tick \d+: .*: expected .* of state \d"):
            array.run(*states(px.robots.chain(3), 4))


@every_form
def test_the_error_names_what_met_what(form):
    array = fresh(form)
    reader = next(each for each in array.taps if array.taps[each] and each[0] is not OUTSIDE)
    array.taps[reader] -= 1
    operation, position = reader
    source = str(operation.operands[position].source)
    with pytest.raises(ScheduleError) as found:
        array.run(*states(px.robots.chain(3), 5))
    assert str(operation) in str(found.value)
    assert f"expected {source} of state 0, found {source} of state 1" in str(found.value)


@every_form
def test_an_operation_that_starts_too_early_is_found(form):
    array = fresh(form)
    operation = next(each for each in array.starts if each.result == "F")
    too_early = array.starts | {operation: array.starts[operation] - 1}
    with pytest.raises(
        ScheduleError, match=f"{operation} starts at .* but needs .* available before"
    ):
        replace(array, starts=too_early)
    array.starts[operation] -= 1  # after it was checked: the simulation sees it too
    with pytest.raises(ScheduleError, match="expected"):
        array.run(*states(px.robots.chain(3), 4))


def test_a_processor_that_is_asked_for_two_things_at_once_is_found():
    array = fresh("linear")
    first, second = [each for each in array.starts if each.result in ("T7", "T9")][:2]
    array.starts[second] = array.starts[first] + 1
    array.processor[second] = array.processor[first]
    with pytest.raises(ScheduleError, match="the processor of .* is still busy"):
        array.run(*states(px.robots.chain(3), 4))


# -- times -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [*SIZES, 64])
def test_the_linear_form_takes_what_equation_5_says_less_z_qd(n):
    for machine in MACHINES:
        array = px.parallel.systolic_array(px.robots.chain(n), "linear", machine)
        assert array.latency == 8 * n + 14 - 1


@pytest.mark.parametrize("n", [n for n in (*SIZES, 64) if n > 2])
def test_the_logarithmic_form_takes_what_equation_17_says(n):
    for machine in MACHINES:
        array = px.parallel.systolic_array(px.robots.chain(n), "logarithmic", machine)
        assert array.latency == 8 * levels(n) + 15


def test_quantities_are_staggered_as_in_equation_4():
    array = px.parallel.systolic_array(px.robots.chain(6), "linear")
    there = {(each.result, each.site.node): array.end(each) for each in array.starts}
    for i in range(1, 7):
        node = f"outward {i}"
        assert there["α", node] - there["ω", node] == VC.flops + VA.flops
        assert there["a", node] - there["ω", node] == 2 * VC.flops + 3 * VA.flops
        if i > 1:
            for result in "ωαa":
                assert there[result, node] - there[result, f"outward {i - 1}"] == 4


def test_a_systolic_array_could_take_a_state_every_matrix_product():
    for form in FORMS:
        assert (
            px.parallel.systolic_array(px.robots.chain(6), form).shortest_interval == MV.flops == 3
        )


# -- sizes -----------------------------------------------------------------------------------------


def test_the_programs_have_the_lines_of_table_4():
    assert processors(TURNING + BODY) == 22 and processors(INWARD) == 8
    assert processors(SLIDING + BODY) <= 22  # so that one device does for both kinds of joint
    assert processors(GLUE_MOTIONS + BODY) == 36
    assert processors(GLUE_LOADS) == 12


def test_a_line_of_a_program_has_one_operator():
    (step,) = steps("ω = A.T @ T2")
    assert step.result == "ω" and step.operator is MV and step.operands == ("A.T", "T2")
    with pytest.raises(ValueError):
        steps("ω = A.T @ T2 + T3")


@pytest.mark.parametrize("n", SIZES)
def test_processors_of_the_linear_form(n):
    assert (
        px.parallel.systolic_array(px.robots.chain(n)).processors == 22 * n + 8 * n + n - 1
    )  # f of link 1
    single = px.parallel.systolic_array(px.robots.chain(n), machine="single_device").processors
    assert single == 22 + 8 + 1 - (n == 1)


@pytest.mark.parametrize("n", SIZES)
def test_a_tier_has_a_device_for_two_joints(n):
    array = px.parallel.systolic_array(px.robots.chain(n), "logarithmic", "single_device")
    for sweep in ("outward", "inward"):
        places = {place for place, _ in array.processors_of if place.startswith(sweep)}
        assert max(1, n // 2) <= len(places) <= -(-n // 2)  # the last of an odd number alone
    assert max(array.processors_of.values()) <= processors(GLUE_MOTIONS)


@every_form
def test_operations_on_which_no_torque_depends_are_left_out(form):
    array = px.parallel.systolic_array(px.robots.chain(5), form)
    used = {source for operation in array.starts for source, _ in operation.operands}
    assert all(each in used or each in array.wiring.outputs for each in array.starts)


@every_form
def test_buffers_of_a_systolic_array_by_another_way(form):
    """A value that waits w flops, with a new one every 4, needs ⌊w / 4⌋ registers."""
    array = px.parallel.systolic_array(CHAINS[2], form)
    waits = {}
    for source, _, _, tick in array.reads:
        waits[source] = max(waits.get(source, 0), tick - array.end(source))
    arriving = sum(source.words for source in waits if isinstance(source, Input))
    assert array.buffers == arriving + sum(each.words * (w // 4) for each, w in waits.items())
    assert array.buffers == array.buffers_of.total()


def test_a_single_device_keeps_what_enters_what_comes_back_and_what_leaves():
    """All inputs, F and N (or s × F + N) of all but the last link, and all torques but one."""
    for n in (2, 6, 16):
        array = px.parallel.systolic_array(px.robots.chain(n), machine="single_device")
        assert array.buffers == (9 + 3 + 3) * n + (3 + 3) * (n - 1) + (n - 1)


@every_form
def test_few_words_wait_inside_nodes(form):
    """What he calls tightly bounded: a few words a node, however long the chain."""
    for n in (4, 8, 16) if form == "linear" else (4, 6, 8):
        array = px.parallel.systolic_array(px.robots.chain(n), form, fewest_buffers=True)
        nodes = len({each.site.node for each in array.starts})
        assert array.buffers_of[INSIDE] <= 3 * nodes


@pytest.mark.parametrize("n", SIZES)
def test_wires_to_a_group(n):
    """Fewer than 50, but for a node that makes all of a span: W alone has six."""
    for machine in MACHINES:
        array = px.parallel.systolic_array(px.robots.chain(n), "linear", machine)
        assert max(array.wires_of.values()) <= 22 and array.wires <= 2 * array.processors
    wires = px.parallel.systolic_array(px.robots.chain(n), "logarithmic").wires_of
    assert max(wires.values()) <= 51
    assert max(count for (_, part), count in wires.items() if part != "propagated") <= 15


# -- bad input -------------------------------------------------------------------------------------


def fork():
    rod = px.robots.Inertia.of(1.0, (0.25, 0, 0), (0.0, 0.02, 0.02))
    joints = [
        px.robots.Joint("trunk", "revolute"),
        px.robots.Joint("left", "revolute", 0),
        px.robots.Joint("right", "revolute", 0),
    ]
    return px.Robot("fork", joints, [rod] * 3)


@every_form
def test_a_robot_that_branches_is_refused_by_name(form):
    with pytest.raises(ArgumentError, match="(?s)works on chains only.*'fork' branches.*'trunk'"):
        px.parallel.systolic_array(fork(), form)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ur5",), "robot: expected a Robot .* found str"),
        (
            (px.robots.planar(2), "tree"),
            "form: expected one of 'linear', 'logarithmic', 'lagrangian', found 'tree'",
        ),
        (
            (px.robots.planar(2), "linear", "tier"),
            "machine: expected one of 'systolic', 'single_device', found 'tier'",
        ),
        (
            (px.robots.planar(2), "linear", "single_device", True),
            "fewest_buffers needs machine='systolic', found 'single_device'",
        ),
    ],
)
def test_what_cannot_be_built(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        px.parallel.systolic_array(*arguments)


def test_what_cannot_be_run():
    array, two = px.parallel.systolic_array(px.robots.planar(2)), np.zeros((4, 2))
    with pytest.raises(ArgumentError, match=r"qd: expected shape \(..., 2\), found \(4, 3\)"):
        array.run(two, np.zeros((4, 3)), two)
    with pytest.raises(ArgumentError, match="q, qd, qdd: expected shapes that broadcast"):
        array.run(two, two[:3], two)
    with pytest.raises(ArgumentError, match="qdd: expected an array of numbers"):
        array.run(two, two, [["a", "b"]])
    for flops in (0, 2.5, True):
        with pytest.raises(ArgumentError, match="interval: expected an integer number of flops"):
            array.with_interval(flops)


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'paraxis\[opt\]'"):
        px.parallel.systolic_array(px.robots.planar(2), fewest_buffers=True)


# -- shown -----------------------------------------------------------------------------------------


def test_the_chart_shows_who_is_busy_when():
    chart = px.parallel.systolic_array(px.robots.planar(2)).chart("ω", "τ", states=2)
    assert chart.splitlines() == [
        "             0         10        20        30",
        "ω outward 1  ·000·111·························",
        "ω outward 2  ·····000·111·····················",
        "τ inward 2   ······················000·111····",
        "τ inward 1   ··························000·111",
    ]
    with pytest.raises(ArgumentError, match="result: expected one of .*, found 'speed'"):
        px.parallel.systolic_array(px.robots.planar(2)).chart("speed")


def test_an_array_says_what_it_is():
    array = px.parallel.systolic_array(px.load("ur5"))
    assert repr(array) == (
        "<SystolicArray: linear array for ur5, systolic, 185 processors, latency 61 flops, a state "
        "every 4>"
    )
    assert str(array).splitlines()[1:4] == [
        "  latency         61  flops",
        "  interval         4  flops; 3 is possible",
        "  processors     185  132 outward, 47 inward, 6 torque",
    ]


def test_a_chart_of_nonsense():
    array = px.parallel.systolic_array(px.load("puma560"))
    with pytest.raises(px.ArgumentError, match="states: expected an integer >= 1, found 'a'"):
        array.chart(states="a")
    with pytest.raises(px.ArgumentError, match="result: expected one of"):
        array.chart(["F"])


# -- Lagrange's equations --------------------------------------------------------------------------


@every_machine
@pytest.mark.parametrize("robot", CHAINS[:4], ids=lambda robot: f"{robot.n}joints")
def test_lagranges_equations_give_the_same_torques(robot, machine):
    array = px.parallel.systolic_array(robot, "lagrangian", machine)
    state = states(robot, 5)
    assert relative_error(array.run(*state).torques, torques(robot, *state)) < ROUNDING


def test_lagranges_equations_take_about_the_same_time_on_much_more_hardware():
    for n in (6, 12):
        newton, lagrange = (
            px.parallel.systolic_array(px.robots.chain(n), form)
            for form in ("linear", "lagrangian")
        )
        assert lagrange.interval == newton.interval
        assert lagrange.shortest_interval == newton.shortest_interval == 3
        assert abs(lagrange.latency - newton.latency) <= 2
        assert lagrange.processors > 1.8 * newton.processors
        assert lagrange.buffers > 2 * newton.buffers

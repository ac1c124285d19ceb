"""Dynamics of long chains: every algorithm in every order is the same physics."""

import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from support.chains import (
    DIGITS,
    FORWARD,
    FUNCTIONS,
    INVERSE,
    KINDS,
    ROUNDING,
    chain,
    long_chain,
    slow_states,
    universal_joints,
)
from support.robots import pinocchio_model, pinocchio_torques, random_robot, relative_error

import paraxis as px
from paraxis import Robot, function_bodies
from paraxis.calls import _along_chain
from paraxis.chains.dynamics import SCANS
from paraxis.errors import ArgumentError, RobotError
from paraxis.physics import ALGORITHMS
from paraxis.robots import Frame, Inertia, Joint, Loop, Pose
from paraxis.robots.joint import WORLD
from paraxis.robots.model import Model

WAYS = ("serial", "batched", "scan")
ORACLES = {FORWARD: "articulated_body", INVERSE: "newton_euler"}
QUICK_TO_COMPILE = ("articulated_body", "newton_euler", "logarithmic_newton_euler") + (
    "constraint_force",  # which has other spans without rotors
)

LENGTHS = (1, 2, 3, 9, 21, 70)

of_both = pytest.mark.parametrize("function", FUNCTIONS)
by_every_way = pytest.mark.parametrize("way", WAYS)


def expected(robot, function, q, qd, last):
    """The recursions that Programs are traced from, on floats."""
    recursion, model = ALGORITHMS[function][ORACLES[function]], Model(robot)
    rows = zip(q.tolist(), qd.tolist(), last.tolist(), strict=True)
    return np.array([recursion(model, *row) for row in rows])


# -- the same physics ------------------------------------------------------------------------------


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize("kinds", KINDS)
@of_both
def test_every_way_of_a_function(function, kinds, rotors):
    for n in LENGTHS:
        robot = chain(n, kinds, rotors)
        state = slow_states(robot, 3)
        reference = expected(robot, function, *state)
        for way in WAYS:
            found = FUNCTIONS[function](robot, *state, algorithm=way)
            assert relative_error(found, reference) < ROUNDING, (n, way)


def check_orders(function, algorithm, kinds, rotors):
    for n in LENGTHS:
        robot = chain(n, kinds, rotors)
        state = slow_states(robot, 2)
        reference = expected(robot, function, *state)
        for order in SCANS[function][algorithm]:
            found = px.chains.chain_dynamics(robot, function, algorithm, order)(*state)
            error = relative_error(found, reference)
            assert error < DIGITS.get(order, ROUNDING), (n, order)


def combinations(quick):
    """(function, algorithm, kinds, rotors): the bodies of some take a second each to compile."""
    for function, algorithms in SCANS.items():
        for algorithm in algorithms:
            for kinds in KINDS:
                for rotors in (False, True):
                    telling = kinds == "mixed" and rotors
                    if algorithm in QUICK_TO_COMPILE:
                        telling = telling or (kinds == "revolute" and not rotors)
                    if quick == telling:
                        yield pytest.param(
                            function,
                            algorithm,
                            kinds,
                            rotors,
                            id=f"{algorithm}-{kinds}-{'rotors' if rotors else 'bare'}",
                        )


@pytest.mark.parametrize("function, algorithm, kinds, rotors", [*combinations(quick=True)])
def test_every_order_of_a_scan(function, algorithm, kinds, rotors):
    check_orders(function, algorithm, kinds, rotors)


@pytest.mark.long
@pytest.mark.parametrize("function, algorithm, kinds, rotors", [*combinations(quick=False)])
def test_every_order_of_other_scans(function, algorithm, kinds, rotors):
    check_orders(function, algorithm, kinds, rotors)


def test_a_chain_that_pinocchio_knows():
    pin = pytest.importorskip("pinocchio")
    robot = chain(200, reach=0.3)
    q, qd, qdd = slow_states(robot, 2)
    torques = pinocchio_torques(robot, q, qd, qdd)
    model = pinocchio_model(robot)
    data = model.createData()
    tau = np.random.default_rng(0).normal(size=q.shape)
    accelerations = [pin.aba(model, data, *row).copy() for row in zip(q, qd, tau, strict=True)]
    for way in WAYS:
        assert (
            relative_error(px.inverse_dynamics(robot, q, qd, qdd, algorithm=way), torques) < 1e-11
        )
        found = px.forward_dynamics(robot, q, qd, tau, algorithm=way)
        assert relative_error(found, np.array(accelerations)) < 1e-10


# -- long chains -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1001, 5000])
def test_a_long_chain(n):
    robot = long_chain(n)
    q, qd, qdd = slow_states(robot, 2)
    serial = px.inverse_dynamics(robot, q, qd, qdd, algorithm="serial")
    for way in WAYS:
        tau = px.inverse_dynamics(robot, q, qd, qdd, algorithm=way)
        assert relative_error(tau, serial) < 1e-12
        assert relative_error(px.forward_dynamics(robot, q, qd, tau, algorithm=way), qdd) < 1e-6
    tau = np.random.default_rng(0).normal(size=q.shape)
    serial = px.forward_dynamics(robot, q, qd, tau, algorithm="serial")
    assert relative_error(px.forward_dynamics(robot, q, qd, tau, algorithm="scan"), serial) < 1e-9


@of_both
def test_a_long_chain_in_every_order(function):
    robot = long_chain(1001)
    state = slow_states(robot, 1)
    serial = FUNCTIONS[function](robot, *state, algorithm="serial")
    for algorithm, orders in SCANS[function].items():
        for order in orders:
            found = px.chains.chain_dynamics(robot, function, algorithm, order)(*state)
            assert relative_error(found, serial) < DIGITS.get(order, 1e-9), (algorithm, order)


@of_both
def test_the_same_bits_with_any_number_of_threads(function):
    robot = long_chain(5000)
    state = slow_states(robot, 1)
    for algorithm, orders in SCANS[function].items():
        one, two = (
            px.chains.chain_dynamics(robot, function, algorithm, orders[0], threads)(*state)
            for threads in (1, 2)
        )
        np.testing.assert_array_equal(one, two)


@of_both
@by_every_way
def test_the_same_bits_wherever_a_state_stands(function, way):
    robot = long_chain(1001)
    call, state = FUNCTIONS[function], slow_states(robot, 11)
    together = call(robot, *state, algorithm=way)
    for k in (0, 5, 10):
        alone = call(robot, *(array[k] for array in state), algorithm=way)
        np.testing.assert_array_equal(alone, together[k])
    strided = [np.repeat(array, 2, axis=1)[::-1, ::2] for array in state]
    np.testing.assert_array_equal(call(robot, *strided, algorithm=way), together[::-1])
    columns = [np.asfortranarray(array) for array in state]
    np.testing.assert_array_equal(call(robot, *columns, algorithm=way), together)


def test_serial_and_batched_have_the_same_bits():
    robot = long_chain(1001)
    for function, call in FUNCTIONS.items():
        state = slow_states(robot, 3)
        serial, batched = (call(robot, *state, algorithm=way) for way in ("serial", "batched"))
        np.testing.assert_array_equal(serial, batched, function)


# -- what is chosen --------------------------------------------------------------------------------


@of_both
@pytest.mark.parametrize(
    "n, count, way",
    [(70, 1, "serial"), (383, 3, "serial"), (384, 1, "scan"), (384, 3, "scan")]
    + [(70, 4, "batched"), (384, 4, "batched")],
)
def test_size_decides(function, n, count, way):
    robot, call = chain(n, reach=0.1), FUNCTIONS[function]
    state = slow_states(robot, count)
    found = call(robot, *state)
    np.testing.assert_array_equal(found, call(robot, *state, algorithm=way))
    other = "serial" if way == "scan" else "scan"
    assert not np.array_equal(found, call(robot, *state, algorithm=other))  # the test can tell


@of_both
def test_long_chains_need_no_program(function):
    short, long = chain(64), chain(65)
    tree = replace(long, joints=(*long.joints[:-1], replace(long.joints[-1], parent=3)))
    assert tree.branching
    assert not _along_chain(short, function, None, ())
    assert _along_chain(long, function, None, ())
    assert not _along_chain(tree, function, None, ())
    assert not _along_chain(long, function, ORACLES[function], ())
    assert not _along_chain(long, function, None, ("mass",))
    assert not _along_chain(long, "mass_matrix", None, ())
    assert all(_along_chain(short, function, way, ()) for way in WAYS)


# -- arrays ----------------------------------------------------------------------------------------


@of_both
def test_batches_of_any_shape(function):
    robot, call = long_chain(300), FUNCTIONS[function]
    q, qd, last = slow_states(robot, 6)
    whole = call(robot, q, qd, last)
    shape = (2, 3, 300)
    np.testing.assert_array_equal(
        call(robot, q.reshape(shape), qd.reshape(shape), last.reshape(shape)), whole.reshape(shape)
    )
    spread = call(robot, q[:2, None], qd[0], last[:3])
    assert spread.shape == (2, 3, 300)
    np.testing.assert_array_equal(
        spread[1, 2], call(robot, q[1], qd[0], last[2], algorithm="serial")
    )
    for nothing in ((0, 300), (3, 0, 300)):
        assert call(robot, np.zeros(nothing), qd[0], last[0]).shape == nothing
    np.testing.assert_array_equal(
        call(robot, q[0].tolist(), tuple(qd[0]), last[0].tolist()),
        call(robot, q[0], qd[0], last[0]),
    )
    whole_numbers = np.arange(300) % 3
    np.testing.assert_array_equal(
        call(robot, whole_numbers, qd[0], last[0]), call(robot, whole_numbers * 1.0, qd[0], last[0])
    )


@of_both
def test_single_precision_in_single_precision_out(function):
    robot, call = long_chain(300), FUNCTIONS[function]
    single = [array.astype(np.float32) for array in slow_states(robot, 2)]
    found = call(robot, *single)
    assert found.dtype == np.float32
    double = call(robot, *(array.astype(np.float64) for array in single))
    np.testing.assert_array_equal(found, double.astype(np.float32))
    assert call(robot, single[0], *single[1:2], single[2].astype(float)).dtype == np.float64


@of_both
@by_every_way
def test_results_in_an_array_of_ones_own(function, way):
    robot, call = long_chain(300), FUNCTIONS[function]
    state = slow_states(robot, 2)
    result = call(robot, *state, algorithm=way)
    out = np.empty_like(result)
    assert call(robot, *state, algorithm=way, out=out) is out
    np.testing.assert_array_equal(out, result)
    every_other = np.zeros((2, 600))
    call(robot, *state, algorithm=way, out=every_other[:, ::2])
    np.testing.assert_array_equal(every_other[:, ::2], result)
    assert not every_other[:, 1::2].any()
    in_place = [array.copy() for array in state]
    call(robot, *in_place, algorithm=way, out=in_place[0])  # over an input
    np.testing.assert_array_equal(in_place[0], result)


@of_both
def test_arrays_that_do_not_fit(function):
    robot, call = long_chain(300), FUNCTIONS[function]
    q, qd, last = slow_states(robot, 2)
    name = "tau" if function == FORWARD else "qdd"
    for arrays, message in (
        ((q, qd, last[:, :5]), rf"{name}: expected shape \(\.\.\., 300\), found \(2, 5\)"),
        ((q, np.zeros((3, 300)), last), "do not broadcast together: q .2,., qd .3,."),
        ((None, qd, last), "q: expected an array of numbers, found None"),
        ((q, qd * 1j, last), "qd: expected real numbers"),
    ):
        with pytest.raises(ArgumentError, match=message):
            call(robot, *arrays)
    for out in (
        np.empty((2, 299)),
        np.empty(300),
        np.empty((2, 300), np.float32),
        [[0.0] * 300] * 2,
    ):
        with pytest.raises(ArgumentError, match=r"out: expected an array of float64 \(2, 300\)"):
            call(robot, q, qd, last, out=out)
    out = np.empty((2, 300))
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="out: the array is read-only"):
        call(robot, q, qd, last, out=out)
    with pytest.raises(ArgumentError, match=f"{function}: missing {name}; it takes"):
        px.chains.chain_dynamics(robot, function)(q, qd)


@of_both
@by_every_way
def test_nan_spoils_one_state_and_no_other(function, way):
    robot, call = long_chain(300), FUNCTIONS[function]
    q, qd, last = slow_states(robot, 9)
    clean = call(robot, q, qd, last, algorithm=way)
    for value in (np.nan, np.inf):
        q[4, 123] = value
        found = call(robot, q, qd, last, algorithm=way)
        assert not np.isfinite(found[4]).any() if function == FORWARD else np.isnan(found[4]).any()
        others = np.arange(9) != 4
        np.testing.assert_array_equal(found[others], clean[others])


def test_several_callers_of_one_robot():
    robot = long_chain(1001)
    state = slow_states(robot, 8)
    calls = [(call, way) for call in FUNCTIONS.values() for way in WAYS]
    expected = [call(robot, *state, algorithm=way) for call, way in calls]
    fresh, wrong = replace(robot, name="fresh"), []  # nothing is compiled for it yet

    def work(k):
        for turn in range(6):
            call, way = calls[(k + turn) % len(calls)]
            found = call(fresh, *state, algorithm=way)
            if not np.array_equal(found, expected[(k + turn) % len(calls)]):
                wrong.append((call, way))

    callers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


# -- robots that have no answer --------------------------------------------------------------------


def with_inertia(robot, link, inertia):
    bodies = list(robot.inertias)
    bodies[link] = inertia
    return replace(robot, inertias=tuple(bodies), warn=False)


@pytest.mark.parametrize("n", [1, 5, 300])
@by_every_way
def test_a_joint_that_moves_nothing(n, way):
    robot = with_inertia(chain(n, "revolute", rotors=False), n - 1, Inertia())
    q, qd, tau = slow_states(robot, 2)
    with pytest.raises(RobotError, match=f"joint 'j{n - 1}' moves nothing that has inertia"):
        px.forward_dynamics(robot, q, qd, tau, algorithm=way)
    torques = px.inverse_dynamics(robot, q, qd, tau, algorithm=way)  # which need no inverse
    assert not torques[:, -1].any()
    geared = replace(
        robot, joints=(*robot.joints[:-1], replace(robot.joints[-1], rotor_inertia=0.1))
    )
    found = px.forward_dynamics(geared, q, qd, tau, algorithm=way)
    assert relative_error(found, expected(geared, FORWARD, q, qd, tau)) < ROUNDING


@pytest.mark.parametrize("n", [9, 300])
@by_every_way
def test_a_joint_in_the_middle_that_moves_nothing(n, way):
    """Two joints in line, and nothing between them that would have inertia about their axis."""
    robot = with_inertia(chain(n, "revolute", rotors=False), 4, Inertia())
    joints = [replace(joint, axis=(0.0, 0.0, 1.0)) for joint in robot.joints]
    joints[5] = replace(joints[5], placement=Pose())
    robot = replace(robot, joints=tuple(joints), warn=False)
    with pytest.raises(RobotError, match="joint 'j4' moves nothing that has inertia"):
        px.forward_dynamics(robot, *slow_states(robot, 1), algorithm=way)


@by_every_way
def test_numbers_beyond_those_there_are(way):
    robot = long_chain(300)
    q, qd, tau = slow_states(robot, 1)
    with pytest.raises(RobotError, match="out of the range of float64"):
        px.forward_dynamics(robot, q, qd + 1e200, tau, algorithm=way)


@pytest.mark.parametrize("n, link", [(300, 7), (300, 140), (301, 299)])
@by_every_way
def test_a_universal_joint(n, link, way):
    """Two joints with nothing between them but a joint."""
    robot = with_inertia(chain(n, "revolute", rotors=False, reach=0.1), link, Inertia())
    state = slow_states(robot, 2)
    found = px.forward_dynamics(robot, *state, algorithm=way)
    assert relative_error(found, expected(robot, FORWARD, *state)) < 1e-9


def test_gravity_and_bias_of_long_chains():
    robot = px.robots.chain(70)
    q, qd, _ = slow_states(robot, 2)
    still = np.zeros(70)
    assert np.array_equal(px.gravity_torques(robot, q), px.inverse_dynamics(robot, q, still, still))
    assert np.array_equal(px.bias_forces(robot, q, qd), px.inverse_dynamics(robot, q, qd, still))
    single = px.gravity_torques(robot, q.astype(np.float32))
    assert single.dtype == np.float32


def test_a_long_program_is_announced(monkeypatch):
    monkeypatch.setattr(function_bodies, "LONGEST_PROGRAM", 2)
    with pytest.warns(px.RobotWarning, match="mass_matrix of a robot with 3 joints"):
        px.mass_matrix(px.robots.planar(3, length=0.731), np.zeros(3))


@pytest.mark.parametrize("period", [2, 3])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_rows_end_with_links_that_have_mass(period, first):
    """Universal joints, and ball joints of three: massless but for every other or third link."""
    robot = chain(300, "revolute", rotors=False)
    for link in range(299):
        if link % period != first % period:
            robot = with_inertia(robot, link, Inertia())
    assert px.chains.chain_dynamics(robot, FORWARD)._cut is not None


@pytest.mark.parametrize("n", [5, 33, 300])
@pytest.mark.parametrize("first", [0, 1])
@by_every_way
def test_universal_joints_all_along(n, first, way):
    """Wherever a row of a scan would end, it may be with a link that has no inertia."""
    robot = universal_joints(n, first)
    state = slow_states(robot, 2)
    found = px.forward_dynamics(robot, *state, algorithm=way)
    assert relative_error(found, expected(robot, FORWARD, *state)) < ROUNDING


@pytest.mark.parametrize("first", [0, 1])
def test_universal_joints_in_contact(first):
    robot = universal_joints(100, first)
    q, qd, tau = slow_states(robot, 1)
    touch = px.constrained_forward_dynamics(robot, q, qd, tau, px.Contact.pinned())
    assert touch.rank == 3 and abs(touch.acceleration[:, 3:]).max() < 1e-8 * abs(touch.qdd).max()
    massless = with_inertia(chain(100, "revolute", rotors=False), 99, Inertia())
    with pytest.raises(RobotError, match="joint 'j99' moves nothing that has inertia"):
        px.constrained_forward_dynamics(massless, q, qd, tau, px.Contact.pinned())


@pytest.mark.parametrize("algorithm", ["constraint_force", "divide_and_conquer"])
def test_links_without_a_mobility(algorithm):
    robot = chain(5, "revolute", rotors=False)
    thin = Inertia.of(1.0, (0.1, 0.0, 0.0), np.zeros((3, 3)))
    for body, lacking in ((Inertia(), "has no mass"), (thin, "has no inertia about some axis")):
        with pytest.raises(RobotError, match=f"'j2' {lacking}.*{algorithm}"):
            px.chains.chain_dynamics(with_inertia(robot, 2, body), FORWARD, algorithm)


@by_every_way
def test_a_tree_is_no_chain(way):
    tree = random_robot(3, (8, 8))
    zero = np.zeros(8)
    for call in FUNCTIONS.values():
        message = "branches at link 'base', which carries .*'j0', 'j4'"
        with pytest.raises(ArgumentError, match=message):
            call(tree, zero, zero, zero, algorithm=way)
    with pytest.raises(ArgumentError, match="works on chains only.*'f0'"):
        px.chains.chain_dynamics(tree)


@by_every_way
def test_loops_and_joints_that_move_otherwise_are_no_chain(way):
    """Sweeps know neither, and would leave them out."""
    robot = chain(3)
    pin = Loop.connect("pin", Frame("end", 2), Frame("wall", WORLD))
    helical = replace(robot.joints[1], kind="helical", pitch=0.1)
    for other, message in (
        (robot.with_loops(pin), "does not support closed loops, such as 'pin'"),
        (replace(robot, joints=[robot.joints[0], helical, robot.joints[2]]), "helical"),
    ):
        for call in FUNCTIONS.values():
            with pytest.raises(ArgumentError, match=message):
                call(other, np.zeros(3), np.zeros(3), np.zeros(3), algorithm=way)


def test_unknown_choices():
    robot, zero = chain(5), np.zeros(5)
    with pytest.raises(ArgumentError, match="algorithm: expected one of .*, found 'parallel'"):
        px.forward_dynamics(robot, zero, zero, zero, algorithm="parallel")
    with pytest.raises(ArgumentError, match="algorithm: expected one of .*, found 'scan'"):
        px.mass_matrix_inverse(robot, zero, algorithm="scan")
    with pytest.raises(ArgumentError, match=r"'scan' takes no parameters, found \('mass',\)"):
        px.forward_dynamics(robot, zero, zero, zero, algorithm="scan", mass=np.ones(5))
    for choice, message in (
        ({"function": "mass_matrix"}, "function: expected one of .*, found 'mass_matrix'"),
        ({"function": ["forward_dynamics"]}, "function: expected one of .*, found .'forward"),
        ({"algorithm": "newton_euler"}, "algorithm: expected one of .*, found 'newton_euler'"),
        (
            {"order": "kogge_stone"},
            r"one of \('p_fold', 'serial', .*'\) for articulated_body",
        ),
        ({"threads": 0}, "threads: expected None or an integer >= 1, found 0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            px.chains.chain_dynamics(robot, **choice)
    with pytest.raises(ArgumentError, match="expected a Robot"):
        px.chains.chain_dynamics("ur5")


# -- elsewhere -------------------------------------------------------------------------------------


def test_a_long_chain_inside_a_trace():
    robot, still = chain(66, "revolute"), [0.0] * 66

    def hold(q):
        return {"tau": px.inverse_dynamics(robot, q, still, still)}

    q, _, _ = slow_states(robot, 2)
    traced = px.trace(hold, q=66).evaluate(q=q)
    assert relative_error(traced, px.inverse_dynamics(robot, q, still, still)) < ROUNDING


def test_a_straight_chain_at_rest():
    """All seats and axes alike: b of a seat is not determined, and a twist is zero."""
    rod = Inertia.of(1.0, (0.5, 0.0, 0.0), np.diag([0.01, 0.1, 0.1]))
    seat = Pose.from_rpy((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    joints = [Joint(f"j{i}", "revolute", i - 1, seat, (0.0, 0.0, 1.0)) for i in range(300)]
    robot = Robot("straight", joints, [rod] * 300, (), (0.0, -10.0, 0.0))
    zero = np.zeros(300)
    reach = np.arange(300, 0, -1.0)
    for way in WAYS:
        torques = px.inverse_dynamics(robot, zero, zero, zero, algorithm=way)
        np.testing.assert_allclose(torques, 10.0 * reach**2 / 2, rtol=1e-12)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_child_finds_no_lock_held():
    """Forked while a thread computes, it must not wait for that thread."""
    robot = px.robots.chain(300)
    state = slow_states(robot, 1)
    px.forward_dynamics(robot, *state)
    along = px.chains.chain_dynamics(robot)
    with along._lock:  # as a thread has it that is not there in the child
        child = os.fork()
        if child == 0:
            along(*state)
            os._exit(7)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7

"""The benchmarks run, and time only what gives Pinocchio's numbers. No time is asserted."""

import io
import shutil

import numpy as np
import pytest

import paraxis as px

functions = pytest.importorskip("functions")  # of benchmarks/, with Pinocchio and CasADi
simulation = pytest.importorskip("simulation")  # with MuJoCo
closed_loop = pytest.importorskip("closed_loop")
environments = pytest.importorskip("environments")  # with gymnasium
console = pytest.importorskip("rich.console")


@pytest.fixture(scope="module")
def measured():
    return functions.measure("ur5", batch=600, rounds=1)


@pytest.mark.parametrize("name", functions.FUNCTIONS)
@pytest.mark.long
def test_every_function_is_measured_beside_its_peers(measured, name):
    row = measured["functions"][name]
    assert row["error"] <= 1e-9
    for peer, threads in (("paraxis", "1"), ("paraxis", "2"), ("pinocchio_calls", "1")):
        assert row[peer][threads] > 0
    assert row["casadi_c"]["2"] > 0
    assert ("pinocchio" in row) == (name == "forward_dynamics")


def test_the_measurements_print(measured):
    page = io.StringIO()
    functions.show({"ur5": measured}, 600, console.Console(file=page, width=150))
    for name in functions.FUNCTIONS:
        assert name in page.getvalue()


def test_a_peer_with_other_numbers_is_not_timed():
    with pytest.raises(ArithmeticError, match="mass_matrix by CasADi: expected Pinocchio's"):
        functions._checked("CasADi", "mass_matrix", [np.ones((3, 6, 6))], [np.eye(6)[None]])


@pytest.mark.parametrize("batch", (3, 1))
def test_a_simulation_is_measured_beside_its_peers(batch):
    row = simulation.measure("ur5", batch, steps=20, peer_steps=10, rounds=1)
    assert row["error"] <= 1e-9
    for peer in ("paraxis", "paraxis_all", *simulation.PEERS):
        assert row[peer] > 0
    page = io.StringIO()
    simulation.show({"rows": [row]}, console.Console(file=page, width=150))
    assert f"{batch} ur5" in page.getvalue()


@pytest.mark.long
def test_losses_are_measured_beside_the_bare_robot():
    row = simulation.measure_losses("ur5", 3, steps=5, rounds=1)
    assert all(row[key] > 0 for key in ("bare", "drives", "bearings"))
    page = io.StringIO()
    simulation.show_losses(row, console.Console(file=page, width=150))
    assert "3 ur5" in page.getvalue()


def test_a_peer_that_moves_otherwise_is_not_timed():
    run = simulation.px.simulate(simulation.px.load("ur5"), [[0.1] * 6], [0.0] * 6, dt=0.1, steps=1)
    elsewhere = run.q[-1] + 1e-3, run.qd[-1]
    with pytest.raises(ArithmeticError, match="ur5: expected the motion of MuJoCo, found an error"):
        simulation.checked("MuJoCo", "ur5", elsewhere, run, [0, 1, 2, 3, 4, 5])


def test_a_closed_loop_is_measured_beside_its_peers():
    row = closed_loop.measure(3, peer_steps=10, few=1, many=3, rounds=1)
    assert max(row["error"].values()) <= 1e-9
    for speed in (*row["paraxis"].values(), *(row[peer] for peer in row["error"])):
        assert speed > 0
    page = io.StringIO()
    closed_loop.show(row, console.Console(file=page, width=120))
    for name in ("Paraxis, 3 runs, hamilton", "Pinocchio, a batch", "MuJoCo, Python"):
        assert name in page.getvalue()


def test_a_peer_that_is_controlled_otherwise_is_not_timed():
    robot, still = px.robots.planar(3), np.zeros((1, 3))
    controller = px.control.pd(robot, 1.0, 1.0)
    run = px.control.closed_loop(
        robot, controller, [0.1] * 3, 1e-3, duration=1e-3, q0=still, record=("q", "qd")
    )
    with pytest.raises(ArithmeticError, match="expected the motion of mujoco, found an error"):
        closed_loop.checked("mujoco", (run.q[-1] + 1e-3, run.qd[-1]), run)


@pytest.mark.long
def test_environments_are_measured_beside_their_peers():
    row = environments.measure(3, rounds=1, steps=2)
    assert all(rate > 0 for rate in row.values())
    page = io.StringIO()
    environments.show({"rows": [row]}, console.Console(file=page, width=110))
    for name in ("balance float64", "CartPole-v1", "walk float32", "mujoco.rollout"):
        assert name in page.getvalue()


def test_a_first_call_is_timed_in_a_process_that_compiles():
    velocities, row = pytest.importorskip("compile_times").measure("ur5", "free", "mass_matrix")
    assert velocities == 12
    assert 0 < row["machine_code_s"] < row["first_call_s"]
    assert row["cached_s"] > 0 and row["peak_mib"] > 10


@pytest.mark.long
def test_an_exported_solver_is_measured_beside_its_python():
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc here")
    measured = pytest.importorskip("optimal_export").measure(rounds=2, ticks=20)
    assert measured["python"]["solve"] > 0 and measured["python"]["iterations"] > 0
    for level in ("-O2", "-O3 -march=native"):
        row = measured[level]
        assert row["iterations"] == measured["python"]["iterations"]
        assert 0 < row["tick"] <= row["tick_mean"] <= row["tick_worst"]

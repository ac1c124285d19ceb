"""Solvers as C: the numbers of Python, without allocation."""

import ctypes
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from support.exported import FLAGS, HOSTILE, needs, shell

import paraxis as px

METHODS = ("ilqr", "ddp", "sqp")
REAL = {"float64": ctypes.c_double, "float32": ctypes.c_float}
# What a test needs to know of the structures, without repeating them.
HARNESS = """
#include <stddef.h>
#include "{name}.h"
size_t size_of_work(void);
void results_of(const struct {name}_work *work, {real} *x, {real} *u, {real} *more, int *counts);
size_t size_of_work(void) {{ return sizeof(struct {name}_work); }}
void results_of(const struct {name}_work *work, {real} *x, {real} *u, {real} *more, int *counts)
{{
    const struct {name}_trajectory *found = {name}_solution(work);
    for (int k = 0; k < {NAME}_HORIZON; k++)
        for (int i = 0; i < {NAME}_NU; i++)
            u[k * {NAME}_NU + i] = found->knots[k].u[i];
    for (int k = 0; k <= {NAME}_HORIZON; k++)
        for (int i = 0; i < {NAME}_NX; i++)
            x[k * {NAME}_NX + i] = found->knots[k].x[i];
    more[0] = work->cost;
    more[1] = found->steepest;
    more[2] = found->widest;
    counts[0] = work->status;
    counts[1] = work->iterations;
}}
"""


def pendulum(x, u):
    rate = x[1] + 0.05 * (u[0] - 9.81 * px.math.sin(x[0]))
    return [x[0] + 0.05 * rate, rate]


def upright(x):
    return 100 * ((x[0] - np.pi) ** 2 + x[1] ** 2)


def swing(method, limits, horizon=60, **options):
    system = px.trace(pendulum, x=2, u=1)
    return px.optimal_control(
        system, lambda u: 0.01 * (u @ u), horizon, terminal=upright, method=method, limits=limits,
        **options,
    )  # fmt: skip


def reaching(robot, method="ilqr", limits=True, horizon=30, **options):
    def cost(q, qd, u, goal):
        return 0.5 * ((q - goal) @ (q - goal)) + 0.05 * (qd @ qd) + 5e-4 * (u @ u)

    def terminal(q, qd, goal):
        return 100 * ((q - goal) @ (q - goal) + 0.1 * (qd @ qd))

    parameters = {"goal": robot.nq} | options.pop("parameters", {})
    return px.optimal_control(
        robot, cost, horizon, dt=0.02, terminal=terminal, method=method, limits=limits,
        parameters=parameters, **options,
    )  # fmt: skip


def checked(exported, folder):
    """Build the self-test by the command that is given, and run it."""
    needs("c")
    (command,) = exported.build
    assert "-Wall -Wextra -Werror" in command
    return shell(command, exported.test, folder=folder)


class Native:
    """An exported solver, called from Python."""

    def __init__(self, solver, folder, dtype="float64", **options):
        needs("c")
        self.solver, self.dtype, self.type = solver, dtype, REAL[dtype]
        solver.export(folder, "ours", dtype, **options)
        real = "double" if dtype == "float64" else "float"
        (folder / "harness.c").write_text(HARNESS.format(name="ours", NAME="OURS", real=real))
        flags = f"{FLAGS['c']} -O1 -shared -fPIC"
        shell(f"gcc {flags} ours.c harness.c -lm -o ours.so", folder=folder)
        self.code = ctypes.CDLL(str(folder / "ours.so"))
        self.code.size_of_work.restype = ctypes.c_size_t
        self.work = self.new_work()

    def new_work(self):
        work = ctypes.create_string_buffer(b"\xa5" * self.code.size_of_work())
        self.code.ours_init(work)
        return work

    def arguments(self, x0, parameters):
        arrays = [x0, *(parameters[name] for name in self.solver.parameters)]
        self.kept = [np.ascontiguousarray(array, self.dtype) for array in arrays]
        return [array.ctypes.data_as(ctypes.c_void_p) for array in self.kept]

    def guess(self, *arrays):
        arrays = [np.ascontiguousarray(array, self.dtype) for array in arrays]
        self.code.ours_guess(self.work, *(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))

    def solve(self, x0, iterations, work=None, **parameters):
        """xs, us, cost, residual, gap, status and iterations."""
        work = work or self.work
        given = self.arguments(x0, parameters)
        status = self.code.ours_solve(work, *given, ctypes.c_int(iterations))
        found = self.results(work)
        assert found["status"] == status
        return found

    def tick(self, x, **parameters):
        u = np.full(self.solver.problem.system.nu, np.nan, self.dtype)
        given = self.arguments(x, parameters)
        status = self.code.ours_tick(self.work, *given, u.ctypes.data_as(ctypes.c_void_p))
        return u, status

    def results(self, work=None):
        system, horizon = self.solver.problem.system, self.solver.horizon
        xs, us = np.empty((horizon + 1, system.nx)), np.empty((horizon, system.nu))
        xs, us, more = xs.astype(self.dtype), us.astype(self.dtype), np.empty(3, self.dtype)
        counts = np.empty(2, np.intc)
        arrays = [each.ctypes.data_as(ctypes.c_void_p) for each in (xs, us, more, counts)]
        self.code.results_of(work or self.work, *arrays)
        names = ("cost", "residual", "gap", "status", "iterations")
        return {"xs": xs, "us": us} | dict(zip(names, [*more, *counts.tolist()], strict=True))


def same(ours, theirs, k, tolerance=1e-9):
    """Whether C and Python found the same in problem k."""
    assert ours["status"] == theirs.status[k] and ours["iterations"] == theirs.iterations[k]
    for name in ("xs", "us", "cost", "residual", "gap"):
        found, expected = ours[name], np.asarray(getattr(theirs, name)[k])
        assert abs(found - expected).max() <= tolerance * max(1, abs(expected).max()), name


# -- what the self-test says -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", METHODS)
def test_the_self_test_of_a_pendulum_with_limits(method, dtype, tmp_path):
    exported = swing(method, (-3.0, 3.0)).export(tmp_path, dtype=dtype)
    assert [path.split("/")[-1] for path in exported.paths] == [
        "pendulum_solver.h", "pendulum_solver.c", "pendulum_solver_test.c"
    ]  # fmt: skip
    printed = checked(exported, tmp_path)
    assert printed.startswith("pendulum_solver: error of controls") and "4 problems" in printed


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.long)])
def test_the_self_test_of_an_arm_with_a_parameter(dtype, tmp_path):
    checked(reaching(px.load("ur5")).export(tmp_path, "reach", dtype, iterations=5), tmp_path)


def test_a_wrong_solver_fails_its_self_test(tmp_path):
    exported = swing("ilqr", False).export(tmp_path, "swing")
    path = tmp_path / "swing.c"
    text, right = path.read_text(), "4 * work->length : 1;"
    assert text.count(right) == 1
    path.write_text(text.replace(right, "4 * work->length : 0.5;"))
    with pytest.raises(AssertionError, match="error of controls"):
        checked(exported, tmp_path)


def test_no_allocation_no_globals_and_no_undefined_behaviour(tmp_path):
    solver = reaching(px.robots.planar(3), limits=(-5.0, 5.0))
    exported = solver.export(tmp_path, "reach", iterations=5)
    text = (tmp_path / "reach.h").read_text() + (tmp_path / "reach.c").read_text()
    assert not re.search(r"\b(malloc|calloc|realloc|free|alloca)\b", text)
    checked(exported, tmp_path)
    options = "-fsanitize=undefined,address -fno-sanitize-recover=all -g -O1"
    built = shell(
        f"gcc -std=c99 {options} reach.c reach_test.c -lm -o sanitized", "./sanitized",
        folder=tmp_path,
    )  # fmt: skip
    assert "error of controls" in built
    symbols = shell("gcc -std=c99 -c reach.c -o reach.o", "nm reach.o", folder=tmp_path)
    assert not [line for line in symbols.splitlines() if re.search(r" [bBdDC] ", line)]


@pytest.mark.parametrize("method", METHODS)
def test_one_step_of_a_robot_with_any_name(method, tmp_path):
    arm = replace(px.robots.planar(1), name=HOSTILE[0])
    exported = reaching(arm, method, (-5.0, 5.0), horizon=1).export(tmp_path)
    assert "solver: error of controls" in checked(exported, tmp_path)
    native = Native(reaching(arm, method, (-5.0, 5.0), horizon=1), tmp_path / "native")
    u, _ = native.tick(np.array([0.1, 0.0]), goal=np.array([0.3]))
    assert 0 < abs(u[0]) <= 5


@pytest.mark.parametrize("level", ["-O0", "-O1", "-Os", "-O3"])
def test_compilers_at_any_level(level, tmp_path):
    needs("c")
    solver = swing("ilqr", (-3.0, 3.0), horizon=20)
    exported = solver.export(tmp_path, "swing")
    command = exported.build[0].replace("cc ", "gcc ", 1).replace("-O2", level)
    assert level in command
    shell(command, exported.test, folder=tmp_path)


def test_a_header_for_cpp(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("there is no g++ here")
    swing("sqp", False, horizon=10).export(tmp_path, "swing")
    (tmp_path / "use.cpp").write_text(
        '#include "swing.h"\nint use(swing_work *work, double *x)\n'
        "{ swing_init(work); return swing_solve(work, x, 3) == SWING_SOLVED; }\n"
    )
    shell("g++ -std=c++11 -pedantic -Wall -Wextra -Werror -c use.cpp -o use.o", folder=tmp_path)


# -- the numbers of Python -------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [False, (-5.0, 5.0)])
@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_from_a_first_guess(method, limits, tmp_path):
    """Many rounds, with refused steps and damping, and steps against limits."""
    solver = swing(method, limits)
    rng = np.random.default_rng(1)
    x0, us = rng.uniform(-0.5, 0.5, (6, 2)), rng.normal(size=(6, 60, 1))
    native = Native(solver, tmp_path)
    for iterations in (1, 3, 12):
        expected = solver.solve(x0, us=us, iterations=iterations)
        for k in range(6):
            native.code.ours_init(native.work)
            xs = np.repeat(x0[k : k + 1], 61, 0)
            native.guess(us[k], *([xs] if method == "sqp" else []))
            same(native.solve(x0[k], iterations), expected, k, 1e-8)
    if limits:
        assert abs(expected.us).max() == 5.0


@pytest.mark.parametrize("method", METHODS)
def test_an_arm_until_it_is_solved(method, tmp_path):
    solver = reaching(px.robots.planar(3), method, (-6.0, 6.0))
    rng = np.random.default_rng(2)
    x0, goal = rng.uniform(-0.5, 0.5, (5, 6)), rng.uniform(-1, 1, (5, 3))
    expected = solver.solve(x0, goal=goal)
    assert expected.solved.all() and abs(expected.us).max() == 6.0
    native = Native(solver, tmp_path)
    for k in range(5):
        native.code.ours_init(native.work)
        same(native.solve(x0[k], 100, goal=goal[k]), expected, k)


def test_a_solution_is_where_the_next_search_begins(tmp_path):
    solver = reaching(px.robots.planar(2), limits=False)
    native, x0, goal = Native(solver, tmp_path), np.zeros(4), np.array([0.5, -0.3])
    first = native.solve(x0, 100, goal=goal)
    moved = native.solve(x0 + 0.01, 100, goal=goal)
    expected = solver.solve([x0 + 0.01], us=first["us"][None], goal=goal)
    same(moved, expected, 0)


def test_parameters_of_the_robot_per_step_and_scalars(tmp_path):
    arm = px.robots.planar(2)

    def cost(q, qd, u, path, weight):
        return weight * ((q - path) @ (q - path)) + 0.01 * (qd @ qd) + 1e-3 * (u @ u)

    def terminal(q, path):
        return 50 * ((q - path) @ (q - path))

    solver = px.optimal_control(
        arm, cost, 15, dt=0.02, terminal=terminal,
        parameters={"path": 2, "weight": (), "mass": None}, per_step=["path"],
    )  # fmt: skip
    rng = np.random.default_rng(3)
    x0, path = rng.uniform(-0.3, 0.3, (3, 4)), rng.uniform(0, 1, (3, 16, 2))
    weight, mass = rng.uniform(0.5, 2, 3), rng.uniform(0.5, 2, (3, 2))
    expected = solver.solve(x0, path=path, weight=weight, mass=mass)
    native = Native(solver, tmp_path)
    for k in range(3):
        native.code.ours_init(native.work)
        given = {"path": path[k], "weight": weight[k], "mass": mass[k]}
        same(native.solve(x0[k], 100, **given), expected, k)
    checked(solver.export(tmp_path / "test", "ours"), tmp_path)


@pytest.mark.parametrize("method", ["ilqr", pytest.param("sqp", marks=pytest.mark.long)])
def test_a_curved_system_with_actuation(method, tmp_path):
    """A free body with four rotors: its states are on a manifold."""
    from paraxis.robots import Inertia, Joint

    body = Inertia.of(1.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.02))
    robot = px.Robot("drone", [Joint("base", "free")], [body], warn=False)

    def rotors(u):
        total = u[0] + u[1] + u[2] + u[3]
        roll, pitch = 0.2 * (u[1] - u[3]), 0.2 * (u[2] - u[0])
        return [roll, pitch, 0.02 * (u[0] - u[1] + u[2] - u[3]), 0.0, 0.0, total]

    def cost(q, qd, u, goal):
        off = [q[k] - goal[k] for k in range(3)]
        return sum(e * e for e in off) + 0.1 * (qd @ qd) + 0.01 * (u @ u)

    solver = px.optimal_control(
        robot, cost, 20, dt=0.05, actuation=rotors, controls=4, limits=(0.0, 6.0),
        parameters={"goal": 3}, method=method,
    )  # fmt: skip
    x0, goal = np.concatenate([px.neutral(robot), np.zeros(6)]), np.array([0.3, -0.2, 0.4])
    expected = solver.solve([x0], goal=goal, iterations=8)
    native = Native(solver, tmp_path, problems={"x0": x0[None], "goal": goal[None]})
    same(native.solve(x0, 8, goal=goal), expected, 0)


@pytest.mark.parametrize("method", METHODS)
def test_constraints_are_kept(method, tmp_path):
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system, lambda u: 0.01 * (u @ u), 40, method=method,
        inequality=lambda x, u: [x[1] - 2.0, u[0] - 9.0],
        terminal_equality=lambda x: [x[0] - 1.0, x[1]],
    )  # fmt: skip
    native = Native(solver, tmp_path, iterations=6)
    for iterations in (4, 12, 300):
        expected = solver.solve([[0.0, 0.0]], iterations=iterations)
        native.code.ours_init(native.work)
        same(native.solve(np.zeros(2), iterations), expected, 0, 1e-7)
    assert expected.solved.all() and abs(expected.xs[0, -1] - [1.0, 0.0]).max() < 1e-5


def test_what_cannot_be_solved_says_so(tmp_path):
    system = px.trace(pendulum, x=2, u=1)
    solver = px.optimal_control(
        system, lambda u: 0.01 * (u @ u), 20, limits=(-1.0, 1.0),
        terminal_equality=lambda x, goal: [x[0] - goal], parameters={"goal": ()},
    )  # fmt: skip
    native, Status = Native(solver, tmp_path, iterations=4), px.optimal.Status
    assert native.solve(np.zeros(2), 400, goal=50.0)["status"] == Status.INFEASIBLE
    assert native.solve(np.array([0, np.nan]), 400, goal=0.1)["status"] == Status.FAILED
    assert native.solve(np.zeros(2), 2, goal=0.1)["status"] == Status.OUT_OF_ITERATIONS
    assert native.solve(np.zeros(2), 400, goal=0.1)["status"] == Status.SOLVED


def test_solvers_side_by_side(tmp_path):
    """Memory is the caller's alone: turns do not change numbers."""
    native = Native(swing("ilqr", (-3.0, 3.0)), tmp_path)
    states = np.random.default_rng(4).uniform(-1, 1, (2, 2))
    alone = []
    for x0 in states:
        native.code.ours_init(native.work)
        alone.append([native.solve(x0, 3)["us"], native.solve(x0, 3)["us"]])
    works = [native.new_work() for _ in states]
    for turn in range(2):
        for k, x0 in enumerate(states):
            assert np.array_equal(native.solve(x0, 3, works[k])["us"], alone[k][turn])


# -- ticks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_ticks_of_a_linear_quadratic_problem_are_its_optima(method, tmp_path):
    rng = np.random.default_rng(5)
    A, B = np.eye(4) + 0.1 * rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    system = px.trace(lambda x, u: A @ x + B @ u, x=4, u=2)
    solver = px.optimal_control(
        system, lambda x, u: x @ x + 0.1 * (u @ u), 12, terminal=lambda x: 3 * (x @ x),
        method=method,
    )  # fmt: skip
    native, x = Native(solver, tmp_path), rng.normal(size=4)
    native.tick(x)  # makes the first plan
    for _ in range(10):
        u, _ = native.tick(x)
        expected = solver.solve(x[None])
        assert abs(u - expected.us[0, 0]).max() < 1e-9
        assert abs(native.results()["xs"][0] - (A @ x + B @ u)).max() < 1e-9
        x = A @ x + B @ u + 0.1 * rng.normal(size=4)


@pytest.mark.parametrize("method", METHODS)
def test_a_closed_loop_follows_a_goal_that_jumps(method, tmp_path):
    arm = px.robots.planar(3)
    solver = reaching(arm, method, (-60.0, 60.0))
    native, step = Native(solver, tmp_path), solver.problem.system
    x, goal = np.zeros(6), np.array([0.4, -0.2, 0.3])
    hold = px.trace(lambda x, u: step.step(x, u, {}), x=6, u=3).compile()
    native.solve(x, 100, goal=goal)
    most = 0
    for tick in range(300):
        if tick == 80:
            goal = -goal
        if tick == 160:
            x[:3] += 0.2  # somebody pushes
        u, status = native.tick(x, goal=goal)
        assert np.isfinite(u).all() and abs(u).max() <= 60.0
        most = max(most, abs(u).max())
        assert status in (px.optimal.Status.SOLVED, px.optimal.Status.OUT_OF_ITERATIONS)
        x = hold(x, u)
    best = solver.solve(x[None], goal=goal, tolerance=1e-13).us[0, 0]
    assert abs(u - best).max() < 1e-2 * abs(best).max() + 1e-3
    assert abs(x[3:]).max() < 5e-2


def test_a_measurement_that_is_not_finite_leaves_the_plan(tmp_path):
    solver = reaching(px.robots.planar(2), limits=(-6.0, 6.0))
    native, goal = Native(solver, tmp_path), np.array([0.4, -0.2])
    native.solve(np.zeros(4), 100, goal=goal)
    plan = native.results()["us"]
    u, _ = native.tick(np.array([np.nan, 0, 0, 0]), goal=goal)
    assert abs(u - plan[0]).max() < 1e-3
    assert np.isfinite(native.results()["us"]).all()
    u, _ = native.tick(np.zeros(4), goal=goal)
    assert np.isfinite(u).all()


def test_who_has_lost_the_way_begins_anew(tmp_path):
    """A single wrong measurement leads full steps away from where the arm is."""
    solver = reaching(px.robots.planar(2), "sqp", (-60.0, 60.0), 20)
    native, goal, step = Native(solver, tmp_path), np.array([0.1, 0.2]), solver.problem.system
    hold = px.trace(lambda x, u: step.step(x, u, {}), x=4, u=2).compile()
    native.solve(np.zeros(4), 100, goal=goal)
    x, statuses = np.zeros(4), []
    for tick in range(200):
        u, status = native.tick(x if tick != 5 else np.array([10.0, 0, 0, 0]), goal=goal)
        x, statuses = hold(x, u), [*statuses, status]
    assert max(statuses) > px.optimal.Status.OUT_OF_ITERATIONS  # it was lost
    assert abs(x[:2] - goal).max() < 5e-2 and max(statuses[100:]) <= 1


@pytest.mark.parametrize("method", METHODS)
def test_a_first_measurement_that_is_not_finite_is_forgotten(method, tmp_path):
    solver = reaching(px.robots.planar(2), method, limits=(-40.0, 40.0))
    native, goal = Native(solver, tmp_path), np.array([0.4, -0.2])
    _, status = native.tick(np.array([0, np.nan, 0, 0]), goal=goal)
    assert status == px.optimal.Status.FAILED
    controls = [native.tick(np.zeros(4), goal=goal)[0] for _ in range(2)]
    native.code.ours_init(native.work)
    expected = [native.tick(np.zeros(4), goal=goal)[0] for _ in range(2)]
    assert np.isfinite(controls).all() and np.array_equal(controls, expected)


# -- what is refused -------------------------------------------------------------------------------


def test_what_is_refused(tmp_path):
    solver = swing("ilqr", False, horizon=5)
    with pytest.raises(px.ArgumentError, match="name: expected a letter"):
        solver.export(tmp_path, "while")
    with pytest.raises(px.ArgumentError, match="dtype"):
        solver.export(tmp_path, dtype="float16")
    with pytest.raises(px.ArgumentError, match=r"problems: expected arrays x0; found goal"):
        solver.export(tmp_path, problems={"x0": np.zeros((1, 2)), "goal": np.zeros(1)})
    with pytest.raises(px.ArgumentError, match=r"problems \(x0\): expected shape"):
        solver.export(tmp_path, problems={"x0": np.zeros((1, 3))})
    with pytest.raises(px.ArgumentError, match="too far for a test of float64"):
        solver.export(tmp_path, problems={"x0": np.full((1, 2), np.nan)})
    with pytest.raises(px.ArgumentError, match="arrays by name"):
        solver.export(tmp_path, problems=3)


def test_problems_of_the_self_test_are_broadcast(tmp_path):
    solver = reaching(px.robots.planar(2), limits=False)
    checked(
        solver.export(tmp_path, problems={"x0": np.zeros((3, 4)), "goal": [0.3, 0.2]}), tmp_path
    )
    for given in (
        {"x0": np.zeros((3, 4)), "goal": 0.3},
        {"x0": np.zeros(4), "goal": np.ones((2, 2))},
    ):
        with pytest.raises(px.ArgumentError, match=r"problems \(goal\): expected shape"):
            solver.export(tmp_path, problems=given)

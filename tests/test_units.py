"""Every public function of a robot, in millimetres and milligrams, metres and kilograms, kilometres
and tonnes: what is small enough to be nothing is so in all of them.

The same physics in other units: inputs are multiplied by the factors of their dimensions, results
divided by theirs, and these must agree. A public function that takes a robot and is not in the
table fails the last test.
"""

import inspect
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.robots import random_robot, with_losses
from support.units import KILOMETRES, METRES, MILLIMETRES, Units

import paraxis as px
from paraxis.robots.scales import joint_scales, length_scale

OTHERS = (MILLIMETRES, KILOMETRES)
SMALL = Units(length=1e-4, mass=1e-8)  # numbers of a robot that is not measured but made smaller


@cache
def arm():
    """A tilting slide; nothing is along an axis that need not be. Small: it is compiled often."""
    joints = (
        px.robots.Joint(
            "tilt", "revolute", -1, px.robots.Pose(translation=(0.0, 0.1, 0.3)), (0, 1, 0)
        ),
        px.robots.Joint(
            "slide",
            "prismatic",
            0,
            px.robots.Pose(translation=(0.2, 0, 0)),
            (1, 0, 0),
            -0.5,
            0.5,
            2.0,
        ),
    )
    bodies = (
        px.robots.Inertia(3.0, (0.1, 0.02, 0.05), (0.03, 0.04, 0.05, 0.001, 0.002, 0.003)),
        px.robots.Inertia(2.0, (0.05, 0.0, 0.01), (0.01, 0.02, 0.02, 0.001, 0.0, 0.0)),
    )
    frames = (px.robots.Frame("tip", 1, px.robots.Pose.from_rpy((0.4, 0, 0.1), (0, 0.3, 0))),)
    return px.Robot("arm", joints, bodies, frames)


@cache
def lossy_arm():
    turns = px.robots.Friction((px.robots.JournalBearing(0.05, 0.02, 0.2),), 0.3, 0.5, 0.7)
    slides = px.robots.Friction((px.robots.LinearBearing(0.05, 0.3),), 2.0, 3.0, 4.0)
    gear = px.robots.Transmission(50.0, 0.8, break_away=0.2, rotor_inertia=1e-4)
    tilt, slide = arm().joints
    tilt = replace(tilt, friction=turns, transmission=gear)
    return replace(arm(), joints=(tilt, replace(slide, friction=slides)))


@cache
def sprung_arm():
    tilt, slide = arm().joints
    tilt = replace(tilt, spring=px.robots.Spring(3.0, 0.2))
    return replace(arm(), joints=(tilt, replace(slide, spring=px.robots.Spring(50.0, -0.1))))


@cache
def in_units(units, robot):
    return units.robot(robot())


@cache
def puma():
    return px.load("puma560")


def state(seed=0, n=2):
    return np.random.default_rng(seed).uniform(-0.4, 0.4, (3, n))


def agree(made, others=OTHERS, most=1e-9):
    """What `made(units)` returns, arrays by name with their factors, is the same in all units."""
    expected = {name: value / factor for name, (value, factor) in made(METRES).items()}
    for units in others:
        for name, (value, factor) in made(units).items():
            found, wanted = np.asarray(value / factor, float), np.asarray(expected[name], float)
            largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
            np.testing.assert_allclose(
                found, wanted, rtol=0, atol=most * (largest or 1.0), err_msg=f"{name} {units}"
            )


# -- functions with a Program ----------------------------------------------------------------------


def factors(units, robot, function):
    """Of the outputs, in order."""
    torques, twist, wrench = units.torques(robot), units.twist, units.wrench()
    by = [units.joints(robot, rates) for rates in range(3)]
    parameters = [units.of(k, 1) for k in (0, 1, 1, 1, 2, 2, 2, 2, 2, 2)] * robot.n
    parameters += [units.of(2, 1) if joint.is_revolute else units.mass for joint in robot.joints]
    return {
        "inverse_dynamics": [torques],
        "forward_dynamics": [by[2]],
        "motor_torques": [torques] * 5,
        "joint_reactions": [wrench],
        "mass_matrix": [torques[:, None] / by[2]],
        "mass_matrix_inverse": [by[2][:, None] / torques],
        "bias_forces": [torques],
        "gravity_torques": [torques],
        "spring_torques": [torques],
        "coriolis_matrix": [torques[:, None] / by[1]],
        "kinetic_energy": [units.torque],
        "potential_energy": [units.torque],
        "centre_of_mass": [units.length],
        "centre_of_mass_jacobian": [units.length / by[0]],
        "centroidal_momentum": [wrench * units.time],
        "centroidal_momentum_matrix": [wrench[:, None] * units.time / by[1]],
        "centroidal_bias": [wrench],
        "integrate": [by[0]],
        "difference": [by[0]],
        "integrate_derivatives": [by[0][:, None] / by[0]] * 2,
        "difference_derivatives": [by[0][:, None] / by[0]] * 2,
        "normalize": [by[0]],
        "forward_kinematics": [units.pose()],
        "frame_poses": [units.pose()],
        "jacobian": [twist(0)[:, None] / by[0]],
        "bias_acceleration": [twist(2)],
        "operational_space_inertia": [wrench[:, None] / twist(2)],
        "operational_space_inertia_inverse": [twist(2)[:, None] / wrench],
        "inverse_dynamics_derivatives": [torques[:, None] / each for each in by[:2]],
        "forward_dynamics_derivatives": [by[2][:, None] / each for each in (*by[:2], torques)],
        "regressor": [torques[:, None] / parameters],
    }[function]


@pytest.mark.parametrize("function", px.functions())
def test_programs(function):
    made = puma if function == "operational_space_inertia" else lossy_arm
    made = {"regressor": arm, "spring_torques": sprung_arm}.get(function, made)
    q, qd, last = state(n=made().n)

    def evaluated(units):
        robot = in_units(units, made)
        program = px.program(robot, function)
        given = {
            "q": q * units.joints(robot),
            "qd": qd * units.joints(robot, 1),
            "qdd": last * units.joints(robot, 2),
            "tau": last * units.torques(robot),
            "v": qd * units.joints(robot),
            "q0": q * units.joints(robot),
            "q1": qd * units.joints(robot),
        }
        found = program.evaluate(**{name: given[name] for name in program.inputs})
        found = found.values() if isinstance(found, dict) else [found]
        each = zip(program.outputs, found, factors(units, robot, function), strict=True)
        return {name: result for name, *result in each}

    agree(evaluated)


# -- all other functions of a robot ----------------------------------------------------------------

CASES = {}


def case(*names, robot=arm, others=OTHERS, most=1e-9, long=False):
    """Note a function of (units, robot in these units) as the test of some public names.

    What takes long to compile is `long`, in all units or in some.
    """

    def noted(function):
        CASES[function.__name__] = names, (function, robot, others, most), long
        return function

    return noted


def cases():
    for name, (_, (function, robot, others, most), long) in CASES.items():
        for units in others:
            marks = [pytest.mark.long] if long is True or units in (long or ()) else []
            yield pytest.param(
                function, robot, units, most, marks=marks, id=f"{name}-{units.length:g}"
            )


@case("forward_dynamics_with_friction", robot=lossy_arm, long=[KILOMETRES])
def friction(u, robot):
    q, qd, qdd = (x * u.joints(robot, k) for k, x in enumerate(state()))
    qd, qdd = np.stack([qd, qd, 0 * qd, 0 * qd]), np.stack([qdd, 0 * qd, qdd, 0 * qdd])
    motor = px.motor_torques(robot, q, qd, qdd).input
    motor = np.concatenate([motor, 0 * motor[:1]])  # the last: a free fall
    found = px.forward_dynamics_with_friction(robot, q, np.concatenate([qd, qd[-1:]]), motor)
    assert found.solved.all()
    np.testing.assert_allclose(found.qdd[:4], qdd, rtol=1e-7, atol=1e-7 * abs(qdd).max())
    return {"qdd": (found.qdd, u.joints(robot, 2))}


@case("constrained_forward_dynamics", "project_velocity", long=[KILOMETRES])
def contacts(u, robot):
    q, qd, tau = state()
    q, qd = q * u.joints(robot), qd * u.joints(robot, 1)
    stays = px.Contact.sliding(smoothing=1e-3 * u.of(1, 0, -1), friction=0.3)
    motion = px.constrained_forward_dynamics(robot, q, qd, tau * u.torques(robot), stays)
    return {
        "qdd": (motion.qdd, u.joints(robot, 2)),
        "force": (motion.force, u.wrench()),
        "rank": (motion.rank, 1),
        "qd": (px.project_velocity(robot, q, qd, stays), u.joints(robot, 1)),
    }


@case("inverse_kinematics", robot=arm, long=[KILOMETRES])
def search(u, robot):
    near, beside, _ = state() * u.joints(robot)
    poses = px.forward_kinematics(robot, np.stack([near, beside]))
    poses = np.concatenate([poses, poses[:1]])
    poses[2, 0, 3] += 3.0 * u.length  # out of reach
    found = px.inverse_kinematics(robot, poses, q0=0.9 * near)
    assert found.solved.tolist() == [True, True, False]
    return {"q": (found.q, u.joints(robot)), "singular": (found.singular, 1)}


@case("close", robot=arm, long=[KILOMETRES])
def assembly(u, robot):
    wall = px.robots.Frame("wall", -1, px.robots.Pose(translation=(0.6 * u.length, 0, 0)))
    loop = px.robots.Loop("wall", robot.frame("tip"), wall, [0, 0, 0, 1, 0, 0])
    found = px.kinematics.close(robot.with_loops(loop), state() * u.joints(robot))
    assert found.solved.all()
    return {"q": (found.q, u.joints(robot))}


@case("inverse_kinematics_solutions", "positioning_solutions", robot=puma, long=True)
def closed_forms(u, robot):
    poses = px.forward_kinematics(robot, state(n=6))
    hand = px.kinematics.inverse_kinematics_solutions(robot, poses)
    wrist = replace(robot, frames=(px.robots.Frame("wrist", 3),), warn=False)
    v, a = np.array([0.1, 0.2, 0.3]) * u.of(1, 0, -1), np.array([0.3, 0.1, 0.0]) * u.of(1, 0, -2)
    place = px.forward_kinematics(wrist, state(n=6))[:, :3, 3]
    point = px.kinematics.positioning_solutions(wrist, place, v, a)
    assert hand.solved.any() and point.solved.any()
    results = {"hand": hand.q, "qd": point.qd * u.time, "qdd": point.qdd * u.time**2}
    results |= {"solved": hand.solved, "reached": point.solved}
    return {name: (np.nan_to_num(value), 1.0) for name, value in results.items()}


@case("simulate", robot=lossy_arm, most=1e-7, long=[KILOMETRES])
def simulation(u, robot):
    q, qd, tau = state()
    given = q * u.joints(robot), qd * u.joints(robot, 1), tau * u.torques(robot)
    step = {"dt": 1e-2 * u.time, "steps": 5, "method": "semi_implicit_euler"}
    run = px.simulate(robot, *given, **step)
    return {"q": (run.q, u.joints(robot)), "qd": (run.qd, u.joints(robot, 1))}


@case("Simulator", most=1e-7, long=[KILOMETRES])
def stepping_onto_a_stop(u, robot):
    q, qd = state()[0] * u.joints(robot), np.array([0.0, 2.0]) * u.joints(robot, 1)
    simulator = px.Simulator(robot, dt=5e-3 * u.time, limits=px.simulation.Limits(velocity=False))
    at = simulator.reset(q, qd)
    simulator.step(n=80)
    return {"q": (at.q, u.joints(robot)), "qd": (at.qd, u.joints(robot, 1))}


@case("simulate", most=1e-12, long=[KILOMETRES])
def adaptive_simulation(u, robot):
    q, qd, tau = state()
    given = q * u.joints(robot), qd * u.joints(robot, 1), tau * u.torques(robot)
    step = {"dt": 0.1 * u.time, "steps": 2, "method": "adaptive", "tolerance": 1e-5}
    run = px.simulate(robot, *given, **step)
    return {"q": (run.q, u.joints(robot)), "qd": (run.qd, u.joints(robot, 1))}


@case("simulate", long=[KILOMETRES])
def simulation_in_contact(u, robot):
    """Rates against a contact are refused, and what may be drift is not."""
    pinned, q = px.Contact.sliding(), state()[0] * u.joints(robot)
    qd = px.project_velocity(robot, q, state()[1] * u.joints(robot, 1), pinned)
    up = np.array([0.0, 0.0, u.of(1, 0, -1)])  # a metre per second, of each joint that can
    J = px.jacobian(robot, q)[3:]
    against = np.linalg.lstsq(J * u.joints(robot, 1), up)[0] * u.joints(robot, 1)
    step = {"dt": 1e-3 * u.time, "steps": 2, "contact": pinned}
    with pytest.raises(px.ArgumentError, match="against its contact"):
        px.simulate(robot, q, 0.01 * against, **step)
    run = px.simulate(robot, q, qd + 1e-5 * against, **step)
    return {"force": (run.force, u.wrench()), "q": (run.q, u.joints(robot))}


@case("cartesian_line", "cartesian_via_points", "Trajectory", long=[KILOMETRES])
def cartesian(u, robot):
    q = np.array([0.3, 0.1]) * u.joints(robot)
    start = px.forward_kinematics(robot, q)[:3, 3]
    corner, end = start + u.length * np.array([[0.05, 0.0, 0.05], [0.0, 0.0, 0.1]])
    limits = {"max_velocity": u.of(1, 0, -1), "max_acceleration": 2 * u.of(1, 0, -2)}
    line = px.trajectories.cartesian_line(robot, q, corner, duration=u.time)
    path = px.trajectories.cartesian_via_points(
        robot, q, [corner, end], blend=0.02 * u.length, **limits
    )
    results = {"duration": (path.duration, u.time)}
    for name, each in (("line", line), ("path", path)):
        _, *motion = each.sample(samples=6)
        for k, part in enumerate(motion):
            results[f"{name} {k}"] = part, u.joints(robot, k)
    return results


@case("quintic", "trapezoidal", "via_points", "Trajectory", most=1e-6)
def joint_motions(u, robot):
    """With limits that are met: a joint may be a little beyond, as rounding has it."""
    scale, beyond = u.joints(robot), 0.5 * u.length * (1 + 1e-12)
    q0, q1 = np.zeros(2), np.array([0.5 * scale[0], beyond])
    motions = [
        px.trajectories.quintic(q0, q1, u.time, robot=robot),
        px.trajectories.via_points([q0, q1, q0], [0, u.time, 2.5 * u.time]),
        px.trajectories.trapezoidal(q0, q1, u.joints(robot, 1), u.joints(robot, 2), robot=robot),
    ]
    limits = 200.0 * u.torques(robot)
    motions.append(motions[0].scaled(robot, max_velocity=np.inf, max_torque=limits))
    return {f"duration {k}": (each.duration, u.time) for k, each in enumerate(motions)}


@case("Trajectory", robot=lossy_arm, most=1e-4, long=True)
def fastest_motion(u, robot):
    points = np.array([[0.0, 0.0], [0.5, 0.3], [0.1, 0.2]]) * u.joints(robot)
    path = px.trajectories.via_points(points, np.array([0.0, 1.0, 2.0]) * u.time)
    quick = path.fastest(robot, max_velocity=u.joints(robot, 1), max_torque=150 * u.torques(robot))
    return {"duration": (quick.duration, u.time)}


@case("safe_period", "computed_torque", "Controller", others=(*OTHERS, SMALL), most=2e-4)
def safe_period(u, robot):
    law = px.control.computed_torque(
        robot, 100.0 / u.time**2, 20.0 / u.time, px.control.policy("hamilton")
    )
    found = px.control.safe_period(robot, law, state()[0] * u.joints(robot))
    return {"period": (found.period, u.time), "unstable": (found.unstable, u.time)}


@case("safe_period", "pd", "feed_forward", most=2e-4)
def where_it_rests(u, robot):
    """Gravity pulls the arm off the posture, until the errors' torques hold it."""
    stiff, damped = (1e3 * u.torques(robot) / u.joints(robot, k) for k in (0, 1))
    posture = state()[0] * u.joints(robot)
    results = {}
    for law in (px.control.pd, px.control.feed_forward):
        found = px.control.safe_period(robot, law(robot, stiff, 0.1 * damped), posture)
        results[f"{law.__name__} posture"] = found.posture, u.joints(robot)
        results[f"{law.__name__} period"] = found.period, u.time
    return results


def swaying(u, robot):
    """The functions of a motion that comes back after two seconds."""
    scale, rate = 0.1 * u.joints(robot), np.pi / u.time

    def motion(t):
        q = [px.math.sin(t * rate + k) * each for k, each in enumerate(scale)]
        qd = [px.math.cos(t * rate + k) * (each * rate) for k, each in enumerate(scale)]
        return q, qd, [x * -(rate**2) for x in q]

    return motion


@case("safe_period", most=1e-2, long=True)
def periodic_safe_period(u, robot):
    policy = px.control.policy("binder_herzog")
    law = px.control.computed_torque(robot, 100.0 / u.time**2, 20.0 / u.time, policy)
    options = {"periodic": True, "duration": 2 * u.time}
    return {
        "period": (px.control.safe_period(robot, law, swaying(u, robot), **options).period, u.time)
    }


@case("simulated_safe_period", "closed_loop", most=1e-3, long=True)
def simulated_safe_period(u, robot):
    law = px.control.computed_torque(
        robot, 100.0 / u.time**2, 20.0 / u.time, px.control.policy("hamilton")
    )
    span = {"shortest": 1e-3 * u.time, "longest": 0.1 * u.time, "duration": 2 * u.time}
    posture = state()[0] * u.joints(robot)
    found = px.control.simulated_safe_period(robot, law, posture, plant_step=1e-3 * u.time, **span)
    run = px.control.closed_loop(
        robot, law, posture, 1e-3 * u.time, duration=0.1 * u.time, q0=0.9 * posture, record="q"
    )
    return {"period": (found.period, u.time), "q": (run.q, u.joints(robot))}


@case("stability_atlas", most=1e-2, long=True)
def atlas(u, robot):
    robot = replace(robot, joints=[replace(j, lower=-np.inf, upper=np.inf) for j in robot.joints])
    maps = px.control.stability_atlas(
        robot, 100.0, policies=["binder_herzog"], axes={"speed": [0.5, 1.0]}, bound=1e3
    )
    return {"boundary": (maps["binder_herzog", "speed"].boundary, u.time)}


@case("stale_data_tradeoff", "best_cut", most=1e-2, long=True)
def worth_of_stale_data(u, robot):
    robot = replace(robot, joints=[replace(j, lower=-np.inf, upper=np.inf) for j in robot.joints])
    given = {"policies": "binder_herzog", "processors": 2, "latency": 10, "networks": "links"}
    found = px.control.stale_data_tradeoff(robot, 100.0, **given, bound=1e3)
    best = px.control.best_cut(robot, 2, 10)
    return {
        "loop time": (found.loop_time, 1),
        "safe period": (found.safe_period, u.time),
        "slowest": (best.slowest, u.time),
    }


@case("threaded_loop")
def on_threads(u, robot):
    """A period in which no step is missed, however busy the machine is."""
    law = px.control.computed_torque(robot, 1.0 / u.time**2, 2.0 / u.time, "binder_herzog")
    times = {"duration": 2 * u.time, "plant_step": 0.1 * u.time}
    run = px.control.threaded_loop(robot, law, swaying(u, robot), 0.5 * u.time, **times)
    return {"q": (run.q, u.joints(robot))}


@case(
    "program",
    "base_parameters",
    "inertial_parameters",
    "parameter_values",
    "payload",
    "external_force",
)
def parameters(u, robot):
    q, qd, qdd = (x * u.joints(robot, k) for k, x in enumerate(state()))
    load = px.payload(robot, 0.3 * u.mass, (0.1 * u.length, 0, 0), np.full(6, 0.01 * u.of(2, 1)))
    push = px.external_force(robot, q, np.arange(6.0) * u.wrench())
    program = px.program(robot, parameters=tuple(load))
    model = {name: px.parameter_values(robot, name) for name in load}
    return {
        "columns": (np.array(px.base_parameters(robot).columns), 1),
        "mass": (px.inertial_parameters(robot)[0], u.mass),
        "push": (push, u.wrench()),
        "tau": (program.evaluate(q=q, qd=qd, qdd=qdd, **load), u.torques(robot)),
        "own": (program.evaluate(q=q, qd=qd, qdd=qdd, **model), u.torques(robot)),
    }


@case("p_fold_plan")
def p_fold(u, robot):
    given = (x * u.joints(robot, k) for k, x in enumerate(state()))
    return {"tau": (px.parallel.p_fold_plan(robot, 2).carry_out(*given), u.torques(robot))}


@case("closed_form", "speculate", "streamlined_tasks", "systolic_array")
def what_is_written(u, robot):
    """As many terms and tasks: none is there, or not, because of a unit."""
    two = u.robot(px.robots.planar(2, 0.7, 1.3))
    return {
        "terms": (np.array([[len(e) for e in row] for row in px.closed_form(two).M]), 1),
        "stale": (len(px.control.speculate(two).outputs), 1),
        "tasks": (len(px.streamlined_tasks(two)), 1),
        "array": (px.parallel.systolic_array(two).latency, 1),
    }


@case("constraint_factors")
def factors_of_links(u, robot):
    found = px.chains.constraint_factors(robot, state()[0] * u.joints(robot))
    rates, torques = u.joints(robot, 2), u.torques(robot)
    tip = u.twist(2)[:, None] / u.wrench()
    return {
        "M": (found.mass_matrix, torques[:, None] / rates),
        "M⁻¹": (found.mass_matrix_inverse, rates[:, None] / torques),
        "Λ⁻¹": (found.tip_mobility, tip),
    }


@case("inverse_dynamics_chip", most=1e-6)
def chip(u, robot):
    """Formats follow the numbers, whatever their units."""
    two = u.robot(px.robots.planar(2, 0.7, 1.3))
    made = px.hardware.inverse_dynamics_chip(two, 4 / u.time, 20 / u.time**2, word=40)
    given = [x * u.joints(two, k) for k, x in enumerate(state(n=2))]
    return {"tau": (made(*given).tau, u.torques(two)), "clocks": (made.latency, 1)}


@case("chain_dynamics", "unsynchronised", long=True)
def of_links(u, robot):
    robot = u.robot(px.robots.planar(3))
    q, qd, tau = state(n=3) * np.array([[1.0], [1 / u.time], [u.torque]])
    along = px.chains.chain_dynamics(robot, "forward_dynamics")(q, qd, tau)
    free = px.control.unsynchronised(robot, 1)(*(x[None] for x in (q, qd, 0 * qd)), 1e-3)
    return {"qdd": (along, u.time**-2), "torque": (free.torque, u.torque)}


@pytest.mark.parametrize("made, robot, units, most", [*cases()])
def test_functions(made, robot, units, most):
    agree(lambda units: made(units, in_units(units, robot)), (units,), most)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_friction_of_random_robots(seed):
    """Forward dynamics with friction in far units, also of time."""
    robot = with_losses(random_robot(seed, joints=(1, 4)), seed)
    rng = np.random.default_rng(seed)
    q, qd, tau = rng.uniform(-1, 1, (3, 20, robot.n))
    qd[::3] = 0.0

    def made(u):
        other = u.robot(robot)
        given = q * u.joints(robot), qd * u.joints(robot, 1), tau * u.torques(robot)
        found = px.forward_dynamics_with_friction(other, *given)
        return {"solved": (found.solved, 1), "qdd": (found.qdd, u.joints(robot, 2))}

    agree(made, (*OTHERS, Units(1e6, 1e9, 1e3), Units(1e-5, 1e-8, 1e-2)), 1e-6)


def test_every_function_of_a_robot_is_here():
    takes = {
        name
        for name in px.__all__
        if callable(getattr(px, name)) and "robot" in _parameters(getattr(px, name))
    }
    takes -= {"neutral", "live_page"}  # zero, in all units; a page for people, in rad, m and kg
    tested = {*px.functions()} | {name for names, *_ in CASES.values() for name in names}
    assert takes <= tested, f"add to CASES: {sorted(takes - tested)}"


def _parameters(function):
    try:
        return inspect.signature(function).parameters
    except ValueError:  # an exception
        return ()


# -- robots that are small, or large ---------------------------------------------------------------


@pytest.mark.parametrize(
    "size", [1e-3, *(pytest.param(size, marks=pytest.mark.long) for size in (1e-2, 1e3))]
)
def test_friction_of_robots_that_are_small_or_large(size):
    """As described, under the gravity of the earth: 1 mm and 3 mg up to 1 km and 3 million t."""
    robot = replace(Units(size, size**3).robot(lossy_arm()), gravity=(0, 0, -9.81))
    made = Units(size, size**3)
    q, qd, qdd = (x * made.joints(robot, k) for k, x in enumerate(state()))
    motor = px.motor_torques(robot, q, qd, qdd).input
    found = px.forward_dynamics_with_friction(robot, q, qd, motor)
    assert found.solved
    np.testing.assert_allclose(found.qdd / made.joints(robot), qdd / made.joints(robot), rtol=1e-6)


def test_a_hanging_arm_in_balance_is_solved():
    """Where all torques cancel: they are compared with what they are made of."""
    for u in OTHERS:
        hangs = u.robot(px.robots.planar(2))
        down = [-np.pi / 2, 0.0]
        found = px.forward_dynamics_with_friction(hangs, down, [0.0, 0.0], [0.0, 0.0])
        assert found.solved and abs(found.qdd).max() < 1e-12


def test_inertias_that_are_not_symmetric_are_refused_at_any_size():
    for size in (1.0, 1e-12, 1e12):
        with pytest.raises(px.RobotError, match="symmetric"):
            px.robots.Inertia.of(
                1.0, (0, 0, 0), size * np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])
            )


def test_scales_of_a_robot():
    assert length_scale(arm()) == pytest.approx(0.316 + 0.7 + 0.412, abs=1e-3)
    assert joint_scales(arm()).tolist() == [1.0, length_scale(arm())]
    for u in OTHERS:
        assert length_scale(u.robot(arm())) == pytest.approx(u.length * length_scale(arm()))

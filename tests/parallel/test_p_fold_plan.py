"""Inverse dynamics on p processors: the same torques, and nothing read that was not sent."""

from dataclasses import replace

import numpy as np
import pytest
from support.joints import motion, tree
from support.robots import random_chain, random_robot, relative_error, states

import paraxis as px
from paraxis.parallel.networks.tour import Tour, Visit
from paraxis.physics.spatial_newton_euler import inverse_dynamics
from paraxis.robots.model import Model

WORLD = -1
ORDERS = ("p_fold", "shuffled_p_fold", "optimal")
# value -> what its equation reads of its own joint, and of the joint before
READS = {
    "r": ((), ("R",)),
    "z": (("R",), ()),
    "Δα": (("z",), ("ω",)),
    "Δa": (("r", "z"), ("ω", "α")),
    "F": (("s", "a", "α", "ω"), ()),
    "N": (("R", "ω", "α", "s", "F"), ()),
    "Δf": (("F",), ()),
    "Δn": (("N",), ()),
    "τ": (("z", "n"), ()),
}


def p_fold_torques(robot, processors, state, order="p_fold"):
    return px.parallel.p_fold_plan(robot, processors, order).carry_out(*state)


@pytest.mark.parametrize("seed", range(8))
def test_torques_are_those_of_inverse_dynamics(seed):
    """Chains and trees, any number of processors, also more than there are joints."""
    robot = (random_robot if seed % 2 else random_chain)(seed, joints=(1, 12))
    state = [each[1] for each in states(robot, 2, seed)]
    expected = np.array(inverse_dynamics(Model(robot), *state), dtype=float)
    for p in (1, 2, 3, 5, 16):
        assert relative_error(p_fold_torques(robot, p, state), expected) < 1e-12
    if len(Tour(robot).visits) <= 12:
        for p in (2, 3, 7):
            found = p_fold_torques(robot, p, state, "optimal")
            assert relative_error(found, expected) < 1e-12
    for p in (1, 4, 16):
        found = p_fold_torques(robot, p, state, "shuffled_p_fold")
        assert relative_error(found, expected) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_joints_of_every_kind_are_taken(seed):
    robot, given = tree(seed), motion(tree(seed), seed)
    state = {name: given[name] for name in ("q", "qd", "qdd")}
    expected = px.program(robot, "inverse_dynamics", algorithm="spatial").evaluate(**state)
    found = p_fold_torques(robot, 4, state.values())
    assert relative_error(found, expected) < 1e-12


# -- the tour --------------------------------------------------------------------------------------


def test_the_tour_of_a_chain_is_the_chain():
    tour = Tour(px.load("puma560"))
    assert tour.visits == [Visit(i) for i in range(6)] and not tour.beyond


@pytest.mark.parametrize("seed", range(5))
def test_bodies_are_between_entering_and_leaving_those_that_carry_them(seed):
    robot = random_robot(seed, joints=(8, 12))
    tour, under = Tour(robot), []
    for visit in tour.visits:
        if visit.leaves:
            assert under.pop() == visit.body
        else:
            assert robot.joints[visit.body].parent == (under[-1] if under else WORLD)
            under.append(visit.body)
    assert sorted(tour.bodies) == list(range(robot.n)) and not tour.visits[-1].leaves
    for i, j in tour.beyond.items():
        carried = [k for k in range(robot.n) if k == i or i in robot.ancestors[k]]
        assert tour.bodies.index(j) == tour.bodies.index(i) + len(carried)


# -- who holds what --------------------------------------------------------------------------------


def entered(tour):
    """body -> its place in the tour."""
    return {visit.body: k for k, visit in enumerate(tour.visits) if not visit.leaves}


class Names:
    """One name for what has several: a term is a span of one, a result the span from the start."""

    def __init__(self, plan):
        tour = plan._tour
        self.beyond, self.sums = tour.beyond, "Σ" if tour.beyond else ""
        inward = {body: k for k, body in enumerate(tour.bodies[::-1])}
        self.places = {name: entered(tour) for name in ("R", "ω", "α", "a")}
        self.places |= {f"{self.sums}{name}": inward for name in ("f", "n")}

    def __call__(self, value, what):
        if isinstance(what, tuple):
            return value, what
        if value in ("f", "n") and what not in self.beyond:
            value = f"{self.sums}{value}"
        if value in self.places:
            return value, (0, self.places[value][what])
        if value.startswith("Δ"):
            recurrence = value[1:] if value[1:] in self.places else f"Σ{value[1:]}"
            place = self.places[recurrence][what]
            return recurrence, (place, place)
        return value, what


def replayed(plan):
    """(step, what each processor holds before it is done), with every message delivered."""
    held, name, tour = [set() for _ in range(plan.processors)], Names(plan), plan._tour
    undone = {k: entered(tour)[visit.body] for k, visit in enumerate(tour.visits) if visit.leaves}

    def undo(own):
        """Whoever holds a term can undo it."""
        for value in ("R", "ω", "α", "a"):
            own |= {(value, (k, k)) for k, e in undone.items() if (value, (e, e)) in own}

    for step in plan.steps:
        before = [{*own} for own in held]  # nothing is sent on that has yet to arrive
        for sender, to, what in step.messages:
            assert name(*what) in before[sender], f"{sender} has no {what}"
            held[to].add(name(*what))
            undo(held[to])
        yield step, held, name
        for processor, what in step.done.items():
            held[processor].add(name(step.value, what))
            undo(held[processor])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("p", [2, 4, 8])
@pytest.mark.parametrize("seed", [0, 3])
def test_processors_hold_what_they_read(seed, p, order):
    robot = (random_robot if seed % 2 else random_chain)(seed, joints=(6, 6))
    plan = px.parallel.p_fold_plan(robot, p, order)
    for step, held, name in replayed(plan):
        for k, what in step.done.items():
            if isinstance(what, tuple):  # two adjacent spans
                first, last = what
                cuts = [((first, m), (m + 1, last)) for m in range(first, last)]
                both = [{(step.value, left), (step.value, right)} for left, right in cuts]
                assert any(each <= held[k] for each in both), f"{step.value} {what} on {k}"
                continue
            own, before = READS.get(step.value, ((), ()))
            parent = robot.joints[what].parent
            needs = {name(each, what) for each in own}
            needs |= {name(each, parent) for each in before if parent != WORLD}
            if step.value == "Δn":
                children = [i for i, joint in enumerate(robot.joints) if joint.parent == what]
                needs |= {name("f", i) for i in children}
            assert needs <= held[k], f"{step.value} of {what} on {k}"


def test_nothing_is_sent_twice():
    plan = px.parallel.p_fold_plan(random_chain(4, joints=(12, 12)), 4)
    sent = [message[1:] for step in plan.steps for message in step.messages]
    assert len(sent) == len({*sent}) == plan.messages


@pytest.mark.parametrize(("n", "p"), [(6, 1), (6, 6), (12, 4), (12, 5), (7, 16)])
def test_steps_are_those_of_the_recurrences_and_of_each_joint(n, p):
    """Five recurrences of vectors and one of rotations; twelve equations of each joint."""
    plan = px.parallel.p_fold_plan(random_chain(1, joints=(n, n)), p)
    one = px.parallel.recurrence(max, [1.0] * n, order="p_fold", processors=p)
    local, share = 12, -(-n // p)
    assert len(plan.steps) == 6 * one.steps + local * share
    assert plan.operations == 6 * one.operations + local * n
    assert [len(names) for names in plan.joints] == [
        max(0, min(share, n - k * share)) for k in range(p)
    ]


def test_one_processor_sends_nothing():
    plan = px.parallel.p_fold_plan(px.load("puma560"), 1)
    assert plan.messages == 0 and plan.on(px.parallel.network("cascade", 1)).time == 0


@pytest.mark.parametrize("order", ORDERS)
def test_processors_without_joints_cost_nothing(order):
    robot = px.robots.planar(3)
    few, many = (px.parallel.p_fold_plan(robot, p, order) for p in (8, 2**40))
    assert len(few.steps) == len(many.steps) and few.operations == many.operations


def test_a_plan_is_sent_through_a_network():
    plan = px.parallel.p_fold_plan(px.load("puma560"), 4)
    found = plan.on(px.parallel.network("cascade", 4), per_hop=2.0)
    assert found.messages == plan.messages and found.time >= 2 * 6
    with pytest.raises(px.ParaxisError, match="at least 4 processors, found 2"):
        plan.on(px.parallel.network("cascade", 2))
    assert str(plan).splitlines()[0] == repr(plan)
    counts = [line.split() for line in str(plan).splitlines()[2:]]
    assert sum(int(each[3]) for each in counts) == plan.messages


def test_a_plan_can_be_traced():
    robot = px.load("puma560")
    plan = px.parallel.p_fold_plan(robot, 3)
    program = px.trace(plan.carry_out, q=6, qd=6, qdd=6)
    q, qd, qdd = (each[1] for each in states(robot, 2))
    assert relative_error(program.evaluate(q=q, qd=qd, qdd=qdd), plan.carry_out(q, qd, qdd)) < 1e-12
    serial = px.trace(px.parallel.p_fold_plan(robot, 1).carry_out, q=6, qd=6, qdd=6)
    assert program.count().flops > serial.count().flops  # more work, sooner done
    assert program.depth().flops < serial.depth().flops


def test_what_is_refused_is_named():
    robot = px.load("puma560")
    plan = px.parallel.p_fold_plan
    with pytest.raises(px.ParaxisError, match="processors: expected an integer >= 1, found 0"):
        plan(robot, 0)
    with pytest.raises(px.ParaxisError, match="power of two, found 6"):
        plan(robot, 6, "shuffled_p_fold")
    with pytest.raises(px.ParaxisError, match="order: "):
        plan(robot, 6, "doubling")
    with pytest.raises(px.ParaxisError, match=r"q: expected shape \(6,\), found \(5,\)"):
        plan(robot, 6).carry_out([0.0] * 5, [0.0] * 6, [0.0] * 6)
    sprung = replace(robot.joints[0], spring=px.robots.Spring(3.0))
    with pytest.raises(px.ParaxisError, match="p-fold plan does not support springs"):
        plan(replace(robot, joints=(sprung, *robot.joints[1:])), 2)
    tied = replace(robot.joints[3], coupling=px.robots.Coupling("joint2", (0.0, 0.5)))
    joints = (*robot.joints[:3], tied, *robot.joints[4:])
    with pytest.raises(px.ParaxisError, match="does not support coupled or helical joints"):
        plan(replace(robot, joints=joints), 2)

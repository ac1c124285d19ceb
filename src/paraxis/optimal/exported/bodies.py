"""The bodies of a solver as graphs: those of its Problem, and a few that only C needs."""

from ... import api
from ...graph.trace import trace
from ..knots import (
    backward_graph,
    box_graph,
    close_graph,
    expand_graph,
    start_box_graph,
    within,
)
from ..quadratic import dot
from ..systems import GRAVITY, RobotSystem


def graphs(problem):
    """name -> graph."""
    found = {
        "linearise": problem.linearise.made(),
        "terminal": problem.at_end.made(),
        "weigh": weigh_graph(problem),
        "forward": problem.forward[0].made(),
        "feedback": feedback_graph(problem),
        "resting": resting_graph(problem),
    }
    if problem.feasible:
        found["hold"] = hold_graph(problem.system)
    else:
        found["apart"] = apart_graph(problem.system)
    back = {"backward": backward_graph}
    if problem.limits is not None:
        back = {"expand": expand_graph, "start_box": start_box_graph}
        back |= {"box": box_graph, "close": close_graph}
    return found | {name: make(problem) for name, make in back.items()}


def weigh_graph(problem):
    """The cost of a knot and, with gaps, the sum of their entries, without derivatives."""
    system, stage = problem.system, problem.stage
    shapes = {"x": (system.nx,), "u": (system.nu,)}
    if not problem.feasible:
        shapes |= {"x_next": (system.nx,)} | system.own_inputs
    shapes |= problem.stage_inputs

    def run(x, u, x_next=None, **given):
        of_stage = {name: given[name] for name in problem.stage_inputs}
        results = {"value": stage.expanded(x, u, of_stage)["value"]}
        if not problem.feasible:
            of_system = {name: given[name] for name in system.own_inputs}
            gap = system.apart(x_next, system.step(x, u, of_system))
            results["gap"] = sum(map(abs, gap))
        return results

    return trace(run, shapes, "weigh")


def feedback_graph(problem):
    """The control by the law of a knot, with its full step."""
    system = problem.system

    def run(at, x, u, k, K):
        away = system.apart(x, at)
        control = [a + b + dot(row, away) for a, b, row in zip(u, k, K, strict=True)]
        return {"control": within(problem, control)}

    shapes = {"at": (system.nx,), "x": (system.nx,), "u": (system.nu,)} | problem.law_shapes
    return trace(run, shapes, "feedback")


def resting_graph(problem):
    """The initial controls: those that hold a robot against gravity, or zero."""
    system = problem.system
    if not isinstance(system, RobotSystem) or system.actuation is not None:
        return trace(lambda: {"u": within(problem, [0.0] * system.nu)}, {}, "resting")
    own = {name: shape for name, shape in system.own_inputs.items() if name in GRAVITY}

    def run(q, **given):
        torques = api.gravity_torques(system.robot, q, **given)
        return {"u": within(problem, [torques[entry] for entry in system.driven])}

    return trace(run, {"q": (system.robot.nq,)} | own, "resting")


def hold_graph(system):
    """One step further."""

    def run(x, u, **given):
        return {"x_next": system.step(x, u, given)}

    return trace(run, {"x": (system.nx,), "u": (system.nu,)} | system.own_inputs, "hold")


def apart_graph(system):
    """The directions from one state to another."""
    shapes = {"x": (system.nx,), "at": (system.nx,)}
    return trace(lambda x, at: {"dx": system.apart(x, at)}, shapes, "apart")

"""A step on the ground as stages in a row: prepare, sweep until converged, finish."""

from ...body import Body
from ...drivers.row import Row, Stage
from ...graph.trace import trace
from .drag import Drag
from .step import SWEPT

FOR_SWEEP = ("impulse", "velocity", "mobility", "law", "arms", "axes")
FOR_FINISH = ("law", "half", "reach", "factor", "reciprocal", "arms", "axes")


def ground_row(step):
    """The Row of a GroundStep whose motors' torques are an input, tau."""
    return Row([Stage(Body(prepare_graph, step)), *after_prepare(step)], "step_on_ground")


def after_prepare(step):
    """The stages that follow the one that has made the outputs of `GroundStep.prepare`.

    They read q, qd and dt of the step, and make q_next, qd_next, impulses_next and residual.
    """
    sweep, finish = Body(sweep_graph, step), Body(finish_graph, step)
    return [Stage(sweep, step.ground.sweeps, SWEPT, "done"), Stage(finish)]


def prepare_graph(step):
    drag = Drag(step.robot)

    def run(qd, tau, **others):
        tau, taken = drag.acting(qd, tau)
        return step.prepare(qd=qd, tau=tau, drag=taken, **others)

    return trace(run, step.inputs, "prepare")


def sweep_graph(step):
    shapes = {name: step.values[name] for name in FOR_SWEEP if name in step.values}
    return trace(lambda **values: step.sweep(values), shapes, "sweep")


def finish_graph(step):
    shapes = {name: step.inputs[name] for name in ("q", "qd", "dt")}
    shapes |= {name: step.values[name] for name in FOR_FINISH if name in step.values}
    shapes |= {output: step.values[name] for name, output in SWEPT.items()}
    return trace(lambda q, qd, dt, **values: step.finish(values, q, qd, dt), shapes, "finish")

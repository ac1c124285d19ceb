"""A problem: its system, costs and method; and the Bodies of an iteration."""

from dataclasses import dataclass, replace
from functools import cached_property, partial

from ..body import BY_LANES, Body
from ..checks import quoted
from ..drivers.iterate import Plan
from ..drivers.row import Row, Stage
from ..graph.graph import Graph
from .knot_by_lanes import backward_lanes
from .knots import (
    BOX_STEPS,
    TALLIES,
    backward_graph,
    bending_graph,
    box_graph,
    close_graph,
    expand_graph,
    halves,
    linearise_graph,
    roll_graph,
    shoot_graph,
    start_box_graph,
    terminal_graph,
)
from .objective import MULTIPLIERS, PENALTY, Objective
from .quadratic import unpacked
from .systems import Composed, OwnSystem, RobotSystem

BY_LANES[backward_graph] = backward_lanes

METHODS = ("ilqr", "ddp", "sqp")
# Names of what bodies pass to each other, beside which parameters are inputs: no parameter can have
# one of these, as it would be taken for that.
TAKEN = frozenset(
    ("x_next", "costates", MULTIPLIERS, PENALTY, "cost_bar")
    + ("slopes", "accelerations", "gap", "gradient", "value", "curvature", "residuals")
    + ("V", "v", "damping", *TALLIES)
    + ("k", "K", "step", "at", "dx", "slope")
)


@dataclass(frozen=True, eq=False)
class Problem:
    """limits: the lowest and the highest controls, or None. per_step: the parameters that differ
    from knot to knot. parallel_in_time: whether passes are cut into rows of knots, which are done
    at once (parallel_time.py)."""

    system: RobotSystem | OwnSystem | Composed
    stage: Objective
    terminal: Objective
    method: str
    limits: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    per_step: tuple[str, ...] = ()
    parallel_in_time: bool = False

    @property
    def subject(self):
        """What it is about, as " of 'panda'", for messages; empty for a system of one's own."""
        robot = getattr(self.system, "robot", None)
        return "" if robot is None else f" of {quoted(robot.name)}"

    @cached_property
    def composed(self):
        """The same problem, with the derivatives of a step as one map: for lanes."""
        return replace(self, system=Composed(self.system))

    @property
    def exact(self):
        """Whether second derivatives of the dynamics are part of it."""
        return self.method == "ddp"

    @property
    def feasible(self):
        """Whether trajectories always follow the dynamics, without gaps."""
        return self.method != "sqp"

    @property
    def directions(self):
        return self.system.ndx + self.system.nu

    @cached_property
    def fixed(self):
        """The entries of the upper half of the cost's Hessian: numbers, or None where they vary."""
        return [None if self.exact else entry for entry in self.stage.fixed]

    @property
    def idle(self):
        """Whether some control of the last step is known to cost nothing, by itself or by what it
        leads to, so that none is the best."""
        n, end = self.system.ndx, self.terminal
        if end.constraints or any(entry != 0.0 for entry in end.fixed):
            return False
        rows = unpacked(self.fixed, self.directions)[n:]
        return any(all(entry == 0.0 for entry in row[n:]) for row in rows)

    @cached_property
    def parameters(self):
        """name -> shape, of everything that may differ from problem to problem."""
        given = self.system.own_inputs
        return given | self.stage.parameters | self.terminal.parameters

    @cached_property
    def bending(self) -> Graph:
        return bending_graph(self)

    # -- inputs of bodies --------------------------------------------------------------------------

    @property
    def stage_inputs(self):
        """Of the cost at a knot, besides x and u."""
        inputs = self.stage.expansion.inputs
        return {name: shape for name, shape in inputs.items() if name not in ("x", "u")}

    @property
    def linearise_inputs(self):
        system = self.system
        shapes = {"x": (system.nx,), "u": (system.nu,), "x_next": (system.nx,)}
        shapes |= {"costates": (system.ndx,)} if self.exact else {}
        return shapes | system.own_inputs | self.stage_inputs

    @property
    def of_linearise(self):
        """name -> shape of what `linearise` makes for the passes through time."""
        shapes = self.system.linear_shapes | {"gap": (self.system.ndx,)}
        shapes |= {"gradient": (self.directions,), "value": ()}
        varying = sum(entry is None for entry in self.fixed)
        return shapes | ({"curvature": (varying,)} if varying else {})

    @property
    def of_constraints(self):
        """name -> shape of what it makes for those who watch constraints."""
        count = self.stage.constraints
        return {"residuals": (count,)} if count else {}

    @property
    def expand_inputs(self):
        n = self.system.ndx
        shapes = {"V": (halves(n),), "v": (n,)} | dict.fromkeys(TALLIES, ())
        shapes |= {"x": (self.system.nx,)} if self.system.curved else {}
        return shapes | self.of_linearise | {"damping": ()}

    @property
    def law_shapes(self):
        """The control law of a knot: u + step k + K dx."""
        return {"k": (self.system.nu,), "K": (self.system.nu, self.system.ndx)}

    @property
    def roll_inputs(self):
        system = self.system
        shapes = {"at": (system.nx,), "x": (system.nx,), "u": (system.nu,)}
        return shapes | self.law_shapes | {"step": ()} | system.own_inputs

    @property
    def shoot_inputs(self):
        system = self.system
        shapes = {"dx": (system.ndx,), "slope": (), "x": (system.nx,), "u": (system.nu,)}
        shapes |= {"x_next": (system.nx,)} | self.law_shapes
        shapes |= {"gap": (system.ndx,), "gradient": (self.directions,), "step": ()}
        return shapes | system.linear_shapes

    # -- what is compiled --------------------------------------------------------------------------

    @cached_property
    def linearise(self):
        return Body(linearise_graph, self)

    @cached_property
    def at_end(self):
        return Body(terminal_graph, self)

    @cached_property
    def backward(self):
        """(a Body or a Row, its Plan): a knot backward."""
        carried = ("V", "v", *TALLIES)
        inputs, outputs = dict(self.expand_inputs), dict(self.law_shapes)
        held = ("damping",)
        if self.limits is None:
            step = Body(backward_graph, self)
        else:
            inputs["u"] = (self.system.nu,)
            box = Stage(Body(box_graph, self), BOX_STEPS, {"du": "du'"}, "settled'")
            bodies = Body(expand_graph, self), Body(start_box_graph, self), Body(close_graph, self)
            expand, start, close = map(Stage, bodies)
            step = Row([expand, start, box, close], "backward", partial(backward_lanes, self))
            n = self.directions
            outputs |= {"H": (halves(n),), "g": (n,), "du": (self.system.nu,)}
            outputs |= {"du'": (self.system.nu,), "settled'": ()}
        outputs |= {f"{name}'": inputs[name] for name in carried}
        streamed = tuple(name for name in inputs if name not in (*carried, *held))
        carry = {name: f"{name}'" for name in carried}
        return step, Plan(inputs, outputs, carry, streamed, ("k", "K", "v"))

    @cached_property
    def together(self):
        """`linearise` and `backward` in one Row, and its Plan: derivatives need not be kept, except
        for what the pass forward reads, and residuals."""
        step, plan = self.backward
        stages = step.stages if isinstance(step, Row) else (Stage(step),)
        made = self.of_linearise | self.of_constraints
        inputs = {name: shape for name, shape in plan.inputs.items() if name not in made}
        inputs |= self.linearise_inputs
        streamed = ("x", "u", "x_next", "costates", MULTIPLIERS, *self.per_step)
        streamed = tuple(name for name in inputs if name in streamed)
        record = (*plan.record, *self.kept)
        row = Row([Stage(self.linearise), *stages], "linearise_backward")
        return row, Plan(inputs, plan.outputs | made, plan.carry, streamed, record)

    @property
    def kept(self):
        """The names of what `linearise` makes that is read after the pass backward."""
        forward = () if self.feasible else (*self.system.linear_shapes, "gap", "gradient")
        return (*forward, *self.of_constraints)

    @cached_property
    def forward(self):
        """(a Body, its Plan): a knot forward, by the dynamics or by their linearisation."""
        if self.feasible:
            outputs = {"at'": (self.system.nx,), "control": (self.system.nu,)}
            given = ("x", "u", "k", "K", *self.per_step)
            streamed = tuple(name for name in self.roll_inputs if name in given)
            plan = Plan(self.roll_inputs, outputs, {"at": "at'"}, streamed, ("at", "control"))
            return Body(roll_graph, self), plan
        outputs = {"dx'": (self.system.ndx,), "slope'": (), "at": (self.system.nx,)}
        outputs["control"] = (self.system.nu,)
        inputs = self.shoot_inputs
        streamed = tuple(name for name in inputs if name not in ("dx", "slope", "step"))
        carry = {"dx": "dx'", "slope": "slope'"}
        return Body(shoot_graph, self), Plan(inputs, outputs, carry, streamed, ("at", "control"))

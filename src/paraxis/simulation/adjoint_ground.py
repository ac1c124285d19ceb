"""One step backward on the ground: implicit through contact.

The impulses f of a step solve f = F(f, θ), where F is one sweep over the contacts and θ what
`prepare` made of the state: velocities without impulses, mobilities, laws. How often it was swept,
and from where, does not matter to the solution. With a cotangent v of f, the implicit function
theorem gives those of θ as w ∂F/∂θ, where w = v + w ∂F/∂f. That is again a fixed point, and it is
found as f is: by repeating the vector-Jacobian product of a sweep, from the w of the later step.

    prepare      θ, as in the step forward
    sweep        f, as in the step forward, from where that began
    finish       backward: v, and cotangents of what `finish` reads
    sweep        backward, until w changes no more
    prepare      backward, with w ∂F/∂θ

A contact keeps the mode that it has in the solution: open, sticking or sliding. The gradient is
that of motions in which none changes its mode (docs/howto/simulation/gradients.md).
"""

from dataclasses import fields

from ..body import Body
from ..drivers.row import Row, Stage
from ..graph.graph import Graph
from ..graph.splice import splice
from ..graph.trace import trace
from ..passes.cheapen import cheapen_unless_long
from ..physics.linear.dense import dot
from ..scalar import less_equal, maximum
from .adjoint_step import Pull, Reversed, bar, mark, plus, zeros
from .ground.stages import FOR_FINISH
from .ground.step import SWEPT

TOLERANCE = 1e-6  # of the largest entry of w: where sweeps backward end, if not that of the ground
PATIENCE = 2  # sweeps backward at most, over those forward
SMALL = 1e-30
FREE = "free"  # velocities without impulses
WEIGHT = "weight"  # w
LEFT = "left"  # by how much w still changed, over its largest entry: the most of any step
FOUND = SWEPT["impulse"]  # f
DECIDE = ("mobility", "law", "arms", "axes")  # what a sweep reads besides impulses and velocities
METHOD = ("normal", "tangent", "across", "ease", "inverse")  # how laws step, not where they end


class ReversedOnGround(Reversed):
    """As Reversed, of a step of stages in a row."""

    @property
    def given(self):
        return super().given | {"impulses": self.step.inputs["impulses"]}

    @property
    def bars(self):
        """w is carried, too: it hardly changes from step to step."""
        return super().bars | {WEIGHT: self.values["impulse"], LEFT: ()}

    @property
    def values(self):
        """name -> shape of what goes from `prepare` to the other parts, forward."""
        return self.step.ground.values

    @property
    def decide(self):
        return {name: self.values[name] for name in DECIDE if name in self.values}

    @property
    def at_end(self):
        """name -> shape of what `finish` reads and what decides the state after the step."""
        names = (name for name in FOR_FINISH if name in self.values and name != "law")
        shapes = {name: self.step.inputs[name] for name in ("q", "qd")}
        return shapes | {name: self.values[name] for name in names} | {FOUND: self.impulse}

    @property
    def impulse(self):
        return self.values["impulse"]

    @property
    def between(self):
        shapes = self.values | {FREE: self.values["velocity"]}
        shapes |= {output: self.values[name] for name, output in SWEPT.items()}
        shapes |= {end_bar(name): shape for name, shape in self.at_end.items()}
        return shapes | dict.fromkeys(("change", "done", "change_back", "size_back", "settled"), ())

    @property
    def body(self):
        sweep, most = self.step.body.stages[1], PATIENCE * self.step.ground.ground.sweeps
        back = Stage(Body(sweep_back, self), most, {WEIGHT: f"{WEIGHT}_next"}, "settled")
        makers = prepare_again, finish_back, prepare_back
        first, finish, last = (Stage(Body(make, self)) for make in makers)
        return Row([first, sweep, finish, back, last], "step_on_ground_adjoint")

    # -- graphs of the step forward ---------------------------------------------------------------

    @property
    def prepared(self):
        return self.step.body.stages[0].body.made()

    @property
    def finished(self):
        """The state after the step, by impulses that solve the contact problem."""
        ground = self.step.ground
        shapes = self.at_end | {name: ground.inputs[name] for name in ("q", "qd", "dt")}
        return trace(lambda q, qd, dt, **x: ground.arrive(x, q, qd, dt), shapes, "arrive")

    @property
    def swept(self):
        """F: impulses after a sweep, from impulses and what decides them."""
        ground = self.step.ground

        def run(impulse, free, **decide):
            axes, arms = ground._axes_and_arms(decide)
            wrench = ground._wrench(impulse, axes, arms)
            mobility = zip(free, ground._unpacked_mobility(decide), strict=True)
            velocity = [v + dot(row, wrench) for v, row in mobility]
            after = ground.sweep(decide | {"impulse": impulse, "velocity": velocity})
            return {FOUND: after[FOUND]}

        shapes = {"impulse": self.impulse, FREE: self.values["velocity"]}
        return trace(run, shapes | self.decide, "sweep")

    @property
    def physical(self):
        """Which numbers of a law decide the solution. By others cotangents are zero in it, and only
        there; what they are made of may have no slope (where tangents are alike)."""
        law = self.step.ground.law
        numbered = law.from_scalars(list(range(law.size)))
        names = [each.name for each in fields(law) if each.name not in METHOD]
        return {k for name in names for k in _flat(getattr(numbered, name))}


def end_bar(name):
    """The cotangent of what `finish` reads."""
    return f"end_bar_{name}"


def _flat(value):
    return value if isinstance(value, list | tuple) else [value]


def prepare_again(way):
    """What `prepare` makes, and velocities without impulses."""
    graph = way.prepared
    nothing = {name: zeros(shape) for name, shape in way.step.tallies.items()}

    def run(**arrays):
        found, free = (
            dict(zip(graph.outputs, splice(graph, [given[k] for k in graph.inputs]), strict=True))
            for given in (nothing | arrays, arrays | nothing)
        )
        return {name: found[name] for name in way.values} | {FREE: free["velocity"]}

    return trace(run, _of_step(way), "prepare")


def finish_back(way):
    """Cotangents of what `finish` reads, from those of the state after the step."""
    pull = Pull(way.finished, way.at_end)

    def run(**arrays):
        found = pull(arrays, {f"{name}_next": way.total(name, arrays) for name in ("q", "qd")})
        return {end_bar(name): found[name] for name in way.at_end}

    own = [each(name) for each in (bar, mark) for name in ("q", "qd") if each(name) in way.inputs]
    shapes = way.at_end | {name: way.inputs[name] for name in ("dt", *own)}
    return cheapen_unless_long(trace(run, shapes, "finish_back"))


def sweep_back(way):
    """The next w, and whether it is the last."""
    pull = Pull(way.swept, ["impulse"])
    tolerance = min(TOLERANCE, way.step.ground.ground.tolerance)

    def run(**arrays):
        w = arrays[WEIGHT]
        found = pull(arrays | {"impulse": arrays[FOUND]}, {FOUND: w})
        new = plus(arrays[end_bar(FOUND)], found["impulse"])
        size = change = 0.0
        for before, after in zip(w, new, strict=True):
            for a, b in zip(before, after, strict=True):
                size, change = maximum(abs(b), size), maximum(abs(b - a), change)
        settled = less_equal(change, size * tolerance)
        return {f"{WEIGHT}_next": new, "change_back": change, "size_back": size, "settled": settled}

    shapes = {FOUND: way.impulse, FREE: way.values["velocity"]} | way.decide
    shapes |= {end_bar(FOUND): way.impulse, WEIGHT: way.impulse}
    return cheapen_unless_long(trace(run, shapes, "sweep_back"))


def prepare_back(way):
    """The cotangents of the step's own inputs."""
    step, whole, physical = way.step, way.prepared, way.physical
    remembered = [name for name in way.state if name not in ("q", "qd")]
    made = [name for name in way.values if name in way.at_end or name in way.decide]
    made.append("velocity")
    after = [*made, *(step.carried[name] for name in remembered)]
    outputs = {name: whole.outputs[name] for name in after}
    through_sweep = Pull(way.swept, [FREE, *way.decide])
    through_all = Pull(Graph(whole.inputs, outputs, {}, whole.name), (*way.state, *way.wanted))

    def run(**arrays):
        by_sweep = through_sweep(
            arrays | {"impulse": arrays[FOUND]}, {FOUND: arrays[f"{WEIGHT}_next"]}
        )
        by_sweep["velocity"] = by_sweep.pop(FREE)
        by_sweep["law"] = [
            [x if k in physical else 0.0 for k, x in enumerate(row)] for row in by_sweep["law"]
        ]
        bars = {step.carried[name]: way.total(name, arrays) for name in remembered}
        for name in made:
            bars[name] = by_sweep.get(name) or arrays[end_bar(name)]
            if name in by_sweep and name in way.at_end:
                bars[name] = plus(by_sweep[name], arrays[end_bar(name)])
        found = through_all({name: arrays[name] for name in _of_step(way, False)}, bars)
        for name in ("q", "qd"):
            found[name] = plus(found[name], arrays[end_bar(name)])
        left = arrays["change_back"] / maximum(arrays["size_back"], SMALL)
        return way.results(arrays, found) | {f"{LEFT}_next": maximum(arrays[LEFT], left)}

    own = [bar(name) for name in (*remembered, *way.summed)]
    shapes = _of_step(way, False) | {name: way.inputs[name] for name in (*own, LEFT)}
    shapes |= {FREE: way.values["velocity"]} | way.decide
    shapes |= {end_bar(name): shape for name, shape in way.at_end.items() if name != FOUND}
    shapes |= {FOUND: way.impulse, f"{WEIGHT}_next": way.impulse}
    shapes |= dict.fromkeys(("change_back", "size_back"), ())
    return cheapen_unless_long(trace(run, shapes, "prepare_back"))


def _of_step(way, impulses=True):
    """name -> shape of the inputs of the step forward that `prepare` reads."""
    return {name: x for name, x in way.given.items() if impulses or name != "impulses"}

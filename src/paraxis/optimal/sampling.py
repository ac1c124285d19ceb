"""Control by sampling: random controls around a plan, and a new plan from those that cost least.

MPPI weighs samples by their costs (Williams et al., 2017). The cross-entropy method draws again
around the mean of the best ones, with their spread (Rubinstein, 1999), and in the end takes the
best. Neither needs derivatives, so costs may have
steps. All samples of all problems are rolled out in one pass, which adds up their costs.

Random numbers are functions of the seed, the tick, the sample and the step (counter_random.py), and
all problems of a batch have the same, so that the result of each is the same as alone.
"""

from __future__ import annotations

import math
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..body import Body
from ..checks import integer, one_of
from ..compiling import one_call
from ..counter_random import WORD, random_normal
from ..drivers.iterate import Plan
from ..errors import ArgumentError
from ..graph.splice import splice
from ..graph.trace import trace
from ..scalar import sqrt
from ..simulation.simulator import positive
from .closed_loop import cost_graph
from .controller import Controller, require_no_constraints
from .knots import within
from .work import EVERY

METHODS = ("mppi", "cem")
LEAST_SPREAD = 0.05  # of the noise, that the cross-entropy method keeps


class Sampling(Controller):
    """Control of a batch by random samples: `solver.sampling(x0, ...)` makes one.

    `u = sampling.tick(x)`, as of a `px.optimal.MPC`. Each tick draws `samples` sequences of
    controls around the plan, the plan itself among them, and makes a new plan of them, as often as
    `iterations` says. Where no sample has a finite cost the plan stays, which `refused` counts.

    **Example:**

    >>> def cost(q, qd, u):
    ...     return 0.1 * qd @ qd + 0.01 * u @ u
    ...
    >>> def at_the_end(q, qd):
    ...     return 1e4 * (q[0] - np.pi / 2) ** 2 + 100 * qd @ qd
    ...
    >>> rod = px.robots.planar(1)
    >>> solver = px.optimal_control(rod, cost, 50, dt=0.02, terminal=at_the_end)
    >>> sampling = solver.sampling([-np.pi / 2, 0.0], samples=256, noise=2.0, seed=0)
    >>> u = sampling.tick([-np.pi / 2, 0.0])
    >>> u.shape, sampling.us.shape
    ((1,), (50, 1))
    """

    def __init__(
        self, solver, x0, us, samples, method, noise, correlation, temperature, elites, iterations,
        seed, shift, parameters,
    ):  # fmt: skip
        one_of(method, METHODS, "method")
        require_no_constraints(solver.problem, "control by sampling")
        super().__init__(solver, x0, us, None, parameters)
        self.method, self.ahead = method, int(shift)
        self.samples = integer("samples", samples, least=2)
        self.elites = integer("elites", max(2, self.samples // 10) if elites is None else elites)
        if self.elites > self.samples:
            raise ArgumentError(f"elites: expected at most {self.samples}, found {self.elites}")
        self.temperature = positive(temperature, "temperature")
        self.iterations = integer("iterations", iterations)
        self.seed = integer("seed", seed, least=0)
        self._draws = 0
        xp, target, horizon = self.target.arrays, self.target, self.horizon
        count, (system, dtype) = len(self._control), (self.problem.system, self.dtype)
        self._keep = math.exp(-1.0 / positive(correlation, "correlation")) if correlation else 0.0
        self._noise_size = target.put(_noise(noise, self.problem).astype(dtype))
        with one_call(f"control by sampling{self.problem.subject}"), target.stream():
            shape = (horizon, count, self.samples, system.nu)
            self._controls = xp.empty(shape, dtype)
            self._spread = xp.empty((horizon, count, 1, system.nu), dtype)
            self._plan = xp.empty((horizon, count, system.nu), dtype)
            self._plan[...] = (
                self.given["us"] if "us" in self.given else solver.resting(target, self.given)
            )
            self._limits = None
            if self.problem.limits is not None:
                low, high = (target.put(np.array(each, dtype)) for each in self.problem.limits)
                self._limits = low, high
                xp.clip(self._plan, low, high, out=self._plan)
            self._cost = xp.full(count, np.nan, dtype)
            self._connect(solver.threads)

    def _connect(self, threads):
        """Describe all arrays to native code."""
        problem, target, horizon, dtype = self.problem, self.target, self.horizon, self.dtype
        system, xp, count, samples = problem.system, target.arrays, len(self._control), self.samples
        options = {} if threads is None else {"threads": threads}
        # random numbers, which need float64
        self._normals = xp.empty((horizon, samples, system.nu), np.float64)
        self._noise = xp.zeros((1, samples, system.nu), np.float64)
        self._seed, self._tick = (xp.zeros((1, 1, 1), np.float64) for _ in range(2))
        sample, step = (xp.arange(count, dtype=float) for count in (samples, horizon))
        keep = xp.full((horizon, 1, 1), self._keep)
        keep[0] = 0.0
        known = {"noise": self._noise, "seed": self._seed, "tick": self._tick, "keep": keep}
        known |= {"sample": sample.reshape(1, -1, 1), "step": step.reshape(-1, 1, 1)}
        inputs = noise_inputs(system.nu)
        outputs = {"noise'": (system.nu,)}
        plan = Plan(inputs, outputs, {"noise": "noise'"}, ("step", "keep"), ("noise",))
        kernel = target.iterate(
            Body(noise_graph, system.nu), plan, np.dtype("float64"), states=samples, **options
        )
        self._draw = kernel.job([known[name] for name in inputs] + [self._normals], samples)
        shape = (horizon, 1, samples, system.nu)
        self._drawn = xp.empty(shape, dtype)
        kernel = target.map(Body(perturbed_graph, problem), dtype, **options)
        known = {"noise": self._drawn, "spread": self._spread, "plan": self._plan[:, :, None]}
        self._perturb = kernel.job([known[name] for name in kernel.inputs], [self._controls])
        # all samples of all problems
        states = count * samples
        self._wide = {}  # parameters with a row per sample, where problems differ
        for name in problem.parameters:
            array = self.given[name]
            if count > 1:
                timed = name in problem.per_step
                shape = (*array.shape[: timed + 1], samples, *array.shape[timed + 1 :])
                self._wide[name] = xp.empty(shape, dtype)
        self._widen()
        self._at = xp.empty((1, states, system.nx), dtype)
        self._total = xp.empty((1, states, 1), dtype)
        inputs = rollout_inputs(problem)
        outputs = {"at'": (system.nx,), "total'": ()}
        streamed = tuple(name for name in inputs if name in ("u", *problem.per_step))
        plan = Plan(inputs, outputs, {"at": "at'", "total": "total'"}, streamed)
        kernel = target.iterate(Body(rollout_graph, problem), plan, dtype, states=states, **options)
        own = {"at": self._at, "total": self._total}
        own["u"] = self._controls.reshape(horizon, states, system.nu)
        arrays = [
            own[name] if name in own else self._rows(name, shape, slice(horizon))
            for name, shape in inputs.items()
        ]
        self._roll = kernel.job(arrays, states, often=True)
        kernel = target.map(Body(cost_graph, problem.terminal), dtype, **options)
        self._of_end = xp.empty(states, dtype)
        known = {"x": self._at[0]}
        for name, shape in problem.terminal.parameters.items():
            known[name] = self._rows(name, shape, slice(horizon, None))[0].reshape(-1, *shape)
        self._end = kernel.job([known[name] for name in kernel.inputs], [self._of_end])

    def _rows(self, name, shape, steps):
        """A parameter as (steps or 1, states or 1, entries)."""
        array, timed = self._wide.get(name, self.given[name]), name in self.problem.per_step
        array = array[steps] if timed else array
        states = len(self._control) * self.samples if name in self._wide else 1
        return array.reshape(-1, states, math.prod(shape))

    def _widen(self):
        """Write parameters to their rows."""
        for name, wide in self._wide.items():
            timed = name in self.problem.per_step
            array = self.given[name]
            wide[...] = array.reshape(*array.shape[: timed + 1], 1, *array.shape[timed + 1 :])

    # -- ticks -------------------------------------------------------------------------------------

    def tick(self, x: ArrayLike, **parameters: ArrayLike) -> Any:
        """The control in the measured state `x`, `(..., nx)`: the first one of a new plan.

        `parameters` change before that; they stay until they are changed again.
        """
        begin = perf_counter_ns()
        with self._stream():
            self._measure(x)
            if parameters:
                self._change(parameters)
                self._widen()
            sound = self._improve()
            self._control[...] = self._plan[0]
            self._refused += ~sound
            if self.ahead:
                self._plan[:-1] = self._plan[1:].copy()
        took = perf_counter_ns() - begin
        if self._draws > self.iterations:  # the first tick is not like others
            self._clock.add(took, took)
        return self._given_back

    def _improve(self):
        """New plans of all problems, and which of them there are."""
        xp = self.target.arrays
        self._spread[...] = self._noise_size
        for left in reversed(range(self.iterations)):
            self._sample()
            costs = self._costs()
            sound = xp.isfinite(costs).any(1)
            if self.method == "mppi":
                new = self._weighted(costs)
            else:
                new = self._narrowed(costs) if left else self._cheapest(costs, 1)[:, :, 0]
            if self._limits is not None:
                xp.clip(new, *self._limits, out=new)
            self._plan[...] = xp.where(sound[:, None], new, self._plan)
            self._cost[...] = costs.min(1)
        return sound

    def _sample(self):
        """Random controls around the plans."""
        over, tick = divmod(self._draws, int(WORD))
        self._seed[...], self._tick[...] = self.seed + over, tick
        self._draws += 1
        self._draw.run(self.horizon, EVERY)
        self._drawn[...] = self._normals[:, None]
        self._drawn[:, :, 0] = 0.0  # the plan itself
        self._perturb.run()

    def _costs(self):
        """What they cost, (problems, samples); infinite where that is not finite."""
        xp, count = self.target.arrays, len(self._control)
        shape = count, self.samples, -1
        self._at.reshape(shape)[...] = self._measured[:, None]
        self._total[...] = 0.0
        self._roll.run(self.horizon, EVERY)
        self._end.run()
        costs = (self._total.reshape(-1) + self._of_end).reshape(count, self.samples)
        return xp.where(xp.isfinite(costs), costs, np.inf)

    def _weighted(self, costs):
        """The mean of samples, weighed by exp(-(cost - least) / temperature), in units of the
        difference between the median cost and the least."""
        xp = self.target.arrays
        ordered = xp.sort(costs, axis=1)
        finite = xp.isfinite(ordered).sum(1)
        least = ordered[:, :1]
        middle = xp.take_along_axis(ordered, finite[:, None] // 2, 1)
        with np.errstate(invalid="ignore"):  # where no cost is finite
            unit = xp.maximum(middle - least, np.finfo(self.dtype).eps * (1.0 + abs(least)))
            weights = xp.exp(-(costs - least) / (self.temperature * unit))
        weights = weights / weights.sum(1, keepdims=True)
        return xp.matmul(weights[:, None], self._controls)[:, :, 0]

    def _narrowed(self, costs):
        """The mean of the samples that cost least; their spread is that of the next samples."""
        xp, elites = self.target.arrays, self.elites
        best = self._cheapest(costs, elites)
        mean = best.sum(2) / elites
        best -= mean[:, :, None]
        spread = xp.sqrt((best * best).sum(2) / elites)
        self._spread[:, :, 0] = xp.maximum(spread, LEAST_SPREAD * self._noise_size)
        return mean

    def _cheapest(self, costs, count):
        """The controls of so many samples of each problem."""
        xp = self.target.arrays
        order = xp.argsort(costs, axis=1, kind="stable")[:, :count]
        return xp.take_along_axis(self._controls, order[None, :, :, None], 2)

    # -- the plan ----------------------------------------------------------------------------------

    @property
    def us(self) -> Any:
        """The controls of the plan for the next tick, (..., N, nu); a copy, like `cost`."""
        return self.target.given_back(self._of_batch(self._plan, True).copy())

    @property
    def cost(self) -> Any:
        """The cost of the best sample of the last tick, (...)."""
        return self.target.given_back(self._cost.reshape(self.batch).copy())

    def __repr__(self) -> str:
        return f"<Sampling of {self.batch} problems, {self.samples} samples: {self.timing}>"


def _noise(noise, problem):
    """The standard deviation of each control."""
    nu = problem.system.nu
    if noise is None:
        if problem.limits is None or not np.isfinite(problem.limits).all():
            raise ArgumentError(
                "noise: give the standard deviation of controls, as they have no limits"
            )
        low, high = np.array(problem.limits)
        return (high - low) / 6
    array = np.asarray(noise, float)
    if array.shape not in ((), (nu,)) or not (np.isfinite(array).all() and (array > 0).all()):
        raise ArgumentError(f"noise: expected one positive number or {nu}, found {noise!r}")
    return np.broadcast_to(array, (nu,)).copy()


# -- bodies ----------------------------------------------------------------------------------------


def noise_inputs(nu):
    """name -> shape: the noise of the step before, counters, and how much of it is kept."""
    return {"noise": (nu,)} | dict.fromkeys(("seed", "tick", "sample", "step", "keep"), ())


def noise_graph(nu):
    """The noise of a step of a sample: normal, and correlated with that of the step before."""

    def run(noise, seed, tick, sample, step, keep):
        fresh, part = random_normal(seed, tick, sample, step, size=nu), sqrt(1.0 - keep * keep)
        return {"noise'": [keep * a + part * b for a, b in zip(noise, fresh, strict=True)]}

    return trace(run, noise_inputs(nu), "noise")


def perturbed_graph(problem):
    """Controls around a plan, within limits."""
    nu = problem.system.nu

    def run(noise, spread, plan):
        moved = zip(plan, spread, noise, strict=True)
        return {"u": within(problem, [a + b * c for a, b, c in moved])}

    return trace(run, dict.fromkeys(("noise", "spread", "plan"), (nu,)), "perturbed")


def rollout_inputs(problem):
    """name -> shape of what a step of a sample needs."""
    system = problem.system
    shapes = {"at": (system.nx,), "total": (), "u": (system.nu,)}
    return shapes | system.own_inputs | problem.stage.parameters


def rollout_graph(problem):
    """A step of a sample, with what it costs."""
    system, stage = problem.system, cost_graph(problem.stage)

    def run(at, total, u, **given):
        known = {"x": at, "u": u} | given
        cost = splice(stage, [known[name] for name in stage.inputs])[0]
        own = {name: given[name] for name in system.own_inputs}
        return {"at'": system.step(at, u, own), "total'": total + cost}

    return trace(run, rollout_inputs(problem), "rollout")

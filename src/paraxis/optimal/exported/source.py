"""The text of an exported solver: its header, and C99 without allocation and globals."""

import math

import numpy as np

from ...targets.source.c import Function, block_comment, c_language, one_state
from ...targets.source.text import LONGEST, Names, arrays, function_name, listed, write
from ..constraints import FIRST_PENALTY, FIRST_WEIGHT, LEAST_COST, LEAST_PENALTY, UNVIOLATED
from ..decision import (
    ARMIJO,
    FADING,
    FIRST_DAMPING,
    LEAST_PROGRESS,
    MORE_PENALTY,
    MOST_DAMPING,
    MOST_PENALTY,
    NARROW,
    SHORTEST,
    SHORTEST_KINKED,
)
from ..knots import BOX_STEPS, TALLIES, halves
from ..mpc import LOST, ROUNDS
from ..objective import MULTIPLIERS, PENALTY
from ..search import LEAST_TOLERANCE, LOOSE, NOISE
from ..status import Status
from ..systems import RobotSystem
from .bodies import graphs
from .template import filled

# Names of arguments and locals of the exported functions and of the self-test.
RESERVED = "work x0 x u iterations running times cost controls"
STATUSES = {
    Status.SOLVED: "",
    Status.OUT_OF_ITERATIONS: "",
    Status.STALLED: "no step improves the trajectory, which is not at an optimum",
    Status.INFEASIBLE: "constraints are violated even at the highest penalty",
    Status.FAILED: "the first trajectory is not finite",
}


class Static(Function):
    """A function that is only called in its file."""

    kind = "static void"

    def __init__(self, graph, name, language, real):
        self.graph, self.language, self.real, self.name = graph, language, real, name
        self.names = Names(language, name)
        self.arrays = arrays(graph, self.names)

    def text(self):
        return one_state(self, write(self.graph, self.language, self.arrays, self.entry))

    def call(self, where, indent):
        """The statement that calls it with arrays at these places, by the names of the graph."""
        names = [*self.graph.inputs, *self.graph.outputs]
        head = f"{' ' * indent}{self.name}("
        return listed(head, [where[name] for name in names], ");", " " * (indent + 4))


class Source:
    """A solver as C with a given name and type."""

    def __init__(self, problem, horizon, name, dtype):
        self.problem, self.horizon = problem, horizon
        self.language = c_language(dtype, RESERVED)
        self.name = solver_name(problem, name, self.language)
        self.real = {"float64": "double", "float32": "float"}[dtype]
        names = Names(self.language, self.name)
        self.parameters = {key: names.new(key) for key in problem.parameters}  # -> identifiers
        self.bodies = {
            key: Static(graph, f"{self.name}_knot_{key}", c_language(dtype), self.real)
            for key, graph in graphs(problem).items()
        }

    def header(self):
        return filled("solver.h", self.features, self.words | {"comment": self._comment})

    def source(self):
        texts = "\n\n".join(body.text() for body in self.bodies.values())
        words = self.words | self._calls() | {"comment": self._comment, "bodies": texts}
        return filled("solver.c", self.features, words)

    # -- features and words of the templates -------------------------------------------------------

    @property
    def features(self):
        problem = self.problem
        stage, end = problem.stage.constraints > 0, problem.terminal.constraints > 0
        having = {
            "gaps": not problem.feasible,
            "exact": problem.exact,
            "limits": problem.limits is not None,
            "kept": bool(problem.kept),
            "parameters": bool(self.parameters),
            "per_step": bool(problem.per_step),
            "constraints": stage or end,
            "stage_constraints": stage,
            "end_constraints": end,
            "judged_first": stage or end or not problem.feasible,
        }
        return {feature for feature, has in having.items() if has}

    @property
    def words(self):
        problem, system = self.problem, self.problem.system
        stage, end = problem.stage, problem.terminal
        low, high = problem.limits or ((), ())
        constrained = "constraints" in self.features
        words = {"name": self.name, "NAME": self.name.upper(), "real": self.real}
        words |= {"N": self.horizon, "nx": system.nx, "ndx": system.ndx, "nu": system.nu}
        words |= {"halves": halves(system.ndx), "halves_of_both": halves(problem.directions)}
        words |= {"stage_count": stage.constraints, "stage_inequalities": stage.inequalities}
        words |= {"end_count": end.constraints, "end_inequalities": end.inequalities}
        words |= {"within": "within" if constrained else "tolerance"}
        words |= {"sqrt": "sqrtf" if self.real == "float" else "sqrt"}
        words |= {"lowest": self._listed(low), "highest": self._listed(high)}
        return words | self._numbers() | self._declarations() | self._heads()

    def _numbers(self):
        rounding = float(np.finfo(self.language.dtype).eps)
        numbers = {
            "ARMIJO": ARMIJO,
            "FADING": FADING,
            "SHORTEST": SHORTEST_KINKED if "constraints" in self.features else SHORTEST,
            "FIRST_WEIGHT": FIRST_WEIGHT,
            "FIRST_DAMPING": FIRST_DAMPING,
        }
        numbers |= {"MOST_DAMPING": MOST_DAMPING, "LEAST_PROGRESS": LEAST_PROGRESS}
        numbers |= {"MORE_PENALTY": MORE_PENALTY, "MOST_PENALTY": MOST_PENALTY, "LOOSE": LOOSE}
        numbers |= {"LEAST_COST": LEAST_COST, "UNVIOLATED": UNVIOLATED, "NARROW": NARROW}
        numbers |= {"LEAST_PENALTY": LEAST_PENALTY, "FIRST_PENALTY": FIRST_PENALTY}
        numbers |= {"SMALL": 1e-6, "TENTH": 0.1, "HALF": 0.5, "QUARTER": 0.25}
        numbers |= {"NOISE": NOISE * rounding, "TOLERANCE": max(1e-9, LEAST_TOLERANCE * rounding)}
        numbers |= {"CONSTRAINT_TOLERANCE": 1e-6}
        words = {name: self.language.literal(value) for name, value in numbers.items()}
        return words | {"BOX_STEPS": BOX_STEPS, "LOST": LOST, "ROUNDS": ROUNDS}

    def _declarations(self):
        problem, upper, real = self.problem, self.name.upper(), self.real
        kept = problem.kept
        shapes = problem.of_linearise | problem.of_constraints
        sizes = {key: math.prod(shape) for key, shape in shapes.items()}
        lines = [f"    {real} {key}[{sizes[key]}];" for key in kept]
        scratch = [
            f"    {real} {key}{f'[{sizes[key]}]' if shape else ''};"
            for key, shape in shapes.items()
            if key not in kept
        ]
        if problem.exact:
            scratch += ["    int exact;", f"    {real} flat[{upper}_NDX];"]
        if problem.per_step:
            scratch.append("    int before;")
        if "constraints" in self.features:
            scratch.append(f"    {real} within, penalty;")
        if problem.stage.constraints:
            lines.append(f"    {real} multipliers[{problem.stage.constraints}];")
        if problem.terminal.constraints:
            scratch.append(f"    {real} end_multipliers[{problem.terminal.constraints}];")
        given = [f"        const {real} *{name};" for name in self.parameters.values()]
        statuses = [
            f"    {upper}_{each.name} = {each.value},{f' /* {words} */' if words else ''}"
            for each, words in STATUSES.items()
        ]
        statuses[-1] = statuses[-1].replace(",", "", 1)
        takes = ["x0", *self.parameters.values()]
        take = [f"    work->given.{name} = {name};" for name in takes]
        texts = {"kept": lines, "scratch": scratch, "given": given, "statuses": statuses}
        texts |= {"take": take}
        return {name: "\n".join(each) for name, each in texts.items()}

    def _heads(self):
        problem, system, real = self.problem, self.problem.system, self.real
        work, state = f"struct {self.name}_work *work", f"const {real} x0[{system.nx}]"
        given = [
            f"const {real} {name}[{self.entries(key) * self.times(key)}]"
            for key, name in self.parameters.items()
        ]
        guess = [work, f"const {real} u[{self.horizon * system.nu}]"]
        if not problem.feasible:
            guess.append(f"const {real} x[{(self.horizon + 1) * system.nx}]")
        control = f"{real} u[{system.nu}]"
        heads = {
            "init": ("void", [work]),
            "guess": ("void", guess),
            "solve": ("int", [work, state, *given, "int iterations"]),
            "feedback": ("void", [f"const {work}", f"const {real} x[{system.nx}]", control]),
            "prepare": ("int", [work, state, *given]),
            "tick": ("int", [work, state, *given, control]),
        }
        resting = isinstance(system, RobotSystem) and system.actuation is None
        rest = "with motors that hold the robot against gravity" if resting else "with zeros"
        stepping = "A full step is taken"
        stepping += ", or none if that costs less" if problem.feasible else ""
        stepping += ",\n * without second derivatives of the dynamics." if problem.exact else "."
        return {"rest": rest, "stepping": stepping} | {
            f"{key}_head": listed(f"{kind} {self.name}_{key}(", items, ")", "    ")
            for key, (kind, items) in heads.items()
        }

    def entries(self, key):
        return math.prod(self.problem.parameters[key])

    def times(self, key):
        """The number of values of a parameter per problem."""
        return self.horizon + 1 if key in self.problem.per_step else 1

    # -- statements --------------------------------------------------------------------------------

    def _calls(self):
        """word -> the statement that calls a body at this word of the template."""
        problem = self.problem
        side = {key: f"side->knots[k].{key}" for key in ("x", "u", "k", "K")}
        side |= {"x_next": "side->knots[k + 1].x", "costates": "costates"}
        for key, shape in (problem.of_linearise | problem.of_constraints).items():
            place = f"side->knots[k].{key}" if key in problem.kept else f"work->{key}"
            side[key] = place if shape else f"&{place}"
        side |= {"damping": "&work->damping", PENALTY: "&work->penalty"}
        side |= {MULTIPLIERS: "side->knots[k].multipliers"}
        side |= self._parameters(f"{self.name}_when(work, k)")
        side |= {f"{key}{end}": f"&side->{key}" for key in TALLIES for end in ("", "'")}
        side |= {f"{key}{end}": key for key in ("V", "v") for end in ("", "'")}
        side |= {"H": "H", "g": "g", "du": "du", "du'": "du", "settled'": "&settled"}
        ends = {"x": f"side->knots[{self.horizon}].x", "V": "V", "v": "v", "total": "&side->total"}
        ends |= {MULTIPLIERS: "work->end_multipliers", PENALTY: "&work->penalty"}
        ends |= {"residuals": "side->end_residuals"} | self._parameters(
            f"{self.name}_when(work, {self.horizon})"
        )
        forth = {key: place.replace("side->", "from->") for key, place in side.items()}
        forth |= {"at": "to->knots[k].x", "at'": "to->knots[k + 1].x", "control": "to->knots[k].u"}
        forth |= {"step": "&work->length", "dx": "dx", "dx'": "dx"}
        forth |= {"slope": "&slope", "slope'": "&slope"}
        if not problem.feasible:
            forth["at"] = "to->knots[k + 1].x"
        last = self.horizon - 1
        held = {"x": f"to->knots[{last}].x", "u": f"to->knots[{last}].u"}
        held |= {"x_next": f"to->knots[{last + 1}].x"}
        held |= self._parameters(f"{self.name}_when(work, {last})")
        first = {key: f"here->knots[0].{key}" for key in ("x", "u", "k", "K")}
        calls = {
            "terminal": (ends, 4),
            "weigh": (side | {"value": "&value", "gap": "&gap"}, 8),
            "linearise": (side, 8),
            "backward": (side, 8),
            "expand": (side, 8),
            "start_box": (side, 8),
            "box": (side, 12),
            "close": (side, 8),
            "forward": (forth, 8),
            "apart": ({"x": "from->knots[0].x", "at": "to->knots[0].x", "dx": "dx"}, 4),
            "hold": (held, 4),
            "feedback": (first | {"at": "measured", "control": "u"}, 4),
            "resting": (side | {"q": "work->given.x0", "u": "here->knots[k].u"}, 12),
        }
        return {key: body.call(*calls[key]) for key, body in self.bodies.items()}

    def _parameters(self, when):
        """Where the values of parameters are; for those per step, the ones at this knot."""
        places = {}
        for key, name in self.parameters.items():
            place = f"work->given.{name}"
            if key in self.problem.per_step:
                place += f" + {self.entries(key)} * {when}"
            places[key] = place
        return places

    def _listed(self, values):
        return ", ".join(map(self.language.literal, values))

    @property
    def _comment(self):
        problem, system = self.problem, self.problem.system
        if isinstance(system, RobotSystem):
            what = f"the robot {system.robot.name[:LONGEST]}, {system.dt:g} s per step"
        else:
            what = f"a system of {system.nx} numbers"
        names = ", ".join(self.parameters.values()) or "none"
        return block_comment(
            [
                f"{self.name}: optimal control of {what}, written by Paraxis: method "
                f"{problem.method}, {self.horizon} steps, {system.nu} controls, "
                f"{self.language.dtype}. Parameters: {names}.",
                f"All memory is in a struct {self.name}_work provided by the caller; nothing is "
                "allocated, and there are no globals. Arrays of several dimensions are row-major.",
            ]
        )


def solver_name(problem, name, language):
    """The name of the functions: the requested one, or that of the system."""
    if name is not None:
        return function_name(None, name, language)
    system = problem.system
    of = system.robot.name if isinstance(system, RobotSystem) else system.graph.name
    stem = Names(language).new(of)[: LONGEST - len("_solver")].rstrip("_")
    return f"{stem}_solver"

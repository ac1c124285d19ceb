"""How deep the algorithms here are, on a chain of which every number is given."""

from dataclasses import replace

from paraxis.graph.trace import trace
from paraxis.passes.balance import balance
from paraxis.passes.depth import depth
from paraxis.physics import ALGORITHMS, FROM_MOBILITIES, MOVING_BASE
from paraxis.robots.model import BodyInertia, Model
from paraxis.spatial import Rotation, Symmetric, Transform, Turn, Vector

from ..counts.plain_count import general_chain
from ..document import Row, Table, text_of
from .growth import line
from .measured import rounds

LINKS = 6
GRID = (*range(1, 9), 12, 16)
MANY = ("lagrange_closed_form",)  # whose operations grow as n⁴
SHORT = tuple(range(1, 8))
# what a body is given by, in the order of GivenBody
BODY = {"mass": (), "com": (3,), "moment": (3,), "about_com": (6,), "about_origin": (6,)}

LEAD = (
    "Every algorithm on a chain of n revolute links about z, whose rotations, lengths, masses, "
    "first and second moments are inputs, and whose base spins and accelerates where it can."
)
CONVENTIONS = (
    "Measured is multiplications + additions for six links; the note has it for n.",
    "Balanced sums change most where terms are many: in the closed form, whose coefficients are "
    "sums over links. With the most operations of all it is the shallowest for a short arm.",
)
FORWARD_LEAD = "The same for accelerations from torques. Measured in flops, with divisions."


class GivenBody(BodyInertia):
    """A rigid body whose moments are given, not made of one another."""

    __slots__ = ()

    def __init__(self, mass, com, moment, about_com, about_origin):
        self.mass, self.com, self.moment = mass, Vector(*com), Vector(*moment)
        self.about_com, self.about_origin = Symmetric(*about_com), Symmetric(*about_origin)


class GivenModel(Model):
    """A robot as algorithms see it, of which everything but the axes comes in."""

    def __init__(self, robot, numbers, acting):
        bodies = zip(*(numbers[name] for name in BODY), strict=True)
        acting = {name: numbers[name] for name in acting}
        super().__init__(robot, acting, [GivenBody(*body) for body in bodies])
        self._transforms = [
            Transform(Turn(Rotation(*turn)), Vector(*origin))
            for turn, origin in zip(numbers["turn"], numbers["origin"], strict=True)
        ]

    def transform(self, i, q):
        return self._transforms[i]


def graph_of(function, algorithm, n):
    """The graph of an algorithm of inverse or forward dynamics for n links."""
    robot = replace(general_chain(["revolute"] * n), gravity=(0.0, 0.0, 0.0), warn=False)
    still = function == "inverse_dynamics" and algorithm not in MOVING_BASE
    acting = {"gravity": (3,)} if still else {"base_velocity": (6,), "base_acceleration": (6,)}
    shapes = {"rates": (n,), "given": (n,), "turn": (n, 3, 3), "origin": (n, 3)}
    shapes |= {name: (n, *shape) for name, shape in BODY.items()} | acting

    def run(rates, given, **numbers):
        unused = [None] * n  # q: rotations are given
        model = GivenModel(robot, numbers, acting)
        return ALGORITHMS[function][algorithm](model, unused, rates, given)

    return trace(run, shapes)


def measured(function):
    """algorithm -> n -> (Depth as written, Depth balanced)."""
    found = {}
    for name in [each for each in ALGORITHMS[function] if each not in FROM_MOBILITIES]:
        graphs = {n: graph_of(function, name, n) for n in (SHORT if name in MANY else GRID)}
        found[name] = {n: (depth(each), depth(balance(each))) for n, each in graphs.items()}
    return found


def inverse(found):
    """The table of algorithms of inverse dynamics, from what is `measured`."""
    rows = [
        _row(quantity, {n: [each.mul, each.add] for n, each in depths.items()}, depths)
        for quantity, depths in _orders(found)
    ]
    return Table("Inverse dynamics here", LEAD, rows, CONVENTIONS)


def forward(found):
    """The table of algorithms of forward dynamics."""
    rows = [
        _row(quantity, {n: [each.flops] for n, each in depths.items()}, depths)
        for quantity, depths in _orders(found)
    ]
    return Table("Forward dynamics here", FORWARD_LEAD, rows)


def curves(found):
    """name -> (n, flops), sums balanced; one for those that share the longest chain measured."""
    alike = {}
    for name, depths in found.items():
        points = [(n, balanced.flops) for n, (_, balanced) in depths.items()]
        alike.setdefault(points[-1], (points, []))[1].append(name)
    return {", ".join(names): points for points, names in alike.values()}


def _orders(found):
    """(algorithm and order, n -> Depth)."""
    for name, depths in found.items():
        yield f"{name}, as written", {n: written for n, (written, _) in depths.items()}
        yield f"{name}, balanced", {n: balanced for n, (_, balanced) in depths.items()}


def _row(quantity, values, depths):
    note = _growth(quantity, values)
    if len(values[LINKS]) == 1:
        return Row("Paraxis", quantity, None, *values[LINKS], note)
    return Row("Paraxis", quantity, None, values[LINKS], f"{depths[LINKS].flops} flops; {note}")


def _growth(quantity, values):
    if quantity.startswith("logarithmic"):
        whole = line({rounds(n): value for n, value in values.items()})
        return f"{whole.text('k')}, k = ⌈log₂(n+1)⌉ + ⌈log₂n⌉, from 3 links on"
    whole = line(values)
    if whole:
        return f"{whole}, {whole.range}"
    last = max(values)
    return f"on no line; {last} links: {text_of(values[last])}"

"""A graph as linear forms and sums of angles; rewrites operations CORDIC processors do not have.

A sum that is used by one other sum is expanded in it; one that is used more often is a value of its
own, except for its constant: S + 1 and S + 2 share S. Products are expanded wherever they are
added, because a processor adds while it multiplies.
"""

import math
from collections import Counter

from ...errors import ProgramError
from ...graph.operations import LEAVES, written
from .forms import Form, power_of_two
from .tasks import Input
from .values import QUARTER, Angle, Arctangent, Cosine, Sine, Source, Sum, Values

SUMS = ("add", "sub", "neg")


class Reader:
    """The forms of a graph: a Form for each node that is a number, an Angle for each angle."""

    def __init__(self, graph):
        self.graph, self.values = graph, Values()
        self.angles = angle_nodes(graph)
        self.uses = _uses(graph)
        self.read = {}
        for node in graph.nodes:
            reads = _ANGLES if node.index in self.angles else _NUMBERS
            if node.op not in reads:
                raise self._refusal(node)
            self.read[node.index] = reads[node.op](self, node)

    def _refusal(self, node):
        if node.index in self.angles:
            return ProgramError(
                f"{self.graph.name}: angles can be inputs, results of atan2 and sums of these, but "
                f"the result of {written(node.op)} is added to an angle or used under a sine"
            )
        known = {*_NUMBERS, *_ANGLES} - {*LEAVES, "fma", "max"}
        return ProgramError(
            f"{self.graph.name}: expected operations of CORDIC processors "
            f"({', '.join(sorted({*map(written, known)}))}), found {written(node.op)}"
        )

    @property
    def angle_inputs(self):
        """The Inputs that are angles."""
        return frozenset(
            Input(*node.value)
            for node in self.graph.nodes
            if node.op == "input" and node.index in self.angles
        )

    # -- numbers -----------------------------------------------------------------------------------

    def number(self, node):
        form = self.read[node.index]
        if isinstance(form, Angle):
            users = sorted(map(written, self._users(node) - {*SUMS, "sin", "cos", None}))
            raise ProgramError(
                f"{self.graph.name}: {' or '.join(users)}: expected numbers, found an angle; "
                "angles can only be added, rotated by, and returned"
            )
        return form

    def _users(self, node):
        """The operations that use a node; None for an output."""
        users = {each.op for each in self.graph.nodes if any(node is arg for arg in each.args)}
        return users | {None for each in self.graph.results if each is node}

    def part(self, node):
        """The form of a node within a sum."""
        form = self.number(node)
        return self.values.shared(form) if self.uses[node.index] > 1 else form

    def _constant(self, node):
        return Form(constant=node.value)

    def _input(self, node):
        return self._one(Source, Input(*node.value))

    def _one(self, kind, *parts):
        return Form({(self.values.number(kind, *parts),): 1.0})

    def _add(self, node):
        return self._sum(node, 1.0)

    def _subtract(self, node):
        return self._sum(node, -1.0)

    def _sum(self, node, sign):
        a, b = node.args
        form = self.part(a).plus(self.part(b), sign)
        if self.uses[node.index] > 1:
            self.values.shared(form)  # available to products
        return form

    def _negate(self, node):
        return self.number(node.args[0]).times(-1.0)

    def _multiply(self, node):
        by_constant = any(arg.op == "const" for arg in node.args)
        return self._product(*map(self.part if by_constant else self.factor, node.args))

    def factor(self, node):
        """The form of a node within a product; a reused multiple of a value is a value too."""
        form = self.number(node)
        often = self.uses[node.index] > 1
        if often and form.only and power_of_two(form.only[1]) is None:
            return Form({(self.values.number(Sum, form),): 1.0})
        return form

    def _product(self, a, b):
        if a.is_constant:
            a, b = b, a
        if b.is_constant:
            free = power_of_two(b.constant) is not None or len(a.terms) < 2
            return (a if free else self.values.shared(a)).times(b.constant)
        (s, u), (t, v) = self.values.alone(a), self.values.alone(b)
        return self.values.product(u, v).times(s * t)

    def _fused(self, node):
        a, b, c = node.args
        return self._product(self.factor(a), self.factor(b)).plus(self.part(c))

    def _divide(self, node):
        y, x = map(self.number, node.args)
        if x.is_constant and not x.constant:
            raise ProgramError(f"{self.graph.name}: a division by 0")
        if x.is_constant:
            return self._product(y, Form(constant=1 / x.constant))
        factor, number = self.values.quotient(y, x)
        return Form({(number,): factor})

    def _root(self, node):
        """Also of max(e, 0): the processor itself finds whether the root exists."""
        (argument,) = node.args
        square = self.number(argument)
        factor, number = self.values.root(square)
        return Form({(number,): factor})

    def _at_least_zero(self, node):
        a, b = node.args
        zero = [arg.op == "const" and arg.value == 0.0 for arg in (a, b)]
        if not any(zero) or self._users(node) != {"sqrt"}:
            raise ProgramError(
                f"{self.graph.name}: maximum is only supported as sqrt(maximum(e, 0))"
            )
        return self.number(b if zero[0] else a)

    def _cosine(self, node):
        return self._turned(node, 0)

    def _sine(self, node):
        return self._turned(node, 3)  # sin θ = cos(θ - π/2)

    def _turned(self, node, quarters):
        """cos(θ + quarters · π/2)."""
        angle = self.angle(node.args[0])
        if not angle.terms:
            return Form(constant=math.cos(angle.constant + quarters * QUARTER))
        sign, turned, angle = self.turn(angle)
        quarters = (quarters + turned) % 4
        if quarters % 2 == 0:
            return self._one(Cosine, angle).times(1.0 - quarters)
        return self._one(Sine, angle).times(sign * (quarters - 2.0))

    def turn(self, angle):
        """(sign, quarters, φ) with angle = sign · φ + quarters · π/2.

        Rotations by all such angles share the rotation by φ.
        """
        sign = angle.terms[0][1]
        angle = self.values.combined(Angle(), angle, sign)
        constant = self.values.wrapped(angle.constant, QUARTER)
        quarters = round((angle.constant - constant) / QUARTER)
        return sign, sign * quarters, Angle(angle.terms, constant)

    # -- angles ------------------------------------------------------------------------------------

    def angle(self, node):
        form = self.read[node.index]
        return Angle((), self.values.wrapped(form.constant)) if isinstance(form, Form) else form

    def _angle_input(self, node):
        return Angle(((self.values.number(Source, Input(*node.value)), 1),))

    def _arctangent(self, node):
        y, x = map(self.number, node.args)
        if y.is_constant and not y.constant:
            for sign, angle in ((1.0, 0.0), (-1.0, math.pi)):
                if self.values.is_never_negative(x.times(sign)):
                    return Angle((), self.values.wrapped(angle))
        sign = 1 if y.scale > 0 else -1
        return Angle(((self.values.number(Arctangent, y.times(sign), x), sign),))

    def _angle_sum(self, node):
        first, second = map(self.angle, node.args)
        angle = self.values.combined(first, second, -1 if node.op == "sub" else 1)
        if angle is None:
            raise ProgramError(
                f"{self.graph.name}: a sum of angles can contain each angle only once, "
                "but an angle is doubled"
            )
        return angle

    def _negative_angle(self, node):
        return self.values.negative(self.angle(node.args[0]))


_NUMBERS = {
    "const": Reader._constant,
    "input": Reader._input,
    "add": Reader._add,
    "sub": Reader._subtract,
    "neg": Reader._negate,
    "mul": Reader._multiply,
    "fma": Reader._fused,
    "div": Reader._divide,
    "sqrt": Reader._root,
    "max": Reader._at_least_zero,
    "cos": Reader._cosine,
    "sin": Reader._sine,
}
_ANGLES = {
    "input": Reader._angle_input,
    "atan2": Reader._arctangent,
    "add": Reader._angle_sum,
    "sub": Reader._angle_sum,
    "neg": Reader._negative_angle,
}


def angle_nodes(graph):
    """The indices of nodes that are angles: atan2, arguments of sines, and terms of their sums.

    A term added to an angle is an angle, and so is the sum; constants depend on their use.
    """
    neighbours = {}
    for node in graph.nodes:
        if node.op in SUMS:
            for other in node.args:
                if other.op != "const":
                    neighbours.setdefault(node.index, []).append(other)
                    neighbours.setdefault(other.index, []).append(node)
    found, waiting = set(), [node for node in graph.nodes if node.op == "atan2"]
    waiting += [node.args[0] for node in graph.nodes if node.op in ("sin", "cos")]
    while waiting:
        node = waiting.pop()
        if node.index not in found:
            found.add(node.index)
            waiting += neighbours.get(node.index, [])
    return found


def _uses(graph):
    """node index -> how many operations and outputs use it; a sign change is not a use itself."""
    uses = Counter(node.index for node in graph.results)
    for node in reversed(graph.nodes):
        for argument in node.args:
            uses[argument.index] += uses[node.index] if node.op == "neg" else 1
    return uses

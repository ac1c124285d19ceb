"""A graph as CORDIC tasks, as few as the rules below find.

The graph is read as linear forms and sums of angles (reading.py). Then tasks are created backward
from the outputs, once per value: sums of products (sums.py), plane rotations (rotations.py), square
roots (roots.py) and angles (angle_plan.py). Every step is exact in real arithmetic.
"""

import math
from dataclasses import replace

from ...errors import ProgramError
from .angle_plan import Added, AnglePlan, Vectored
from .forms import Form, power_of_two
from .reading import Reader
from .roots import Roots
from .rotations import Rotations, split
from .sums import Product, chain
from .task_list import ZERO, TaskList, scaled
from .tasks import Constant, CordicTasks, Operand, Result, entry
from .values import Angle, Cosine, Quotient, Root, Sine, Source, Sum

LARGEST = 2.0**256  # of a constant or its reciprocal, so that products of a few are finite


def decompose(graph, identities=True):
    """Return the CordicTasks of a graph.

    With `identities`, (x, y) turned by -atan2(y, x) is simplified to (hypot(x, y), 0), x² + y² to
    the square of a result of a vectoring task, and sums are ordered by when their parts are ready.
    Without, the equations are taken as written.
    """
    _require_moderate(graph)
    reader = Reader(graph)
    maker = _Maker(reader, identities)
    try:
        outputs = {
            name: (shape, tuple(maker.result(reader.read[node.index]) for node in nodes))
            for name, (shape, nodes) in graph.outputs.items()
        }
    except RecursionError:  # tasks are created recursively, backward from the outputs
        raise ProgramError(
            f"{graph.name}: the longest sequence of dependent operations is too long to be made "
            "into CORDIC tasks"
        ) from None
    tasks = _noted(maker.tasks.tasks, outputs)
    return CordicTasks(graph.name, dict(graph.inputs), tasks, outputs, reader.angle_inputs)


def _require_moderate(graph):
    """Raise if a constant is so far from 1 that no fixed-point word holds it with others."""
    for node in graph.nodes:
        size = abs(node.value) if node.op == "const" else 0.0
        if size and not 1 / LARGEST <= size <= LARGEST:
            raise ProgramError(
                f"{graph.name}: expected constants between {1 / LARGEST:.0e} and {LARGEST:.0e} in "
                f"size, as fixed-point words have no exponents, found {node.value!r}; the robot "
                "may have a parameter that is far too small or too large"
            )


def _noted(tasks, outputs):
    """The tasks that compute outputs, with a note of which."""
    notes = {}
    for name, (shape, operands) in outputs.items():
        for index, operand in enumerate(operands):
            if isinstance(operand.source, Result):
                notes.setdefault(operand.source.task, []).append(entry(name, shape, index))
    return tuple(replace(task, note=", ".join(notes.get(k, ()))) for k, task in enumerate(tasks))


class _Maker:
    """Creates the tasks for forms and angles, on demand."""

    def __init__(self, reader, identities):
        self.values, self.reader, self.identities = reader.values, reader, identities
        self.tasks = TaskList()
        results = [reader.read[node.index] for node in reader.graph.results]
        self.plan = AnglePlan(
            self.values,
            reader.turn,
            [angle for angle in results if isinstance(angle, Angle)],
            [value.angle for _, value in self.values.of((Cosine, Sine))],
        )
        shared = self.values, self.tasks, self.numbers
        self.roots = Roots(*shared, self.radius)
        self.rotations = Rotations(*shared, self.turning, self.radius if identities else None)
        self._singles, self._angles = {}, {}
        self._families = {}  # a form without constant and scale -> [(constant, scale, operand)]

    def result(self, form):
        return self.angle(form) if isinstance(form, Angle) else self.number(form)

    # -- numbers -----------------------------------------------------------------------------------

    def numbers(self, *forms):
        """The operands of one task. The latest ones are made first, as families begin with them."""
        order = sorted(range(len(forms)), key=lambda k: -self.values.level(forms[k]))
        made = {k: self.number(forms[k]) for k in order}
        return [made[k] for k in range(len(forms))]

    def number(self, form):
        """The operand that equals a form.

        Forms that differ by a constant are a family: the first includes its constant, which is free
        if products are added to it, and an `add` computes each of the others from it.
        """
        form = self.values.opened(form)
        if form.is_constant:
            return Operand(Constant(form.constant + 0.0))  # avoids -0
        plain = form.times(1 / form.scale)
        family = self._family(plain.without_constant)
        constant = self.values.numbers.same(plain.constant)
        for known, scale, operand in family:
            if known == constant:
                return _scaled(operand, form.scale / scale)
        if family:
            known, scale, operand = family[0]
            operand = _scaled(operand, form.scale / scale)
            difference = Operand(Constant((constant - known) * form.scale))
            operand = self.tasks.put("add", "Y", x=operand, y=difference)
        else:
            operand = self._sum(form)
        family.append((constant, form.scale, operand))
        return operand

    def _family(self, base):
        """The forms that differ from a base by a constant; plain ones are free."""
        key = self.values.key(base)
        if key not in self._families:
            self._families[key] = []
            if base.only and self._is_plain(*base.only):
                (number,), coefficient = base.only
                self._families[key] = [(0.0, 1.0, _scaled(self._single(number), coefficient))]
        return self._families[key]

    def _sum(self, form):
        if self.identities:
            form = self._with_radii(form)
        turned, rest = split(self.values, form)
        plain = [Operand(Constant(rest.constant))] if rest.constant else []
        plain += [self.rotations.turned(a, b, φ) for φ, (a, b) in turned.items()]
        products = []
        for term, coefficient in rest.terms.items():
            known = None if plain else self._known(Form({term: coefficient}))
            if known:  # a sum without plain values can begin with it
                plain.append(known)
            elif self._is_plain(term, coefficient):
                plain.append(_scaled(self._single(term[0]), coefficient))
            else:
                products.append(self._product(term, coefficient))
        return chain(self.tasks, plain, products, as_written=not self.identities)

    def _with_radii(self, form):
        """x² + y² as the square of a length from the task of atan2(y, x)."""
        for squares in self.roots.squares:
            if len(squares.terms) < 2 or not squares.terms.keys() <= form.terms.keys():
                continue
            ratios = [form.terms[term] / c for term, c in squares.terms.items()]
            if len({self.values.numbers.same(ratio) for ratio in ratios}) == 1:
                coefficient = ratios[0]
                factor, radius = self.values.root(squares)
                form = form.plus(squares, -coefficient)
                form = form.plus(Form({(radius, radius): coefficient * factor**2}))
        return form

    def _known(self, form):
        """The operand that equals a form, if it exists already."""
        key = self.values.key(form.times(1 / form.scale))
        for constant, scale, operand in self._families.get(key, []):
            if constant == 0.0:
                return _scaled(operand, form.scale / scale)
        return None

    def _is_plain(self, term, coefficient):
        if len(term) > 1 or power_of_two(coefficient) is None:
            return False
        return not isinstance(self.values[term[0]], Quotient) or term[0] in self._singles

    def _product(self, term, coefficient):
        free = power_of_two(coefficient) is not None
        if len(term) == 1:
            value = self.values[term[0]]
            if free:  # a quotient
                y = _scaled(self.number(value.y), coefficient)
                return Product("divide", {"x": self.number(value.x), "y": y})
            x, z = self._single(term[0]), Operand(Constant(coefficient))
        else:
            x, z = self.number(Form({term[:1]: coefficient})), self._single(term[1])
        return Product("multiply", {"x": x, "z": z})

    def _single(self, number):
        """The operand that equals a value."""
        if number not in self._singles:
            self._singles[number] = self._made(number, self.values[number])
        return self._singles[number]

    def _made(self, number, value):
        match value:
            case Source():
                return Operand(value.input)
            case Sum():
                return self.number(value.form)
            case Quotient():
                return self._product((number,), 1.0).onto(self.tasks, ZERO)
            case Root():
                return self.roots.root(value.square)
            case Cosine():
                return self.rotations.turned(Form(constant=1.0), Form(), value.angle)
            case Sine():
                return self.rotations.turned(Form(), Form(constant=1.0), value.angle)

    # -- angles ------------------------------------------------------------------------------------

    def angle(self, angle):
        """The operand that equals an angle."""
        if not angle.terms:
            return Operand(Constant(math.remainder(angle.constant, 2 * math.pi)))
        if angle not in self._angles:
            self._angles[angle] = self._made_angle(angle)
        return self._angles[angle]

    def _made_angle(self, angle):
        match self.plan.how.get(angle):
            case Vectored(number, sign, added):
                value = self.values[number]
                y = value.y.times(sign)
                return self._vector(value.x, y, self.angle(added), "Z")
            case Added(first, second):
                x, y = self.angle(first), self.angle(second)
                return self.tasks.put("add", "Y", angle=True, x=x, y=y)
        (number, sign), *others = angle.terms
        if not others and not angle.constant and isinstance(self.values[number], Source):
            return scaled(Operand(self.values[number].input), sign)
        return scaled(self.angle(self.values.negative(angle)), -1)

    def _vector(self, x, y, added, port):
        x, y = self.numbers(x, y)
        return self.tasks.put("vector", port, x=x, y=y, z=added)

    def radius(self, number):
        """The operand sqrt(x² + y²) of an arctangent."""
        planned = self.plan.vectors.get(number)
        if planned is None:
            value = self.values[number]
            return self._vector(value.x, value.y, ZERO, "X")
        return Operand(Result(self.angle(planned).source.task, "X"))

    def turning(self, φ):
        """(z, quarters) such that turning by φ equals turning by z and then by quarters."""
        planned = self.plan.for_turning(φ)
        sign, quarters, _ = self.reader.turn(planned)
        # planned = sign φ + quarters, so φ = sign planned - sign quarters
        return scaled(self.angle(planned), sign), -sign * quarters


def _scaled(operand, factor):
    """An operand times ± a power of two."""
    return scaled(operand, 1 if factor > 0 else -1, power_of_two(factor))

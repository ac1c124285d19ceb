"""The equations of motion of a small arm, written out: M(q) qdd + h(q, qd) = tau.

Every entry of M and h is a sum of products of joint positions, their sines and cosines, rates, and
the parameters that are inputs of the graphs. They are formatted by paraxis.dynamics.formula.

A description that writes a right angle as 1.5708 or 1.57079632679 leaves terms of the size of that
rounding, often more of them than actual ones. They are found by size, which must not depend on
units or on the mass of a finger relative to a boom. Rows and columns are therefore first divided by
the root of each joint's own inertia, as far as units allow, and only coefficients of the same unit
are compared.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from numbers import Real
from typing import NamedTuple

from ..checks import counted
from ..errors import ArgumentError
from ..function_bodies import function_body
from ..graph.graph import Graph
from ..graph.trace import trace
from ..passes.angle_sums import angle_sums
from ..passes.expand import Term, expand
from ..programs import Program
from ..robot_functions import MATTERS
from ..robots.refusals import single_joints, unsprung
from ..robots.robot import Robot
from .formula import RATES, Fortran, Latex, Text, by_rates, rates_of, wrapped

NOISE = 1e-9  # relative to the largest coefficient of the same kind: smaller ones count as rounding

Entry = tuple[Term, ...]  # of M or h: a sum


class Dropped(NamedTuple):
    """A term that was left out as rounding."""

    entry: str  # as printed: M[1,2], h[3]
    term: Term
    share: float  # of the largest of its kind


@dataclass(frozen=True)
class ClosedForm:
    """Equations of motion as printable sums of products: M(q) qdd + h(q, qd) = tau.

    - `joint_names`: the names of the joints.
    - `inputs`: {name: shape} of q, qd and parameters.
    - `M`, `h`: rows of entries, and one entry per joint. An entry is a tuple of Terms (coefficient,
      factors).
    - `slides`: for each joint, whether it is prismatic.
    - `dropped`: the terms that were omitted as rounding, the largest first.
    """

    joint_names: tuple[str, ...]
    inputs: dict[str, tuple[int, ...]]
    M: tuple[tuple[Entry, ...], ...]
    h: tuple[Entry, ...]
    slides: tuple[bool, ...]
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(
        cls,
        mass_matrix: Graph,
        bias_forces: Graph,
        joint_names: Sequence[str],
        slides: Sequence[bool],
    ) -> "ClosedForm":
        """From the graphs of M and of h, with one output each."""
        (entries,), (h,) = expand(mass_matrix).values(), expand(bias_forces).values()
        n = len(joint_names)
        # one half of M stands for both, or rounding would make them differ
        M = tuple(tuple(entries[min(i, j) * n + max(i, j)] for j in range(n)) for i in range(n))
        return cls(tuple(joint_names), bias_forces.inputs | mass_matrix.inputs, M, h, tuple(slides))

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.joint_names)

    @property
    def gravity(self) -> tuple[Entry, ...]:
        """The part of h without rates."""
        return tuple(tuple(term for term in entry if not rates_of(term)) for entry in self.h)

    @property
    def coriolis(self) -> tuple[Entry, ...]:
        """The part of h with rates: Coriolis and centrifugal torques."""
        return tuple(tuple(term for term in entry if rates_of(term)) for entry in self.h)

    @property
    def terms(self) -> int:
        """The number of terms in the upper half of M and in h."""
        return sum(len(self.M[i][j]) for i, j in self._upper) + sum(map(len, self.h))

    def angle_sums(self) -> "ClosedForm":
        """Return the same with sines and cosines of sums of angles: shorter for parallel axes."""
        M = tuple(tuple(map(angle_sums, row)) for row in self.M)
        return replace(self, M=M, h=tuple(map(angle_sums, self.h)))

    def rounded(self, below: float = NOISE) -> "ClosedForm":
        """Return the same without negligible terms, relative to the largest of their kind.

        Terms are of the same kind if all are of M, of h with rates, or of h without rates, and
        their coefficients have the same unit. Entry i, j of M is divided by the root of the
        inertias of joints i and j, and a term of h by those of its joint and its rates, so that
        units and the sizes of links do not matter.

        **Arguments:**

        - `below`: terms below this share of the largest of their kind are omitted, 0 to below 1.

        **Returns:** the shorter ClosedForm, whose `dropped` lists the omitted terms.

        **Raises:** `px.ArgumentError` if `below` is outside that range.
        """
        if not isinstance(below, Real) or not 0 <= below < 1:
            raise ArgumentError(f"below: expected a number >= 0 and < 1, found {below!r}")
        sizes = self._sizes()
        largest = {}
        for (*_, kind), size in sizes.items():
            largest[kind] = max(largest.get(kind, 0.0), size)
        share = {key: size / largest[key[-1]] if size else 0.0 for key, size in sizes.items()}
        small = {key[:-1]: each for key, each in share.items() if each < below}
        upper = {(i, j): _without(self.M[i][j], ("M", i, j), small) for i, j in self._upper}
        joints = range(self.n)
        M = tuple(tuple(upper[min(i, j), max(i, j)] for j in joints) for i in joints)
        h = tuple(_without(entry, ("h", i), small) for i, entry in enumerate(self.h))
        left_out = [
            Dropped(f"{place[0]}[{','.join(str(i + 1) for i in place[1:])}]", term, share)
            for (place, term), share in small.items()
        ]
        left_out = sorted([*self.dropped, *left_out], key=lambda each: -each.share)
        return replace(self, M=M, h=h, dropped=tuple(left_out))

    def _sizes(self):
        """(place, term, kind) -> the size of the coefficient, relative to the inertias."""
        inertia = [_largest(self.M[i][i]) ** 0.5 for i in range(self.n)]
        sizes = {}
        for i, j in self._upper:
            for term in self.M[i][j]:
                kind = ("M", _unit(term))
                scale = inertia[i] * inertia[j]
                sizes[("M", i, j), term, kind] = abs(term.coefficient) / scale
        for i, entry in enumerate(self.h):
            for term in entry:
                rates = [factor.argument[0][0][1] for factor, _ in rates_of(term)]
                kind = ("h" if rates else "g", _unit(term))
                # an angle's rate has only a unit of time: the other one has the length
                of_unit = [inertia[j] for j in rates if self.slides[j]]
                of_unit = of_unit or [inertia[j] for j in rates] or [1.0]
                scale = inertia[i] * max(of_unit)
                sizes[("h", i), term, kind] = abs(term.coefficient) / scale
        return sizes

    # -- notations ------------------------------------------------------------------

    def text(self, digits: int = 6) -> str:
        """Return readable lines, in which the gravity torques g are separate from the rest of h."""
        names = (repr(name)[1:-1] for name in self.joint_names)  # they come from untrusted files
        joints = ", ".join(f"{i} {name}" for i, name in enumerate(names, start=1))
        lines = [f"M(q) qdd + h(q, qd) = tau: {counted(self.terms, 'term')}; joints {joints}"]
        if self.dropped:
            lines += [
                f"left out as rounding: {counted(len(self.dropped), 'term')}, at most "
                f"{self.dropped[0].share:.0e} of the largest of their kind (see .dropped)"
            ]
        for left, pieces in self._equations(Text(self.inputs, digits)):
            lines += wrapped(f"{' = '.join(left)} =", pieces, "    ")
        return "\n".join(lines) + "\n"

    __str__ = text

    def __repr__(self):
        joints, terms = counted(self.n, "joint"), counted(self.terms, "term")
        left_out = f", {len(self.dropped)} left out" if self.dropped else ""
        return f"<ClosedForm of {joints}: {terms}{left_out}>"

    def latex(self, digits: int = 6) -> str:
        """Return the same equations as an `align*` environment."""
        lines = []
        for left, pieces in self._equations(Latex(self.inputs, digits)):
            lines += wrapped(f"{' = '.join(left)} ={{}}&", pieces, "& ")
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"

    def fortran(self) -> str:
        """Return a free-form Fortran subroutine that computes M and h, with every digit."""
        notation = Fortran(self.inputs)
        used = {factor: notation.factor(factor) for factor in self._factors}
        lines = [f"subroutine closed_form({', '.join(self.inputs)}, M, h)", "  implicit none"]
        for name, shape in self.inputs.items():
            lines.append(f"  double precision, intent(in) :: {name}({', '.join(map(str, shape))})")
        lines.append(f"  double precision, intent(out) :: M({self.n}, {self.n}), h({self.n})")
        for names in textwrap.wrap(", ".join(used.values()), 70):
            lines.append(f"  double precision :: {names.rstrip(',')}")
        lines += [f"  {name} = {notation.meaning(factor)}" for factor, name in used.items()]
        for (first, *same), pieces in self._equations(notation, apart=False):
            lines += wrapped(f"  {first} =", pieces, "    ", more=" &")
            lines += [f"  {entry} = {first}" for entry in same]
        return "\n".join([*lines, "end subroutine closed_form"]) + "\n"

    def program(self) -> Program:
        """Return the Program with outputs M and h that computes these sums of products."""

        def closed_form(**inputs):
            arrays = {name: _flat(nested) for name, nested in inputs.items()}
            M = {pair: value(self.M[pair[0]][pair[1]], arrays) for pair in self._upper}
            rows = [[M[min(i, j), max(i, j)] for j in range(self.n)] for i in range(self.n)]
            return {"M": rows, "h": [value(entry, arrays) for entry in self.h]}

        return Program.of(trace(closed_form, self.inputs, name="closed_form"))

    # -- entries and factors ----------------------------------------------------------

    @property
    def _upper(self):
        return [(i, j) for i in range(self.n) for j in range(i, self.n)]

    @property
    def _factors(self):
        entries = [self.M[i][j] for i, j in self._upper] + list(self.h)
        return sorted({f for entry in entries for _, factors in entry for f, _ in factors})

    def _equations(self, notation, apart=True):
        """(names of equal entries, pieces of their sum) pairs."""
        entry = notation.entry
        for i, j in self._upper:
            same = [entry("M", i, j)] + [entry("M", j, i)] * (i != j)
            yield same, notation.sum(self.M[i][j])
        for i, terms in enumerate(self.coriolis if apart else self.h):
            gravity = [f"+ {entry('g', i)}"] if apart and self.gravity[i] else []
            yield [entry("h", i)], gravity + notation.sum(terms)
        for i, terms in enumerate(self.gravity if apart else ()):
            yield [entry("g", i)], notation.sum(terms)


def closed_form(robot: Robot, parameters: Sequence[str] = ()) -> ClosedForm:
    """Return M(q) and h(q, qd) of a small arm, written out as sums of products.

    Terms below 1e-9 of the largest of their kind come from rounding in the description (a right
    angle written as 1.57079632679); they are omitted. `.rounded` defines the kinds.

    **Arguments:**

    - `robot`: an arm of few joints.
    - `parameters`: names of parameters, as in `px.parameter_values`, that stay symbols.

    **Returns:** a `ClosedForm`, which prints as equations. It also has `.latex()`, `.fortran()`,
    `.program()`, `.angle_sums()` for the form with sines of sums of angles, and `.dropped`, the
    omitted terms.

    **Raises:** `px.ArgumentError` if a parameter is unknown.

    **Example:**

    >>> print(px.closed_form(px.robots.planar(2)))
    M(q) qdd + h(q, qd) = tau: 13 terms; joints 1 joint1, 2 joint2
    M[1,1] = 1.66667 + c2
    M[1,2] = M[2,1] = 0.333333 + 0.5*c2
    M[2,2] = 0.333333
    h[1] = g[1] - s2*qd1*qd2 - 0.5*s2*qd2^2
    h[2] = g[2] + 0.5*s2*qd1^2
    g[1] = 14.715*c1 + 4.905*c1*c2 - 4.905*s1*s2
    g[2] = 4.905*c1*c2 - 4.905*s1*s2
    """
    unsprung(single_joints(robot, "a closed form"), "a closed form")
    function_body(robot, "bias_forces", parameters=parameters)  # checks them

    def graph(function):
        own = tuple(name for name in parameters if name in MATTERS[function])
        return function_body(robot, function, parameters=own).made()

    slides = [not joint.is_revolute for joint in robot.joints]
    form = ClosedForm.of(graph("mass_matrix"), graph("bias_forces"), robot.joint_names, slides)
    return form.rounded()


def _largest(entry):
    """The largest coefficient of an entry: of its pure inertia terms, if there are any.

    Zero inertias count as one, so that they can be divisors.
    """
    pure = [term for term in entry if not _unit(term)] or entry
    return max((abs(term.coefficient) for term in pure), default=0.0) or 1.0


def _unit(term):
    """The part of a coefficient's unit besides its place: from positions and parameters.

    Sines and cosines have none, and rates are accounted for by the inertias.
    """
    powers = {}
    for factor, power in term.factors:
        ((name, _), _), *_ = factor.argument
        if not factor.function and name != RATES:
            powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _without(entry, place, small):
    return tuple(term for term in entry if (place, term) not in small)


def value(terms, arrays):
    """A sum of products of scalars, with products of rates factored out."""
    total = 0.0
    for rates, group in by_rates(terms):
        inside = sum(c * _product(factors, arrays) for c, factors in group)
        total = total + _product(rates, arrays) * inside
    return total


def _product(factors, arrays):
    return prod((_factor(factor, arrays) ** power for factor, power in factors), start=1.0)


def _factor(factor, arrays):
    angle = sum(multiple * arrays[name][place] for (name, place), multiple in factor.argument)
    return getattr(angle, factor.function)() if factor.function else angle


def _flat(nested):
    return [x for item in nested for x in _flat(item)] if isinstance(nested, list) else [nested]

"""Stale-data policies: which reads of a recursion take a value of an earlier control step.

A policy is a list of cuts; if several match a read, the last one applies. The variables and their
readers are described in physics/coupled_newton_euler.py. Gravity depends on the poses of links
rather than on data from their neighbours, and is cut only by cuts that name it; so are the torques,
which the motors read.
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checks import did_you_mean, one_of, shown
from ..errors import ArgumentError
from ..physics.coupled_newton_euler import BACKWARD, FORWARD, VARIABLES

ORDERS = (0, 1)
TORQUE, MOTOR = "torque", "motor"
ONLY_BY_NAME = ("gravity", TORQUE)


@dataclass(frozen=True)
class Cut:
    """Reads of a recursion that take a stale value.

    **Arguments:**

    - `variable`: the name of the variable that is read, or several, such as `("force", "moment")`;
      by default any except gravity and torque. `"torque"` is read by the motors: stale torques are
      applied late.
    - `by`: the name of the variable that reads it, or several; by default any.
    - `age`: how many control steps old the value is; 0 restores the value of this step. Several
      ages, such as `(1, 2)`, are those that a read may use; the Program then takes the age as an
      input.
    - `order`: 0 takes the value as it was, 1 extrapolates it from the one before (for torques,
      which come from stale data, by one more step).
    - `between_links`: True for reads of another link's variables, False for those of the link's
      own, None for both.
    - `link`: the number of the reading link, from 0; None for all.
    - `of_link`: the number of the link whose processor computes the value; None for all.

    **Raises:** `px.ArgumentError` if a name is unknown or a number out of range.

    **Example:**

    >>> cut = px.control.Cut(("force", "moment"), age=1, between_links=True)
    >>> stale = px.control.speculate(px.robots.planar(3), [cut])
    >>> stale.depth().flops
    9
    """

    variable: str | tuple[str, ...] | None = None
    by: str | tuple[str, ...] | None = None
    age: int | tuple[int, ...] = 1
    order: int = 0
    between_links: bool | None = None
    link: int | None = None
    of_link: int | None = None

    def __post_init__(self):
        for names, known in ((self.variable, (*VARIABLES, TORQUE)), (self.by, VARIABLES)):
            for name in _several(names):
                one_of(name, known, "cut variable")
        ages = self.age if isinstance(self.age, tuple) else (self.age,)
        good = [type(age) is int and age >= 0 for age in ages]
        if not ages or not all(good) or len(set(ages)) != len(ages):
            to_come = any(type(age) is int and age < 0 for age in ages)
            raise ArgumentError(
                "cut: expected an age as an integer >= 0, or several distinct ones, found "
                f"{self.age!r}" + "; values of future steps are not available" * to_come
            )
        if self.order not in ORDERS:
            raise ArgumentError(f"cut: expected an order of {ORDERS}, found {self.order!r}")
        if self.order and 0 in ages and _several(self.variable) != (TORQUE,):
            raise ArgumentError(
                "cut: order 1 extrapolates stale values and needs age >= 1, found 0"
            )
        if self.between_links not in (None, True, False):
            found = self.between_links
            raise ArgumentError(f"cut: expected between_links True, False or None, found {found!r}")
        for link in (self.link, self.of_link):
            if link is not None and type(link) is not int:
                raise ArgumentError(f"cut: expected the number of a link or None, found {link!r}")

    @property
    def ages(self) -> tuple[int, ...]:
        """All ages, in ascending order."""
        return tuple(sorted(self.age)) if isinstance(self.age, tuple) else (self.age,)

    @property
    def changes_nothing(self) -> bool:
        """Whether the reads it matches use the value of this step."""
        return self.ages == (0,) and not self.order

    def matches(self, read: "Read") -> bool:
        """Whether it matches this read."""
        if self.variable is None and read.variable in ONLY_BY_NAME:
            return False
        return (
            (self.variable is None or read.variable in _several(self.variable))
            and (self.by is None or read.by in _several(self.by))
            and self.between_links in (None, read.between_links)
            and self.link in (None, read.link)
            and self.of_link in (None, read.owner)
        )


def _several(names):
    """One name, several, or none, as a tuple."""
    return names if isinstance(names, tuple) else () if names is None else (names,)


@dataclass(frozen=True)
class Read:
    """One variable read by another: their names, and the links that compute them."""

    variable: str
    owner: int
    by: str
    link: int

    @property
    def between_links(self):
        return self.owner != self.link


@dataclass(frozen=True)
class Policy:
    """A named list of cuts, created by `px.control.policy`.

    - `ahead`: whether forward variables take joint values predicted for the next step.
    - `strict`: whether a cut that matches no read of a robot is an error; named policies, which are
      for all robots, are not strict.
    """

    name: str
    cuts: tuple[Cut, ...] = ()
    ahead: bool = False
    strict: bool = False

    def cut_of(self, read: Read) -> Cut | None:
        """The cut that applies to a read, or None."""
        return next((cut for cut in reversed(self.cuts) if cut.matches(read)), None)

    def __repr__(self):
        return f"<Policy {shown(self.name)}>"


EXACT = Policy("exact")
NEIGHBOURS = Cut(between_links=True)
TO_BACKWARD = Cut(FORWARD, BACKWARD)


def exact():
    """Every value belongs to this step."""
    return EXACT


def binder_herzog():
    """Values of other links are one step old: Binder and Herzog's zero-order prediction."""
    return Policy("binder_herzog", (NEIGHBOURS,))


def binder_herzog_first_order():
    """The same, extrapolated from the two steps before."""
    return Policy("binder_herzog_first_order", (replace(NEIGHBOURS, order=1),))


def hybrid(exact=("omega_dot", "alpha"), order=0):
    """Binder and Herzog's third method: the variables in `exact` are those of this step."""
    if isinstance(exact, str):
        exact = (exact,)
    kept = tuple(Cut(variable, age=0) for variable in exact)
    return Policy("hybrid", (replace(NEIGHBOURS, order=order), *kept))


def vuskovic(age=1):
    """Decoupled, without synchronisation: `age` may be several, any of which a link may use."""
    return Policy("vuskovic", (replace(NEIGHBOURS, age=age),))


def vuskovic_output_prediction(age=1):
    """Decoupled, with torques extrapolated by a step."""
    predicted = Cut(TORQUE, age=0, order=1)
    return Policy("vuskovic_output_prediction", (*vuskovic(age).cuts, predicted))


def yamakita_buffered():
    """Every block, forward or backward, of every link at once, from previously buffered values."""
    return Policy("yamakita_buffered", (NEIGHBOURS, TO_BACKWARD))


def yamakita_one_step_ahead():
    """Buffered; forward blocks take joint values predicted from the desired ones and the error."""
    return Policy("yamakita_one_step_ahead", (NEIGHBOURS, TO_BACKWARD), ahead=True)


def hamilton():
    """Table 1 as printed: all boxed variables are stale; a_c in f and α in τ are of this step."""
    unboxed = Cut("com_acceleration", "force", age=0), Cut("alpha", "moment", age=0)
    return Policy("hamilton", (Cut(), *unboxed))


def hamilton_one_step():
    """Figure 3: both sweeps in one step, so that every variable that is read is stale."""
    return Policy("hamilton_one_step", (Cut(),))


def pipelined(stages=2):
    """Nigam and Lee: complete sets of torques in `stages` stages, `stages` - 1 steps late."""
    if type(stages) is not int or stages < 1:
        raise ArgumentError(f"stages: expected an integer >= 1, found {stages!r}")
    return Policy("pipelined", (Cut(TORQUE, age=stages - 1),))


POLICIES = {
    make.__name__: make
    for make in (
        exact,
        binder_herzog,
        binder_herzog_first_order,
        hybrid,
        vuskovic,
        vuskovic_output_prediction,
        yamakita_buffered,
        yamakita_one_step_ahead,
        hamilton,
        hamilton_one_step,
        pipelined,
    )
}


def policies() -> list[str]:
    """Return the names of all stale-data policies.

    **Returns:** the names, a list of str, for `px.control.policy` and `px.control.speculate`.

    **Example:**

    >>> px.control.policies()[:4]
    ['exact', 'binder_herzog', 'binder_herzog_first_order', 'hybrid']
    """
    return list(POLICIES)


def policy(given: str | Policy | Cut | Sequence[Cut], **options: Any) -> Policy:
    """Return a stale-data policy, by name or from cuts.

    **Arguments:**

    - `given`: one of `px.control.policies()`, or a list of `px.control.Cut` for your own policy:
      `px.control.policy([px.control.Cut("force")], name="mine")`.
    - `options`: for a named policy: `hybrid(exact, order)`, `vuskovic(age)`,
      `vuskovic_output_prediction(age)`, `pipelined(stages)`. For a list: `name`, for tables.

    **Returns:** the policy, for `px.control.speculate` and controllers.

    **Raises:** `px.ArgumentError` if the name or an option is unknown.

    **Example:**

    >>> px.control.policy("vuskovic", age=2).name
    'vuskovic'
    >>> mine = px.control.policy([px.control.Cut("force", age=1)], name="old_forces")
    >>> px.control.speculate(px.robots.planar(3), mine).depth().flops
    7
    """
    if isinstance(given, Policy) and not options:
        return given
    if isinstance(given, Cut):
        given = [given]
    if isinstance(given, (list, tuple)):
        return _made("of cuts", _of_cuts, options, given)
    if not isinstance(given, str) or given not in POLICIES:
        raise ArgumentError(
            f"policy: expected one of {tuple(POLICIES)} or a list of px.control.Cut, "
            f"found {given!r}" + did_you_mean(given, POLICIES)
        )
    return _made(repr(given), POLICIES[given], options)


def _of_cuts(cuts, *, name="cuts"):
    for cut in cuts:
        if not isinstance(cut, Cut):
            raise ArgumentError(f"policy: expected a list of px.control.Cut, found {cut!r}")
    if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
        raise ArgumentError(
            f"policy: expected a name of ASCII letters, digits and _, found {name!r}"
        )
    return Policy(name, tuple(cuts), strict=True)


def _made(which, make, options, *cuts):
    known = list(inspect.signature(make).parameters)[len(cuts) :]
    for option in options:
        if option not in known:
            expected = f"options of ({', '.join(known)})" if known else "no options"
            near = did_you_mean(option, known)
            raise ArgumentError(f"policy {which}: expected {expected}, found {option!r}{near}")
    try:
        return make(*cuts, **options)
    except TypeError as error:
        raise ArgumentError(f"policy {which}: {error}") from None

"""Stale-data policies: which reads of a recursion take a value of an earlier control step.

A policy is a list of cuts; a read that several match goes by the last. The variables and who reads
them: physics/coupled_newton_euler.py. Gravity is a matter of where the links are, not of what
their neighbours sent, and is cut only where a cut names it; so are the torques, which the motors
read.
"""

import inspect
from dataclasses import dataclass, replace

from ..checks import did_you_mean, one_of, shown
from ..errors import ArgumentError
from ..physics.coupled_newton_euler import BACKWARD, FORWARD, VARIABLES

ORDERS = (0, 1)
TORQUE, MOTOR = "torque", "motor"
ONLY_BY_NAME = ("gravity", TORQUE)


@dataclass(frozen=True)
class Cut:
    """Reads that take an old value: of `variable` (any but gravity and torque), `by` another (any).

    Either may be several, as ("force", "moment"). "torque" is what the motors read: old torques are
    applied late.
    age: how many control steps old; 0 restores the value of this step. Several ages, as (1, 2), are
    those that a read may meet, which the Program is then told. order: 0 takes the value as it was,
    1 extrapolates it from the one before (torques, which come of old data, by one step more).
    between_links: True for reads of another link's variables, False for those of the link's own,
    None for both. link: of the reader, of_link: whose processor computes what is read, or None for
    all; links are counted from 0.
    """

    variable: str | tuple | None = None
    by: str | tuple | None = None
    age: int | tuple = 1
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
                "cut: expected an age of whole control steps >= 0, or several that differ, found "
                f"{self.age!r}" + "; the value of a step to come is not there yet" * to_come
            )
        if self.order not in ORDERS:
            raise ArgumentError(f"cut: expected an order of {ORDERS}, found {self.order!r}")
        if self.order and 0 in ages and _several(self.variable) != (TORQUE,):
            raise ArgumentError("cut: expected an age >= 1 to extrapolate from, found 0")
        if self.between_links not in (None, True, False):
            found = self.between_links
            raise ArgumentError(f"cut: expected between_links True, False or None, found {found!r}")
        for link in (self.link, self.of_link):
            if link is not None and type(link) is not int:
                raise ArgumentError(f"cut: expected the number of a link or None, found {link!r}")

    @property
    def ages(self):
        return tuple(sorted(self.age)) if isinstance(self.age, tuple) else (self.age,)

    @property
    def changes_nothing(self):
        return self.ages == (0,) and not self.order

    def matches(self, read):
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
    """A name or several, or none, as a tuple."""
    return names if isinstance(names, tuple) else () if names is None else (names,)


@dataclass(frozen=True)
class Read:
    """One variable read by another: the names, the links that compute them."""

    variable: str
    owner: int
    by: str
    link: int

    @property
    def between_links(self):
        return self.owner != self.link


@dataclass(frozen=True)
class Policy:
    """Cuts, and what else there is to a policy.

    ahead: forward variables take joint values foreseen for the next step. strict: is a cut that
    matches no read of a robot an error? In policies for all robots it is none.
    """

    name: str
    cuts: tuple = ()
    ahead: bool = False
    strict: bool = False

    def cut_of(self, read):
        """The cut that a read goes by, or None."""
        return next((cut for cut in reversed(self.cuts) if cut.matches(read)), None)

    def __repr__(self):
        return f"<Policy {shown(self.name)}>"


EXACT = Policy("exact")
NEIGHBOURS = Cut(between_links=True)
TO_BACKWARD = Cut(FORWARD, BACKWARD)


def exact():
    """Everything of this step."""
    return EXACT


def binder_herzog():
    """What other links computed is one step old: Binder and Herzog's zero-order prediction."""
    return Policy("binder_herzog", (NEIGHBOURS,))


def binder_herzog_first_order():
    """The same, extrapolated from the two steps before."""
    return Policy("binder_herzog_first_order", (replace(NEIGHBOURS, order=1),))


def hybrid(exact=("omega_dot", "alpha"), order=0):
    """Binder and Herzog's third method: the variables of `exact` are those of this step."""
    if isinstance(exact, str):
        exact = (exact,)
    kept = tuple(Cut(variable, age=0) for variable in exact)
    return Policy("hybrid", (replace(NEIGHBOURS, order=order), *kept))


def vuskovic(age=1):
    """Decoupled, without synchronisation: `age` may be several, of which a link meets any."""
    return Policy("vuskovic", (replace(NEIGHBOURS, age=age),))


def vuskovic_output_prediction(age=1):
    """Decoupled, the torques extrapolated by a step."""
    predicted = Cut(TORQUE, age=0, order=1)
    return Policy("vuskovic_output_prediction", (*vuskovic(age).cuts, predicted))


def yamakita_buffered():
    """Every block, forward or backward, of every link at once, from what was buffered before."""
    return Policy("yamakita_buffered", (NEIGHBOURS, TO_BACKWARD))


def yamakita_one_step_ahead():
    """Buffered; forward blocks take joint values foreseen from the desired ones and the error."""
    return Policy("yamakita_one_step_ahead", (NEIGHBOURS, TO_BACKWARD), ahead=True)


def hamilton():
    """Table 1 as printed: all boxed variables old; a_c in f and α in τ, unboxed, of this step."""
    unboxed = Cut("com_acceleration", "force", age=0), Cut("alpha", "moment", age=0)
    return Policy("hamilton", (Cut(), *unboxed))


def hamilton_one_step():
    """Figure 3: both sweeps in one step, so that every variable that is read is old."""
    return Policy("hamilton_one_step", (Cut(),))


def pipelined(stages=2):
    """Nigam and Lee: whole sets of torques in `stages` stages, so many steps late less one."""
    if type(stages) is not int or stages < 1:
        raise ArgumentError(f"stages: expected a whole number >= 1, found {stages!r}")
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


def policies():
    """The names of the policies that exist."""
    return list(POLICIES)


def policy(given, **options):
    """A policy by name, with its options: hybrid(exact, order), vuskovic(age), pipelined(stages).

    Names: `px.control.policies()`. A policy of one's own is a list of `px.control.Cut`, which may
    be given a name for tables: `px.control.policy([px.control.Cut("force")], name="mine")`.
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
            raise ArgumentError(f"policy: expected px.control.Cut in the list, found {cut!r}")
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

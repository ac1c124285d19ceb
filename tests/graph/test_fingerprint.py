"""All that a function reads is in its fingerprint, or it has none."""

import collections
import dataclasses
import functools
import itertools
import math
import random
import threading
import time
import types
from abc import ABC, abstractmethod

import numpy as np
import pytest

import paraxis as px
from paraxis.graph.fingerprint import fingerprint

ARM = px.robots.planar(2)
GAIN, COUNT, TABLE = 2.0, 3, {"a": [1.0, 2.0]}
calls: list = []
rng = np.random.default_rng(0)
own_module = types.ModuleType("own_module")
own_module.gain, own_module.helper = 3.0, lambda q: q * own_module.gain

lazy_module = types.ModuleType("lazy_module")
lazy_module.__getattr__ = lambda name: random.random()


def helper(q):
    return GAIN * q


def defined(source, **names):
    """What source text calls `f`, in a namespace of its own."""
    space = {"np": np, "px": px, "math": math} | names
    exec(source, space)
    return space["f"], space


class Spring:
    bias = 0.5

    def __init__(self, gain):
        self.gain, self.unread = gain, object()

    @property
    def stiffness(self):
        return self.gain + self.bias

    @staticmethod
    def shape(q):
        return q * GAIN

    def torques(self, t, q, qd):
        return -self.stiffness * q + self.shape(q)

    def __call__(self, t, q, qd):
        return self.torques(t, q, qd)


class Softer(Spring):
    def torques(self, t, q, qd):
        return super().torques(t, q, qd) / 2


@dataclasses.dataclass(frozen=True)
class Gains:
    kp: float
    kd: float = 1.0

    def law(self, q, qd):
        return -self.kp * q - self.kd * qd


@dataclasses.dataclass
class Slotted:
    __slots__ = ("gain",)
    gain: float

    def __call__(self, t, q, qd):
        return self.gain * q


class Base(ABC):
    @abstractmethod
    def __call__(self, t, q, qd): ...


class Derived(Base):
    def __init__(self):
        self.gain = 1.0

    def __call__(self, t, q, qd):
        return self.gain * q


Pair = collections.namedtuple("Pair", "kp kd")


def close_over(value):
    return lambda t, q, qd: value * q


# -- those that have one ---------------------------------------------------------------------------


def recursive():
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    return lambda t, q, qd: power(q, 3)


def decorated():
    def scaled(function):
        @functools.wraps(function)
        def inner(*given):
            return 2 * function(*given)

        return inner

    return scaled(lambda t, q, qd: GAIN * q)


def of_a_class_inside():
    def f(t, q, qd):
        class Inner:
            gain = GAIN

            def times(self, x):
                return self.gain * x

        return Inner().times(q)

    return f


KNOWN = {
    "plain": lambda t, q, qd: -q,
    "closure": close_over(np.array([1.0, 2.0])),
    "global": lambda t, q, qd: GAIN * q,
    "global function": lambda t, q, qd: helper(q),
    "table": lambda t, q, qd: q * TABLE["a"],
    "nested": lambda t, q, qd: [(lambda x: x * GAIN)(each) for each in q],
    "numpy": lambda t, q, qd: np.linalg.norm(q) * np.sin(q) + np.array([1.0, math.pi]),
    "robot": lambda t, q, qd: px.gravity_torques(ARM, q) + px.math.sin(t),
    "partial": functools.partial(lambda gain, t, q, qd: gain * q, 2.0),
    "method": Spring(2.0).torques,
    "object": Spring(2.0),
    "super": Softer(2.0),
    "dataclass": lambda t, q, qd, gains=Gains(2.0): gains.law(q, qd),
    "making one": lambda t, q, qd: Gains(2.0).law(q, qd),
    "slots": Slotted(2.0),
    "abstract": Derived(),
    "named tuple": close_over(Pair(1.0, 2.0)),
    "recursive": recursive(),
    "decorated": decorated(),
    "class inside": of_a_class_inside(),
    "other module": lambda t, q, qd: own_module.helper(q) + own_module.gain,
    "missing name": lambda t, q, qd: not_defined * q,  # noqa: F821
    "trajectory": close_over(px.trajectories.quintic([0.0, 0.0], [1.0, 1.0], 1.0)),
    "list method": lambda t, q, qd, get=TABLE.get: q * get("a"),
    "defined by exec": defined("def f(t, q, qd): return np.sin(q)")[0],
    "raises": lambda t, q, qd: (_ for _ in ()).throw(ValueError("no")),
}


@pytest.mark.parametrize("name", KNOWN)
def test_it_is_the_same_each_time(name):
    function = KNOWN[name]
    first = fingerprint(function)
    assert first is not None and first == fingerprint(function)
    assert hash(first) == hash(fingerprint(function))


# -- those that have none --------------------------------------------------------------------------


def counting():
    count = 0

    def f(t, q, qd):
        nonlocal count
        count += 1
        return count * q

    return f


def counting_deeper():
    count = 0

    def f(t, q, qd):
        def inner():
            nonlocal count
            count += 1

        inner()
        return count * q

    return f


def global_store(t, q, qd):
    global COUNT
    COUNT += 1
    return COUNT * q


def importing(t, q, qd):
    import random

    return random.random() * q


def escaping(t, q, qd):
    module = np
    return module.random.rand() * q


def passed_on(t, q, qd):
    return helper_of_module(np) * q


def helper_of_module(module):
    return module.random.rand()


def chosen(t, q, qd):
    return (math if COUNT else np).sin(1.0) * q


class Dynamic:
    def __getattr__(self, name):
        return random.random()

    def __call__(self, t, q, qd):
        return self.gain * q


class Descriptor:
    def __get__(self, instance, owner):
        return random.random()


class WithDescriptor:
    gain = Descriptor()

    def __call__(self, t, q, qd):
        return self.gain * q


class Meta(type):
    @property
    def gain(cls):
        return random.random()


class WithMeta(metaclass=Meta):
    pass


class Numbers(list):
    pass


class Chance(random.Random):
    def __call__(self, t, q, qd):
        return self.random() * q


@functools.lru_cache
def cached(n):
    return GAIN * n


UNKNOWN = {
    "random generator": close_over(np.random.default_rng(0)),
    "global generator": lambda t, q, qd: rng.normal() * q,
    "np.random": lambda t, q, qd: np.random.rand() * q,
    "module random": lambda t, q, qd: random.random() * q,
    "function of a module": lambda t, q, qd, draw=random.random: draw() * q,
    "function of np.random": lambda t, q, qd, draw=np.random.rand: draw() * q,
    "time": lambda t, q, qd: time.time() * q,
    "file": lambda t, q, qd: np.load("gains.npy") * q,
    "robot from a file": lambda t, q, qd: px.gravity_torques(px.load("arm.urdf"), q),
    "random states": lambda t, q, qd: px.robots.random_states(ARM),
    "open": lambda t, q, qd: float(open("gain").read()) * q,  # noqa: SIM115
    "getattr": lambda t, q, qd: getattr(own_module, "ga" + "in") * q,
    "globals": lambda t, q, qd: globals()["GAIN"] * q,
    "eval": lambda t, q, qd: eval("GAIN") * q,
    "vars": lambda t, q, qd: vars(own_module)["gain"] * q,
    "id": lambda t, q, qd: id(TABLE) * q,
    "print": lambda t, q, qd: print(q) or q,
    "__dict__": lambda t, q, qd: TABLE.__class__.__dict__["get"],
    "__globals__": lambda t, q, qd: helper.__globals__["GAIN"] * q,
    "__name__": lambda t, q, qd: TABLE[helper.__name__] * q,
    "module with __getattr__": lambda t, q, qd: lazy_module.gain * q,
    "format": lambda t, q, qd: float("{0.gain}".format(Spring(1.0))) * q,  # noqa: UP030, UP032
    "nonlocal": counting(),
    "deeper nonlocal": counting_deeper(),
    "global store": global_store,
    "import": importing,
    "module as a value": escaping,
    "module passed on": passed_on,
    "module chosen": chosen,
    "module in a closure": close_over(np),
    "__getattr__": Dynamic(),
    "descriptor": WithDescriptor(),
    "metaclass": lambda t, q, qd: WithMeta.gain * q,
    "subclass of list": close_over(Numbers([1.0])),
    "subclass of Random": Chance(0),
    "lru_cache": lambda t, q, qd: cached(2) * q,
    "iterator": close_over(itertools.count()),
    "generator": close_over(x for x in (1.0, 2.0)),
    "lock": close_over(threading.Lock()),
    "object array": close_over(np.array([1.0, None])),
    "masked array": close_over(np.ma.array([1.0, 2.0])),
    "large array": close_over(np.zeros(1_000_001)),
    "deque": close_over(collections.deque([1.0])),
    "own builtins": defined("def f(t, q, qd): return q", __builtins__={"len": len})[0],
    "abstract as a class": lambda t, q, qd: isinstance(t, Base) * q,
    "weak reference": close_over(__import__("weakref").ref(Spring)),
    "unknown in a list": close_over([1.0, [threading.Lock()]]),
    "deep list": close_over(functools.reduce(lambda inner, _: [inner], range(500), [])),
    "match": defined(
        "def f(t, q, qd):\n    match s:\n        case S(gain=g): return g * q\n",
        s=Spring(1.0),
        S=Spring,
    )[0],
    "builtin": len and time.perf_counter,
    "vectorize": np.vectorize(lambda x: x),
    "lying about its module": functools.wraps(np.load)(lambda t, q, qd: np.load("x")),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_can_change_unseen_has_none(name):
    assert fingerprint(UNKNOWN[name]) is None


# -- each changes what a function reads ------------------------------------------------------------


def values():
    """Values of which no two are the same, though many are equal."""
    shared = [1.0]
    return [
        *(0, 0.0, -0.0, False, 1, 1.0, True, np.float64(1.0), np.float32(1.0), 1 + 0j, "1", b"1"),
        *(None, math.nan, math.inf, (1.0,), [1.0], {1.0}, frozenset({1.0}), {1.0: 1.0}, ...),
        *(np.array(1.0), np.array([1.0]), np.array([[1.0]]), np.array([1]), np.array([True])),
        *(np.array([1.0, 2.0]), np.array([2.0, 1.0]), np.array([1.0], np.float32)),
        *([[1.0], [1.0]], [shared, shared], [], [[]], {}, {"a": 1, "b": 2}, {"b": 2, "a": 1}),
        *(range(3), range(4), slice(1), slice(2), Pair(1.0, 2.0), (1.0, 2.0), Gains(1.0), Spring),
        *(Gains(2.0), np.sin, np.cos, math.sin, ARM, px.robots.planar(3), Softer, len, sum),
        *(lambda: 1.0, lambda: 2.0, functools.partial(max, 1.0), functools.partial(max, 2.0)),
        *(types.SimpleNamespace(a=1.0), [].append, [1.0].append, np.dtype),
    ]


def test_no_two_values_are_the_same():
    def f(t, q, qd):
        return value.a.kp.kd

    seen = []
    for value in values():
        cell = types.CellType(value)
        seen.append(
            fingerprint(types.FunctionType(f.__code__, globals(), closure=(cell,)))
            if f.__closure__
            else None
        )
    assert None not in seen
    for k, one in enumerate(seen):
        for j, other in enumerate(seen):
            assert (one == other) == (j == k), (values()[k], values()[j])


def changes():
    global GAIN
    yield "rebound global", helper, lambda: globals().update(GAIN=GAIN + 1.0)
    yield "global of a called one", KNOWN["global function"], lambda: globals().update(GAIN=7.0)
    yield "list in a dict", KNOWN["table"], lambda: TABLE["a"].append(1.0)
    spring = Spring(1.0)
    yield "attribute", spring, lambda: setattr(spring, "gain", 2.0)
    yield "attribute by a method", spring.torques, lambda: setattr(spring, "gain", 3.0)
    yield "method of an instance", spring, lambda: setattr(spring, "shape", lambda q: q)
    yield "class attribute", Spring(1.0), lambda: setattr(Spring, "bias", Spring.bias + 1)
    yield "of a base", Softer(1.0), lambda: setattr(Spring, "bias", Spring.bias + 1)
    yield "class changed", spring, lambda: setattr(spring, "__class__", Softer)
    slotted = Slotted(1.0)
    yield "slot", slotted, lambda: setattr(slotted, "gain", 2.0)
    own_module.mode = object()
    modes = types.SimpleNamespace(mode=own_module.mode)
    is_mode = lambda t, q, qd: q if modes.mode is own_module.mode else -q  # noqa: E731
    yield "another sentinel", is_mode, lambda: setattr(modes, "mode", object())
    yield "attribute of a module", KNOWN["other module"], lambda: setattr(own_module, "gain", 9.0)
    f, space = defined("def f(t, q, qd): return sum(q)")
    yield "builtin shadowed", f, lambda: space.update(sum=max)
    g, other = defined("def f(t, q, qd): return gain * q")
    yield "name defined later", g, lambda: other.update(gain=1.0)
    h, third = defined("def f(t, q, qd): return k(q)", k=lambda q: q)
    yield "function redefined", h, lambda: third.update(k=lambda q: 2 * q)

    def mutable(t, q, qd, gains=[1.0]):  # noqa: B006
        return gains[0] * q

    yield "mutable default", mutable, lambda: mutable.__defaults__[0].append(1.0)

    def keyword(t, q, qd, *, gain=1.0):
        return gain * q

    yield "keyword default", keyword, lambda: keyword.__kwdefaults__.update(gain=2.0)

    def attributed(t, q, qd):
        return attributed.gain * q

    attributed.gain = 1.0
    yield "attribute of the function", attributed, lambda: setattr(attributed, "gain", 2.0)
    array = np.zeros((2, 3))
    yield "entry of an array", close_over(array), lambda: array.__setitem__((1, 2), -0.0)
    yield "view", close_over(array[:, 1]), lambda: array.__setitem__((0, 1), 1.0)

    def late(t, q, qd):
        return later * q

    yield "empty cell", late, lambda: late.__closure__[0].__setattr__("cell_contents", 1.0)
    if False:
        later = None

    def outer(t, q, qd):
        return (lambda x: inner(x))(q)

    def inner(x):
        return x

    def swap():
        outer.__closure__[0].cell_contents = lambda x: 2 * x

    yield "function in a nested function", outer, swap
    keep = [1.0]
    one = functools.partial(lambda a, t, q, qd: a, keep)
    yield "argument of a partial", one, lambda: keep.append(2.0)


@pytest.mark.parametrize("name", [name for name, *_ in changes()])
def test_a_change_is_seen(name):
    function, change = next((f, c) for known, f, c in changes() if known == name)
    before = fingerprint(function)
    assert before is not None and before == fingerprint(function)
    change()
    assert before != fingerprint(function)


def test_what_is_not_read_does_not_count():
    spring = Spring(2.0)
    before = fingerprint(spring)
    spring.unread, spring.log = open, [object()]
    assert before == fingerprint(spring)


def test_copies_are_the_same():
    def make(gains):
        return lambda t, q, qd: gains["kp"] * q + px.gravity_torques(ARM, q)

    assert fingerprint(make({"kp": np.ones(2)})) == fingerprint(make({"kp": np.ones(2)}))


def test_a_dead_object_is_not_taken_for_another_in_its_place():
    def of(robot):
        return fingerprint(lambda t, q, qd: px.gravity_torques(robot, q))

    seen = {of(px.robots.planar(2)) for _ in range(20)}
    assert len(seen) == 20


def test_laws_of_paraxis_are_understood():
    robot = px.robots.planar(2)
    law = px.control.PID(robot, 10.0, 1.0, 2.0)
    assert fingerprint(law) is not None
    assert fingerprint(law) == fingerprint(law)
    assert fingerprint(px.control.position_servo(robot)) is not None

"""A function is called only where it could do something else; numbers that change become inputs."""

import gc
import time
import types
import warnings
import weakref

import numpy as np
import pytest

import paraxis as px
from paraxis.graph import remembered
from paraxis.graph.evaluate import evaluate
from paraxis.graph.outline import Outline
from paraxis.graph.remembered import CONSTANTS, forget, recall
from paraxis.graph.trace import trace
from paraxis.simulation.controllers import traced_torques

ARM = px.robots.planar(2)
SHAPES = {"t": (), "q": (2,), "qd": (2,)}
STATE = {"t": 0.3, "q": np.array([0.2, -0.7]), "qd": np.array([1.1, 0.4])}
GAIN = 2.0


@pytest.fixture(autouse=True)
def fresh():
    forget()


def traceable(controller):
    torques = traced_torques(controller, 2)
    return lambda t, q, qd: torques(t, q, qd, {})


def law_of(controller):
    return recall(controller, SHAPES, traceable, ("torques", 2))


def plain(controller):
    return Outline(traceable(controller), SHAPES)


def torques(outline, constants):
    shapes = SHAPES | {name: array.shape for name, array in constants.items()}
    return evaluate(trace(outline, shapes), STATE | constants)["result"]


def check(controller, rtol=1e-13):
    """What is recalled of a controller, which must compute what the controller computes now."""
    found = law_of(controller)
    expected = plain(controller)
    if not found.constants:
        assert found.outline.digest == expected.digest
    else:
        np.testing.assert_allclose(torques(*found), torques(expected, {}), rtol, 1e-14)
    return found


class Counted:
    """How often a controller was called, told without the controller's reading it."""

    def __init__(self, monkeypatch):
        self.count = 0
        original = remembered.Outline

        def outline(*given, **options):
            self.count += 1
            return original(*given, **options)

        monkeypatch.setattr(remembered, "Outline", outline)


def hold(goal, kp=50.0, kd=5.0):
    def controller(t, q, qd):
        return kp * (goal - q) - kd * qd + px.gravity_torques(ARM, q) + np.sin(t)

    return controller


# -- the same values -------------------------------------------------------------------------------


def test_the_same_values_give_the_same_outline_without_a_call(monkeypatch):
    counted = Counted(monkeypatch)
    first = law_of(hold(np.zeros(2)))
    assert law_of(hold(np.zeros(2))).outline is first.outline
    assert counted.count == 1 and not first.constants


def test_shapes_and_keys_are_part_of_it():
    def f(t, q, qd):
        return -q

    other = recall(
        f, SHAPES, lambda f: lambda t, q, qd: [2 * x for x in f(t, np.array(q), qd)], "2"
    )
    assert law_of(f).outline.digest != other.outline.digest
    longer = {"t": (), "q": (3,), "qd": (3,)}
    assert (
        recall(f, longer, lambda f: lambda t, q, qd: q).outline.digest != law_of(f).outline.digest
    )


# -- other values ----------------------------------------------------------------------------------


def test_numbers_that_change_become_inputs_once(monkeypatch):
    goal = np.zeros(2)
    first = check(hold(goal))
    second = check(hold(goal + 0.5))
    assert second.constants[CONSTANTS].tolist() == [0.5, 0.5]
    counted = Counted(monkeypatch)
    for k in range(20):
        found = law_of(hold(goal + k + 1.0))
        assert (
            found.outline is second.outline and found.constants[CONSTANTS].tolist() == [k + 1.0] * 2
        )
    assert counted.count == 0
    assert law_of(hold(goal)).outline is first.outline  # the same bits as the first time
    third = check(hold(goal + 1.0, 60.0))  # one more
    assert third.constants[CONSTANTS].shape == (3,)
    for k in range(5):
        assert check(hold(goal + k + 2.0, 70.0 + k)).outline is third.outline
    assert check(hold(goal + 1.0, 60.0, 7.0)).constants[CONSTANTS].shape == (4,)


def global_gain():
    def f(t, q, qd):
        return -GAIN * q

    return f, lambda value: globals().update(GAIN=value)


def default():
    def f(t, q, qd, gain=1.0):
        return -gain * q

    return f, lambda value: setattr(f, "__defaults__", (value,))


def keyword():
    def f(t, q, qd, *, gain=1.0):
        return -gain * q

    return f, lambda value: f.__kwdefaults__.update(gain=value)


def attribute():
    class Spring:
        def __init__(self):
            self.gain, self.log = 1.0, open

        @property
        def stiffness(self):
            return self.gain * 2

        def __call__(self, t, q, qd):
            return -self.stiffness * q

    spring = Spring()
    return spring, lambda value: setattr(spring, "gain", value)


def attribute_by_a_method():
    spring, change = attribute()
    return spring.__call__, change


def slot():
    class Spring:
        __slots__ = ("gain",)

        def __call__(self, t, q, qd):
            return -self.gain * q

    spring = Spring()
    spring.gain = 1.0
    return spring, lambda value: setattr(spring, "gain", value)


def namespace():
    space = types.SimpleNamespace(gain=1.0)
    return lambda t, q, qd: -space.gain * q, lambda value: setattr(space, "gain", value)


def entry():
    gains = {"all": [1.0, (2.0, 3.0)]}
    return (
        lambda t, q, qd: q * gains["all"][1] * gains["all"][0],
        lambda value: gains.update(all=[value, (2.0, value)]),
    )


def called():
    gain = [1.0]

    def inner(q):
        return q * gain[0]

    return lambda t, q, qd: (lambda x: inner(x))(q), lambda value: gain.__setitem__(0, value)


def array():
    gains = np.ones((2, 2))
    return lambda t, q, qd: gains @ q, lambda value: gains.__setitem__((0, 1), value)


def shared():
    gains = np.ones(2)
    both = [gains, gains]
    return lambda t, q, qd: both[0] * q - both[1] * qd, lambda value: gains.fill(value)


def shared_tuple():
    gains = [(1.0, 2.0)] * 2

    def change(value):
        gains[:] = [(value, 2.0)] * 2 if value != 9.0 else [(value, 2.0), (value, 3.0)]

    return lambda t, q, qd: gains[0] * q - gains[1] * qd, change


def of_itself():
    def f(t, q, qd, n=2):
        return gain * (q if n == 0 else f(t, q, qd, n - 1))

    gain = 1.0

    def change(value):
        nonlocal gain
        gain = value

    return f, change


def numpy_number():
    gain = [np.float64(1.0)]
    return lambda t, q, qd: gain[0] * q, lambda value: gain.__setitem__(0, np.float64(value))


PROMOTED = [global_gain, default, keyword, attribute, attribute_by_a_method, slot, namespace, entry]
PROMOTED += [called, array, shared, shared_tuple, of_itself, numpy_number]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of NaN
@pytest.mark.parametrize("make", PROMOTED, ids=lambda make: make.__name__)
def test_wherever_they_are(make, monkeypatch):
    controller, change = make()
    check(controller)
    change(1.5)
    outline = check(controller).outline
    for value in (2.5, -0.0, 0.0, 1e300, np.nan, 7.0):
        change(value)
        found = check(controller)
        assert found.constants and found.outline is outline
    counted = Counted(monkeypatch)
    change(7.5)
    law_of(controller)
    assert counted.count == 0
    change(9.0)
    check(controller)


# -- what must stay constant -----------------------------------------------------------------------


def branch(t, q, qd, gain=1.0):
    return -gain * q if gain > 1.2 else -q


def typed(t, q, qd, gain=1.0):
    return -min(gain, 2.0) * q if isinstance(gain, float) else -gain * q


def swallowed(t, q, qd, gain=1.0):
    try:
        return float(gain) * q
    except Exception:
        return q


def looked_up(t, q, qd, gain=1.0):
    return {1.0: 5.0}.get(gain, gain) * q


def contained(t, q, qd, gain=1.0):
    return q if gain in {1.0, 3.0} else -q


def power(t, q, qd, gain=1.0):
    return q**gain


def compared(t, q, qd, gain=1.0):
    return q * max(gain, 2.0)


def identical(t, q, qd, gain=1.0):
    same = gain
    return q if same is gain else -q


def integer(t, q, qd, gain=1):
    return q * gain


@pytest.mark.filterwarnings("ignore::paraxis.SimulationWarning")
@pytest.mark.parametrize(
    "function",
    [branch, typed, swallowed, looked_up, contained, power, compared, integer],
    ids=lambda function: function.__name__,
)
def test_what_cannot_be_an_input_stays_constant(function, monkeypatch):
    for value in (1, 2, 3, 4, 1, 2):
        value = float(value) if function is not integer else value
        monkeypatch.setattr(function, "__defaults__", (value,))
        assert not check(function).constants


def test_one_that_can_does_not_wait_for_one_that_cannot():
    def make(gain, sign):
        return lambda t, q, qd: gain * q if sign > 0 else -gain * q

    check(make(1.0, 1.0))
    both = check(make(2.0, -1.0))
    assert both.constants[CONSTANTS].tolist() == [2.0]
    for k in range(5):
        assert check(make(k + 3.0, -1.0)).outline is both.outline
    other = check(make(2.0, 1.0))
    assert other.constants[CONSTANTS].tolist() == [2.0] and other.outline is not both.outline


def test_numbers_of_modules_classes_and_our_own_objects_stay_constant():
    class Spring:
        gain = 1.0

        def __call__(self, t, q, qd):
            return -self.gain * q

    module = types.ModuleType("module")
    module.gain = 1.0
    spring, of_module = Spring(), lambda t, q, qd: -module.gain * q
    for value in (1.0, 2.0, 3.0):
        Spring.gain = module.gain = value
        assert not check(spring).constants and not check(of_module).constants


def test_a_global_that_a_class_reads_as_well_is_followed():
    """Only the function is copied: a method of a class keeps its own globals."""

    class Spring:
        def times(self, q):
            return GAIN * q

    spring = Spring()

    def f(t, q, qd):
        return spring.times(q) + GAIN * qd

    for value in (1.0, 2.0, 3.0):
        globals()["GAIN"] = value
        assert not check(f).constants


# -- those that are called each time ---------------------------------------------------------------


def test_a_function_that_changes_what_it_reads_is_called_each_time(monkeypatch):
    calls = [0.0]

    def f(t, q, qd):
        calls[0] += 1.0
        return -(1.0 if calls[0] < 7 else 2.0) * q

    found = [law_of(f).outline.digest for _ in range(6)]
    assert calls[0] == 12 and len(set(found)) == 2


def test_a_function_that_keeps_its_arguments_is_called_each_time(monkeypatch):
    counted, seen = Counted(monkeypatch), []

    def f(t, q, qd):
        seen.append(t)
        return -q

    for _ in range(3):
        law_of(f)
    assert counted.count == 3


def test_what_it_raises_is_raised_each_time():
    def f(t, q, qd):
        return -q if q[0] > 0 else q

    for _ in range(3):
        with pytest.raises(px.TraceError, match="truth"):
            law_of(f)


def test_a_random_function_is_never_remembered():
    noise = np.random.default_rng(0)
    for _ in range(3):
        with pytest.raises(px.TraceError, match="different torques"):
            law_of(lambda t, q, qd: noise.normal() * q)


# -- messages and memory ---------------------------------------------------------------------------


def test_a_warning_names_what_is_compiled_in_again_and_again():
    with pytest.warns(px.SimulationWarning, match="whenever 'gain' changes.*truth value.*setting"):
        for value in (1.0, 2.0, 3.0, 4.0, 5.0):
            branch.__defaults__ = (value,)
            law_of(branch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        branch.__defaults__ = (6.0,)
        law_of(branch)  # once
    with pytest.warns(px.SimulationWarning, match="'gain' changes.*only floats"):
        for value in (1, 2, 3, 4):
            integer.__defaults__ = (value,)
            law_of(integer)


def test_no_function_is_kept_alive_and_few_outlines_are():
    references = []
    for k in range(3):
        f = hold(np.full(2, float(k)))
        law_of(f)
        references.append(weakref.ref(f))
    del f
    gc.collect()
    assert not any(reference() for reference in references)
    for k in range(200):
        space = {}
        exec(f"def f(t, q, qd): return {k} * q", space)
        law_of(space["f"])
    assert len(remembered._functions) <= remembered.MOST_FUNCTIONS


def test_time_is_printed():
    robot = px.robots.planar(6)
    shapes = {"t": (), "q": (6,), "qd": (6,)}
    goal, kp, kd = np.zeros(6), np.full(6, 50.0), np.full(6, 5.0)

    def controller(t, q, qd):
        return kp * (goal - q) - kd * qd + px.gravity_torques(robot, q) + np.sin(t)

    def six(controller):
        torques = traced_torques(controller, 6)
        return lambda t, q, qd: torques(t, q, qd, {})

    def microseconds(call, times):
        call()
        best = np.inf
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(times):
                call()
            best = min(best, (time.perf_counter() - start) / times)
        return 1e6 * best

    kept = microseconds(lambda: recall(controller, shapes, six), 300)
    goal[0] = 0.5
    inputs = microseconds(lambda: recall(controller, shapes, six), 300)
    each = microseconds(lambda: Outline(six(controller), shapes), 10)
    print(f"\nremembered {kept:.1f} us, with inputs {inputs:.1f} us, called {each:.0f} us")


def how_many(values):
    return lambda t, q, qd: [-len(set(values.tolist())) * x for x in q]


def as_text(values):
    return lambda t, q, qd: [(-2.0 if f"{values[0]}" == "7.0" else -1.0) * x for x in q]


def as_keys(values):
    return lambda t, q, qd: [-{values[0]: 1.0, values[1]: 2.0}[values[0]] * x for x in q]


@pytest.mark.filterwarnings("ignore:.*traced and compiled again")
@pytest.mark.parametrize("law", [how_many, as_text, as_keys])
def test_numbers_that_are_told_apart_by_more_than_their_value_stay_constants(law):
    for values in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 7.0], [8.0, 8.0], [7.0, 8.0]):
        check(law(np.array(values)))

"""What a user's function does, remembered from call to call.

An Outline costs a call of the function on traced scalars, a fraction of a millisecond or more, and
another Outline costs seconds of compiling. Both are saved where all that the function reads is
known (fingerprint.py):

1. The first time it is called, numbers that it reads are constants, as of any Outline.
2. Where it reads the same values as before, its Outline is the same. It is not called.
3. Where it reads other floats, those that changed become inputs of a new Outline, once: from then
   on they are values of an array, and neither tracing nor compiling depends on them. Numbers that
   have never changed stay constants, which cost least.
4. Where this cannot be done (an `if` that asks for a gain, a function that asks for types), the
   numbers that changed stay constants, of one Outline for each value. So do integers, text and
   shapes. At the fourth such Outline a warning names the numbers that change.

A function that has no fingerprint, or that changes what it reads while it is called, is called each
time. An Outline with inputs computes what that with constants does, but may be rounded otherwise:
arithmetic among constants is done while tracing, that among inputs in the kernel. For the numbers
of the first call the first Outline is used, whatever happened in between, so that equal calls give
equal bits.
"""

import threading
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from ..checks import listing
from ..errors import SimulationWarning, TraceError, warn
from .arrays import traced_array
from .evaluate import evaluate
from .fingerprint import Fingerprint, fingerprint, function_root, read
from .outline import Outline
from .promotion import described, promoted
from .trace import trace

CONSTANTS = "constants"  # the input that holds the numbers that are no longer constants
MOST_FUNCTIONS = 128  # that are remembered, of different code or structure
MOST_OUTLINES = 32  # of each
MOST_INPUTS = 4096  # numbers of a function that become inputs
MANY = 4  # Outlines of the same function, from which on a warning says why
CLOSE = 1e-9  # relative: the same torques, rounded otherwise


class Recalled(NamedTuple):
    """An Outline, and arrays of the inputs that it has besides those it was asked for."""

    outline: Outline
    constants: dict  # name -> array: empty, or of CONSTANTS

    @property
    def shapes(self):
        return {name: array.shape for name, array in self.constants.items()}


_lock = threading.RLock()
_functions: OrderedDict = OrderedDict()  # structure, shapes and key -> _Remembered
_constants: OrderedDict = OrderedDict()  # id of a code -> _Constants


def recall(function, shapes, traceable=lambda function: function, key=()):
    """What `traceable(function)` computes from inputs of these shapes, as a Recalled.

    `traceable` makes of a user's function one that an Outline takes, of scalars by name. All that
    it depends on besides the function must be in `key`. Raises what the function raises.
    """

    reading = read(function)
    if reading is None:
        return Recalled(Outline(traceable(function), shapes), {})
    name = reading.structure, tuple(shapes.items()), key
    with _lock:
        remembered = _functions.get(name)
        if remembered is not None:
            _functions.move_to_end(name)
            found = remembered.found(reading.numbers)
            if found is not None:
                return found
    if remembered is None:
        remembered = _Remembered(reading)
    # without the lock, as the function may call others
    constant = Recalled(Outline(traceable(function), shapes), {})
    made, inputs = remembered.made(function, reading, shapes, traceable, constant)
    with _lock:
        if fingerprint(function) != Fingerprint(reading):
            return constant  # it changes what it reads
        if not inputs:
            _warn_if_many(function, reading, remembered.reason)
        _functions[name] = remembered
        remembered.keep(reading.numbers, made, inputs)
        while len(_functions) > MOST_FUNCTIONS:
            _functions.popitem(last=False)
    return made


def forget():
    """Forget all functions."""
    with _lock:
        _functions.clear()
        _constants.clear()


class _Remembered:
    """The Outlines of functions that differ only in numbers."""

    def __init__(self, reading):
        self._kept = reading.kept  # what the structure knows by identity
        self._last = None  # the numbers of the last call
        self._inputs, self._fixed = (), set()  # indices of numbers that are inputs, or cannot be
        self._constant, self._promoted = OrderedDict(), OrderedDict()  # numbers -> Outline
        self.reason = None  # why numbers cannot be inputs

    def found(self, numbers):
        """What is known of these numbers, or None."""
        outline = self._constant.get(numbers)
        if outline is not None:
            self._last = numbers
            return Recalled(outline, {})
        outline = self._promoted.get(_others(numbers, self._inputs)) if self._inputs else None
        if outline is not None:
            self._last = numbers
            return Recalled(outline, _packed(numbers, self._inputs))
        return None

    def keep(self, numbers, made, inputs):
        if not inputs:
            self._constant[numbers] = made.outline
        else:
            if inputs != self._inputs:
                self._inputs, self._promoted = inputs, OrderedDict()
            self._promoted[_others(numbers, inputs)] = made.outline
        self._last = numbers
        for each in (self._constant, self._promoted):
            if len(each) > MOST_OUTLINES:
                del each[[*each][1]]  # the first one stays, as promised above

    def made(self, function, reading, shapes, traceable, constant):
        """What numbers that are not known yet lead to, and the indices of those that are inputs."""
        numbers, last, known = reading.numbers, self._last, self._inputs
        if last is None or reading.asks:
            return constant, ()
        changed = {k for k in range(len(numbers)) if numbers[k] != last[k]} - self._fixed
        wanted = {*known} | changed
        if not wanted or sum(len(numbers[k]) for k in wanted) > 8 * MOST_INPUTS:
            return constant, ()
        cases = {numbers: constant, last: self.found(last)}

        def attempt(indices):
            """The Outline in which these numbers are inputs, or None."""
            inputs = tuple(sorted(indices))
            try:
                return _with_inputs(function, reading, shapes, traceable, inputs, cases)
            except Exception as error:  # whatever a function raises that wants a number
                self.reason = str(error).partition("\n")[0]
                return None

        outline = attempt(wanted)
        if outline is None and len(changed) > 1:  # which of them is it?
            wanted -= {k for k in changed if attempt({k}) is None}
            outline = attempt(wanted) if wanted else None
        self._fixed |= changed - wanted if outline else changed
        if outline is None:
            return constant, ()
        inputs = tuple(sorted(wanted))
        return Recalled(outline, _packed(numbers, inputs)), inputs


def _with_inputs(function, reading, shapes, traceable, inputs, cases):
    """The Outline of a function of which some numbers are inputs.

    cases: numbers -> what is known to be right for them. Of those in which no other number differs
    it must compute the same, or a TraceError is raised.
    """

    def function_of_constants(constants, **arrays):
        values, start = {}, 0
        for k in inputs:
            values[k], start = _part(constants, start, reading.arrays[k])
        return traceable(promoted(function, reading, values))(**arrays)

    length = sum(len(reading.numbers[k]) for k in inputs) // 8
    outline = Outline(function_of_constants, {CONSTANTS: (length,)} | shapes, for_numbers=True)
    own = _others(reading.numbers, inputs)
    for numbers, expected in cases.items():
        if expected is None or _others(numbers, inputs) != own:
            continue
        if not _same(Recalled(outline, _packed(numbers, inputs)), expected, shapes):
            raise TraceError("the result is not the same then")
    return outline


def _others(numbers, inputs):
    """The numbers that are not inputs."""
    return tuple(each for k, each in enumerate(numbers) if k not in inputs)


def _packed(numbers, indices):
    return {CONSTANTS: np.frombuffer(bytearray().join(numbers[k] for k in indices))}


def _part(constants, start, array):
    """A traced scalar, or as many as an array has, from a row; and where the rest begins."""
    if array is None:
        return constants[start], start + 1
    end = start + array.size
    return traced_array(constants[start:end]).reshape(array.shape), end


def _same(one, other, shapes):
    """Do two compute the same? By their operations or, where these differ, by their results."""

    def substituted(recalled):
        values = {name: array.tolist() for name, array in recalled.constants.items()}
        return lambda **arrays: recalled.outline(**values, **arrays)

    functions = substituted(one), substituted(other)
    first, second = (Outline(each, shapes).digest for each in functions)
    if first == second:
        return True
    rng = np.random.default_rng(0)
    state = {name: rng.uniform(-1.0, 1.0, shape) for name, shape in shapes.items()}
    found, expected = (evaluate(trace(each, shapes), state)["result"] for each in functions)
    size = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    return np.allclose(found, expected, 0.0, CLOSE * size, equal_nan=True)


class _Constants:
    """What a function's constants were, to say which of them change."""

    def __init__(self, root):
        self.root, self.changes = root, 0  # the former keeps its id
        self.integers, self.numbers = {}, {}

    def changed(self, reading):
        """The names of integers, and of floats, that are not what they were."""
        integers = {described(place): value for value, place in reading.integers}
        numbers = {described(place): k for k, place in enumerate(reading.places)}
        values = {name: reading.numbers[k] for name, k in numbers.items()}
        changed = (
            [n for n, value in integers.items() if self.integers.get(n, value) != value],
            [n for n, value in values.items() if self.numbers.get(n, value) != value],
        )
        self.integers, self.numbers = integers, values
        return changed


def _warn_if_many(function, reading, reason):
    """Warn, once for each code, where numbers that change are compiled in again and again."""
    root = function_root(function)
    constants = _constants.setdefault(id(root), _Constants(root))
    _constants.move_to_end(id(root))
    while len(_constants) > MOST_FUNCTIONS:
        _constants.popitem(last=False)
    integers, floats = constants.changed(reading)
    changed = integers or floats
    constants.changes += bool(changed)
    if changed and constants.changes == MANY - 1:
        name = getattr(root, "co_name", None) or root.__name__
        why = f" (it could not become an input: {reason})" if reason else ""
        why = " (only floats become inputs by themselves)" if integers else why
        warn(
            f"{name}: it is traced and compiled again whenever {listing(changed)} changes{why}; "
            f"give it as a setting, to compile once for all values",
            SimulationWarning,
        )

"""A systolic array with fixed-point words: its bit-exact results, and its Verilog.

`run` computes with words as the processors do, operator by operator, without their clocks;
`simulate` simulates the hardware itself. Calling a chip takes and returns floats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import integer, shown
from ...drivers.map import as_array as as_floats
from ...errors import ArgumentError
from ...parallel.systolic.array import SystolicArray
from ...parallel.systolic.wiring import Constant
from ..circuits.sizing import LARGEST
from ..cordic.formats import WIDEST, Number, integer_kind
from ..cordic.integers import wrap
from ..cordic.raw_words import together
from ..tasks.tasks import Input
from .arithmetic import EXACT, as_array, rounded
from .entries import SHAPES, entries, in_each_state
from .formats import constants, formats_of, largest_values, turned
from .microprograms import units

if TYPE_CHECKING:
    from ..rtl.simulate import Simulated

STATES = 2000  # simulated to choose formats


class ChipTorques(NamedTuple):
    """The torques computed by a chip.

    - `tau`: `(..., n)`, N m or N; NaN in invalid states.
    - `valid`: which states are valid, `(...)`.
    """

    tau: np.ndarray
    valid: np.ndarray


class Chip:
    """Lathrop's robot chip: the inverse dynamics of a chain on matrix-vector processors.

    Each processor consists of three primitive modules with two multipliers, an adder, registers and
    two busses. Results travel through delay buffers to their readers, and one counter drives all
    processors: torques leave every `interval` clocks. Created by
    `px.hardware.inverse_dynamics_chip`.

    Immutable. `array` is the `px.parallel.systolic_array` that it implements, `word` the number of
    bits of every word; `formats` maps inputs, constants and operations of the array to their
    formats.

    **Example:**

    >>> robot = px.robots.planar(2)
    >>> chip = px.hardware.inverse_dynamics_chip(robot, word=24)
    >>> chip([0.3, 0.4], [1.0, -1.0], [0.0, 5.0]).tau
    array([21.973,  5.613])
    >>> px.inverse_dynamics(robot, [0.3, 0.4], [1.0, -1.0], [0.0, 5.0])
    array([21.973,  5.613])
    >>> bool((chip.errors(100) < chip.error_bounds()).all())
    True
    """

    array: SystolicArray
    word: int
    formats: dict
    roundings: dict

    def __init__(self, array, word, ranges):
        self.array, self.word, self._ranges = array, word, ranges
        states = self.random_states(STATES // 2), self.random_states(STATES // 2, at_ends=True)
        q, qd, qdd = (np.concatenate(each) for each in zip(*states, strict=True))
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._values(q, qd, qdd)
            bounds = {source: float(abs(each).max()) for source, each in values.items()}
            most = largest_values(array.wiring, values, bounds)
        _require_finite(most)
        self.formats, self.roundings = formats_of(array.wiring, most, word)

    @property
    def name(self) -> str:
        """The name of the chip."""
        return f"{self.array.links.model.robot.name}_inverse_dynamics_chip"

    # -- its size and speed ------------------------------------------------------------------------

    @property
    def interval(self) -> int:
        """The number of clocks from one state to the next."""
        return self.array.interval

    @property
    def latency(self) -> int:
        """The number of clocks from a state at the inputs to its torques at the outputs."""
        return self.array.latency + 1  # the first one loads the state into registers

    @property
    def processors(self) -> int:
        """The number of matrix-vector processors."""
        return self.array.processors

    @property
    def modules(self) -> int:
        """The number of primitive modules: one per number of a result."""
        return sum(operation.words for operation in self.array.wiring.operations)

    @property
    def multipliers(self) -> int:
        """The number of multipliers."""
        return self._units["mult_1"] + self._units["mult_2"]

    @property
    def adders(self) -> int:
        """The number of adders."""
        return self._units["adder"]

    @property
    def buffers(self) -> int:
        """The number of words in registers between processors and at the inputs."""
        return self.array.buffers

    @cached_property
    def _units(self) -> Counter:
        found: Counter = Counter()
        for operation in self.array.wiring.operations:
            found.update({unit: operation.words for unit in units(operation.operator)})
        return found

    # -- inputs and outputs ------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> list[Input]:
        """The entries of inputs that are used: name is a quantity, index counts over links."""
        return [entry for source in self.array.wiring.inputs for entry in entries(source)]

    @property
    def outputs(self) -> list[tuple[str, int]]:
        """("tau", joint) for each joint."""
        return [("tau", joint) for joint in range(len(self.array.wiring.outputs))]

    def format_of_input(self, entry: Input) -> Number:
        """The format of an input's words."""
        return self._input_formats[entry]

    @cached_property
    def _input_formats(self):
        sources = self.array.wiring.inputs
        return {entry: self.formats[source] for source in sources for entry in entries(source)}

    def format_of(self, name: str, index: int) -> Number:
        """The format of an output's words."""
        if (name, index) not in self.outputs:
            raise ArgumentError(
                f"output: expected 'tau' and a joint from 0 to {len(self.outputs) - 1}, found "
                f"{name!r} and {index!r}"
            )
        return self.formats[self.array.wiring.outputs[index]]

    # -- its results -------------------------------------------------------------------------------

    def quantised(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike):
        """The words of the inputs, Input -> array, and which states fit into them.

        The host computes these for the chip: rotations of the links, and rates and accelerations
        along their axes, are computed in floating point and rounded.
        """
        n = self.array.links.model.n
        given = {"q": q, "qd": qd, "qdd": qdd}
        states = [as_floats(each, name, (n,)) for name, each in given.items()]
        q, qd, qdd = together(", ".join(given), states)
        fits = np.isfinite(np.stack([q, qd, qdd])).all(axis=(0, -1))
        words = {}
        with np.errstate(over="ignore", invalid="ignore"):  # states that do not fit are reported
            found_values = self._values(q, qd, qdd)
        for source, values in found_values.items():
            found, sound = self.formats[source].raw(values)
            fits = fits & in_each_state(sound, source)
            flat = found.reshape(*fits.shape, source.words)
            words |= {entry: flat[..., k] for k, entry in enumerate(entries(source))}
        return words, fits

    def run(self, words: Mapping[Input, ArrayLike]) -> tuple[dict, np.ndarray]:
        """The words of the torques, ("tau", joint) -> array, and which states are valid.

        `words` maps each of `inputs` to an array of words; their shapes broadcast. A state is
        invalid if a value does not fit into its word.
        """
        rows = self._rows(words)
        known, right = {}, np.ones(np.shape(rows[self.inputs[0]]), bool)
        for source in self.array.wiring.inputs:
            stacked = np.stack([rows[entry] for entry in entries(source)], axis=-1)
            shape = right.shape + SHAPES[source.words]
            known[source] = stacked.reshape(shape).astype(self._kind)
        for source in constants(self.array.wiring):
            known[source] = self.constant_words(source).astype(self._kind)
        for operation in self.array.wiring.operations:
            left, drop = self.roundings[operation]
            lifted = [
                turned(known[source], flip) << lift
                for (source, flip), lift in zip(operation.operands, left, strict=True)
            ]
            exact = rounded(EXACT[operation.operator](*lifted), drop)
            known[operation] = wrap(exact, self.word)
            right = right & in_each_state(known[operation] == exact, operation)
        kind = integer_kind(self.word)
        torques = {
            ("tau", joint): np.broadcast_to(np.asarray(known[output], kind), right.shape)
            for joint, output in enumerate(self.array.wiring.outputs)
        }
        return torques, right[()]

    def _rows(self, words):
        """Input -> its words, all of one shape."""
        missing = [entry for entry in self.inputs if entry not in words]
        if missing:
            raise ArgumentError(
                f"words of {self.name}: expected an array for each of `chip.inputs`, found none "
                f"for {missing[0]}"
            )
        rows = together(f"words of {self.name}", [np.asarray(words[each]) for each in self.inputs])
        return dict(zip(self.inputs, rows, strict=True))

    def constant_words(self, constant: Constant) -> np.ndarray:
        """The words of a constant of the robot."""
        return self.formats[constant].raw(as_array(constant.value))[0]

    @cached_property
    def _kind(self):
        """Integers that hold exact results: NumPy's, or Python's if these are too short."""
        lifted = max(max(lifts) for lifts, _ in self.roundings.values())
        return np.int64 if max(2 * self.word + 2, self.word + lifted + 1) <= WIDEST else object

    def __call__(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> ChipTorques:
        """Compute, with floats, what the hardware computes with words.

        **Arguments:**

        - `q`, `qd`, `qdd`: joint positions, rates and accelerations, `(..., n)`.

        **Returns:** a named tuple of `tau`, `(..., n)` in N m or N, and `valid`. The torques of
        invalid states are NaN.
        """
        words, fits = self.quantised(q, qd, qdd)
        found, valid = self.run(words)
        valid = valid & fits
        tau = np.stack([self.format_of(*key).real(row) for key, row in found.items()], axis=-1)
        return ChipTorques(np.where(valid[..., None], tau, np.nan), valid)

    def _values(self, q, qd, qdd):
        """Input -> its values in states (..., n)."""
        found, positions = {}, np.moveaxis(q, -1, 0)
        for source in self.array.wiring.inputs:
            i, wanted = source.link, source.quantity
            given = self.array.links.values(i, [wanted], positions, qd[..., i], qdd[..., i])
            shape = q.shape[:-1] + SHAPES[source.words]
            found[source] = np.broadcast_to(as_array(given[wanted]), shape)
        return found

    # -- testing it --------------------------------------------------------------------------------

    def random_states(self, count: int, seed: int = 0, at_ends: bool = False):
        """q, qd, qdd of random states within their ranges, each `(count, n)`.

        With `at_ends`, rates and accelerations are all at one of the ends of their ranges.
        """
        rng = np.random.default_rng(seed)
        found = []
        for name, (low, high) in self._ranges.items():
            part = rng.random((integer("count", count), len(low)))
            found.append(low + (high - low) * (part.round() if at_ends and name != "q" else part))
        return found

    def sample(self, count: int, seed: int = 0) -> dict[Input, np.ndarray]:
        """The words of `count` random states: Input -> array."""
        return self.quantised(*self.random_states(count, seed))[0]

    def errors(self, count: int = 1000, seed: int = 0) -> np.ndarray:
        """The largest error of each torque relative to float64, over `count` random states, `(n,)`.

        Invalid states are left out. Part of the error is the rounding of the inputs.
        """
        from ...api import inverse_dynamics

        states = self.random_states(count, seed)
        found = self(*states)
        exact = inverse_dynamics(self.array.links.model.robot, *states)
        worst = 0.0 if found.valid.any() else np.inf
        return abs(found.tau - exact)[found.valid].max(axis=0, initial=worst)

    def error_bounds(self) -> np.ndarray:
        """The largest possible error of a torque in a valid state, `(n,)`, in N m or N.

        The bounds are proved, not measured: worst-case rounding errors of inputs, constants and
        results are propagated through all operations.
        """
        from .error_bounds import error_bounds

        return error_bounds(self)

    def simulate(self, words: Mapping[Input, ArrayLike], gaps=()) -> Simulated:
        """Simulate the hardware, clock by clock, for a sequence of states.

        This requires `pip install 'paraxis[hdl]'`. `words` are as for `run`, one-dimensional;
        before each of the states in `gaps`, given by number, one turn is skipped.

        **Returns:** a named tuple of `words` and `valid`, as `run` returns them, and `clocks`.
        """
        from ..rtl.simulate import simulate
        from .design import ChipDesign

        rows = self._rows(words)
        shape = np.shape(rows[self.inputs[0]])
        if len(shape) != 1:
            raise ArgumentError(
                f"words of {self.name}: expected one-dimensional arrays, an entry per state, found "
                f"shape {shape}; one state has shape (1,)"
            )
        return simulate(ChipDesign(self), rows, gaps)

    def export(self, folder: str | PathLike, items: int = 200, name: str | None = None):
        """Write Verilog with a test bench. This requires `pip install 'paraxis[hdl]'`.

        **Arguments:**

        - `folder`: the folder for the files.
        - `items`: the number of random states that the test bench sends.
        - `name`: the name of the module, by default the chip's.

        **Returns:** an object with `paths`, the files; `build` and `test`, commands that compile
        and run the test bench with Icarus Verilog.
        """
        from ..rtl.verilog import write
        from .design import ChipDesign

        return write(ChipDesign(self), folder, self.sample(items), name)

    def __repr__(self):
        return (
            f"<Chip {shown(self.name)}: {self.array.form} form, {self.processors} processors, "
            f"words of {self.word} bits, torques every {self.interval} clocks after {self.latency}>"
        )


def _require_finite(most):
    if not np.isfinite([*most.values()]).all():
        raise ArgumentError("velocity, acceleration: values overflow; choose smaller limits")
    if (worst := max(most.values())) > LARGEST:
        raise ArgumentError(
            f"velocity, acceleration: expected values up to {LARGEST:.0e}, found {worst:.3g}"
        )

"""Studies in YAML files: what `paraxis sweep` reads. Files are untrusted, and read as drives are.

robot: ur5                # a name, or a file beside this one
function: closed_loop     # one of FUNCTIONS, or of px.functions()
space:                    # a product of values ...
  period: {from: 0.002, to: 0.2, count: 40, spacing: log}
  payload: [0, 1, 2]
  policy: [exact, hamilton]
options: {duration: 3}    # numbers that stay

space:                    # ... or sampled states
  sample: 100000
  method: sobol           # random, latin_hypercube or sobol
  seed: 0
  q: limits               # those of the joints, or [lowest, highest]
  qd: [-1, 1]
"""

import os
from collections.abc import Callable
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..checks import one_of, quoted
from ..errors import ArgumentError, ParaxisError
from ..robot_functions import FUNCTIONS as OF_ROBOTS
from ..robots.loading import load
from ..robots.text import contents
from ..robots.within_limits import ranges_of
from ..robots.yaml_text import MAX_BYTES, parse_yaml
from ..sweeps.sampling import METHODS
from ..sweeps.space import Product, Space
from ..sweeps.states import States
from . import study_functions

KEYS = ("robot", "function", "space", "options", "units", "block", "limit")
OF_SAMPLES = ("sample", "method", "seed")
OF_RANGES = ("from", "to", "count", "spacing")
SPACINGS = {"linear": np.linspace, "log": np.geomspace}
MOST_VALUES = 1_000_000  # of one variable
EXACT = 2**53  # below which numbers of files are exact
LIMITS = "limits"


class Study(NamedTuple):
    """What a file asks for."""

    function: Callable
    space: Space
    units: dict[str, str]
    block: int | None
    limit: float | None


def read_study(path: str) -> Study:
    """The study in a file; an error names the file and what in it is wrong."""
    with _naming(path):
        given = parse_yaml(contents(path, "YAML", MAX_BYTES))
        given = _mapping(given, "the study", KEYS)
        for name in ("robot", "function", "space"):
            if name not in given:
                raise ArgumentError(f"expected the key {name!r}, found none")
        robot = load(_robot_file(given["robot"], path))
        known = (*study_functions.FUNCTIONS, *OF_ROBOTS)
        name = one_of(given["function"], known, "function")
        space = _space(_mapping(given["space"], "space"), robot, name)
        options = _mapping(given.get("options", {}), "options")
        function = study_functions.function_of(robot, name, space.names, options)
        units = _mapping(given.get("units", {}), "units")
        for key, unit in units.items():
            if not isinstance(unit, str):
                raise ArgumentError(f"units: expected a word for {key}, found {unit!r}")
        block = given.get("block")
        limit = given.get("limit")
        return Study(
            function,
            space,
            units,
            None if block is None else _whole(block, "block"),
            None if limit is None else _positive(limit, "limit"),
        )


@contextmanager
def _naming(path):
    try:
        yield
    except ParaxisError as error:
        raise ArgumentError(f"{quoted(path, 300)}: {error}") from None


def _robot_file(name, path):
    """The robot's name; a file of that name beside the study comes first."""
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"robot: expected a name or a file, found {name!r}")
    beside = os.path.join(os.path.dirname(path), name)
    return beside if os.path.isfile(beside) else name


def _mapping(given, what, known=None):
    if not isinstance(given, dict):
        raise ArgumentError(f"{what}: expected keys with values, found {quoted(given)}")
    for key in given:
        if known is not None:
            one_of(key, known, what)
    return given


# -- spaces ----------------------------------------------------------------------------------------


def _space(given, robot, function):
    if "sample" in given:
        return _sampled(given, robot, function)
    return Product({name: _values(name, each) for name, each in given.items()})


def _values(name, given):
    """The values of an axis: a list, a single one, or a range."""
    if not isinstance(given, dict):
        values = given if isinstance(given, list) else [given]
        kinds = {type(each) for each in values}
        if not values or (kinds != {str} and not kinds <= {int, float}):
            raise ArgumentError(f"{name}: expected numbers or words, found {quoted(given)}")
        return values
    given = _mapping(given, name, OF_RANGES)
    for key in ("from", "to", "count"):
        if key not in given:
            raise ArgumentError(f"{name}: expected the key {key!r}, found none")
    low, high = (_number(given[key], f"{name}: {key}") for key in ("from", "to"))
    spacing = one_of(given.get("spacing", "linear"), SPACINGS, f"{name}: spacing")
    if spacing == "log" and not (low > 0 and high > 0):
        raise ArgumentError(f"{name}: a range of spacing log must be above zero")
    count = _whole(given["count"], f"{name}: count")
    if count > MOST_VALUES:
        raise ArgumentError(f"{name}: expected at most {MOST_VALUES:,} values, found {count:,}")
    return SPACINGS[spacing](low, high, count)


def _sampled(given, robot, function):
    shapes = study_functions.shapes_of(robot, function)
    ranges = {
        name: _range(name, each, robot, shapes.get(name, ()))
        for name, each in given.items()
        if name not in OF_SAMPLES
    }
    method = one_of(given.get("method", "random"), METHODS, "method")
    seed = _whole(given.get("seed", 0), "seed", least=0)
    return States(robot, _whole(given["sample"], "sample"), ranges, method, seed)


def _range(name, given, robot, shape):
    if given == LIMITS:
        return ranges_of(robot, name)
    if not isinstance(given, list) or len(given) != 2:
        raise ArgumentError(f"{name}: expected [lowest, highest] or limits, found {quoted(given)}")
    low, high = (_number(each, name) for each in given)
    return np.full(shape, low), np.full(shape, high)


# -- numbers ---------------------------------------------------------------------------------------


def _number(given, name):
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ArgumentError(f"{name}: expected a number, found {quoted(given)}")
    return float(given)


def _positive(given, name):
    if not _number(given, name) > 0:
        raise ArgumentError(f"{name}: expected a number > 0, found {given}")
    return float(given)


def _whole(given, name, least=1):
    number = _number(given, name)
    if not number.is_integer() or not least <= number < EXACT:
        raise ArgumentError(
            f"{name}: expected an integer >= {least} and below 2**53, found {given}"
        )
    return int(number)

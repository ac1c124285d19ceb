"""A Body: a function of named arrays that is not compiled yet. Everything that runs is one.

A target makes a kernel of it under a driver: `cpu.map(body)` over the states of a batch,
`cpu.iterate(body, plan)` over time steps, and so on (targets/). What was compiled before is found
by the Body's key, without making its graph.
"""

import hashlib
import marshal
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from types import FunctionType
from typing import Any

import numpy as np

from .compiling import compiling
from .graph.graph import Graph
from .passes.cost import cost

# What makes a graph -> what makes a Plan of the `lanes` driver, or None, from the same arguments.
BY_LANES: dict[Callable[..., Graph], Callable[..., Any]] = {}


class Body:
    """A function of named arrays: `make(*arguments)` returns its graph, on first use.

    `make` is a function at the top level of a module; it and its arguments make up the key.
    """

    def __init__(self, make: Callable[..., Graph], *arguments: Any):
        self.recipe = (make, *arguments)

    @cached_property
    def key(self) -> str:
        """A digest of what it is made from: the function that makes it, and all its arguments."""
        return hashlib.sha256(spelt(self.recipe).encode()).hexdigest()

    @cached_property
    def graph(self) -> Graph:
        """Made on first use, and kept."""
        return self._traced()

    def made(self) -> Graph:
        """The graph, for one use: kept only where it is kept already, as it may be large."""
        return self.__dict__.get("graph") or self._traced()

    def _traced(self) -> Graph:
        make, *arguments = self.recipe
        with compiling("tracing"):
            return make(*arguments)

    @property
    def may_have_lanes(self) -> bool:
        """Whether there can be a Plan of the `lanes` driver, without making one."""
        return self.recipe[0] in BY_LANES

    @cached_property
    def lanes(self) -> Any:
        """What computes the same, rounded otherwise, by the lanes of a warp: a Plan of that driver;
        None where there is none."""
        make, *arguments = self.recipe
        return BY_LANES[make](*arguments) if self.may_have_lanes else None

    def __getstate__(self) -> dict[str, Any]:
        """A pickle keeps what it is made from: a graph is as long as all its operations."""
        made = "graph", "lanes"
        return {name: each for name, each in self.__dict__.items() if name not in made}

    @property
    def name(self) -> str:
        return self.graph.name

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """name -> shape, in calling order."""
        return dict(self.graph.inputs)

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """name -> shape, in order."""
        return {name: shape for name, (shape, _) in self.graph.outputs.items()}

    @property
    def cost(self) -> int:
        """Roughly the flops of one state."""
        return cost(self.graph)


def spelt(value: Any) -> str:
    """A value as text: the same in every process, and another for every other value.

    Robots and graphs are written as their `digest`; of what has an `identity`, only the values in
    it count.
    """
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(spelt, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spelt(key)}: {spelt(each)}' for key, each in value.items())}}}"
    if isinstance(value, (set, frozenset)):  # in no order
        return f"{{{', '.join(sorted(map(spelt, value)))}}}"
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        whole = np.ascontiguousarray(value)
        content = hashlib.sha256(whole).hexdigest()  # type: ignore[arg-type]
        return f"array({value.dtype.str}, {value.shape}, {content})"
    if isinstance(value, Body):
        return value.key
    kind = type(value)
    if isinstance(getattr(value, "digest", None), str):
        return f"{kind.__module__}.{kind.__qualname__}({value.digest})"
    if isinstance(getattr(value, "identity", None), tuple):
        return f"{kind.__module__}.{kind.__qualname__}{spelt(value.identity)}"
    if is_dataclass(value):
        parts = [getattr(value, each.name) for each in fields(value)]
        return f"{kind.__module__}.{kind.__qualname__}{spelt(parts)}"
    if isinstance(value, partial):
        return f"partial{spelt((value.func, value.args, value.keywords))}"
    if isinstance(value, (FunctionType, type)) and "<" not in value.__qualname__:
        name = f"{value.__module__}.{value.__qualname__}"
        if value.__module__.partition(".")[0] == __package__ or isinstance(value, type):
            return name  # whose code is part of every key on disk
        return f"{name} {hashlib.sha256(marshal.dumps(value.__code__)).hexdigest()}"
    raise TypeError(f"{value!r} cannot be part of a Body's key: its text does not identify it")

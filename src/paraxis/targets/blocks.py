"""Functions over the blocks of Dask arrays: lazy, block by block, the chunks kept.

Whatever computes a batch computes a block of it, so all that Dask needs is which axes are the
batch. A function that travels to workers is a Recipe: what makes it, not what it is made into.
Workers remember what they have made, so that a robot is read, and its kernel loaded, once per
process; the store sees to it that code is compiled once per machine.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..body import Body
from ..drivers.map import Signature, as_array, broadcast_batch, check_entry
from ..errors import ArgumentError
from ..graph.graph import Graph
from .own_thread import own_thread

Declared = TypeVar("Declared", bound=Callable)
MOST_REMEMBERED = 64  # functions that a process keeps made


def is_lazy(value: Any) -> bool:
    """Whether it is an array of Dask."""
    return type(value).__module__.startswith("dask.array") and hasattr(value, "__dask_graph__")


def refuse_out(name: str, out: Any) -> None:
    """Raise where results of Dask arrays are to be written somewhere."""
    if out is not None:
        raise ArgumentError(
            f"{name}: out cannot be set for Dask arrays, as nothing is computed yet; "
            "dask.array.store writes their blocks to an array when they are"
        )


# -- functions that travel -------------------------------------------------------------------------


class Recipe:
    """A function as what makes it: `make(*arguments)`, once in each process that calls it.

    `label` is what Dask's dashboard shows. Two recipes are the same where their `identity` is, by
    default their pickle, which may differ for equal arguments.
    """

    __slots__ = ("_given", "_made", "_packed", "label", "token")

    def __init__(
        self,
        label: str,
        make: Callable,
        *arguments: Any,
        identity: str | None = None,
    ):
        self.label, self._packed = label, b""
        self._given: tuple | None = (make, arguments)
        content = self.packed if identity is None else f"{label} {identity}".encode()
        self.token = hashlib.sha256(content).hexdigest()
        self._made: Callable | None = None

    @property
    def packed(self) -> bytes:
        """What travels; it does not change when the arguments do."""
        if self._given is not None:
            self._packed, self._given = _packed(self._given), None
        return self._packed

    def made(self) -> Callable:
        """The function itself."""
        if self._made is None:
            make, arguments = pickle.loads(self.packed)
            self._made = make(*arguments)
        return self._made

    def __call__(self, *blocks: Any) -> Any:
        with _in_its_place():
            return self.made()(*map(_block, blocks))

    def __reduce__(self):
        return _arrived, (self.label, self.packed, self.token)

    def __dask_tokenize__(self):
        return self.token


def recipe_of_kernel(name: str, make: Callable, program: Any, options: dict) -> Recipe | None:
    """What makes a kernel again; None for a Program that cannot be pickled.

    A Program of a robot is packed at once, since it may go before its kernel does. A graph is long,
    and is packed when it travels.
    """
    recipe = Recipe(name, make, program, options, identity=f"{program.key} {options}")
    try:
        if not isinstance(program.recipe[-1], Graph):
            recipe.packed  # noqa: B018
    except ArgumentError:
        return None
    return recipe


def _packed(value):
    try:
        return _pickler(value).dumps(value)
    except Exception as error:
        raise ArgumentError(f"this cannot be sent to workers of Dask: {error}") from None


def _pickler(value):
    """Programs have nothing of the user's script; for functions that do there is cloudpickle."""
    _, arguments = value
    if arguments and isinstance(arguments[0], Body):
        return pickle
    try:
        import cloudpickle  # comes with Dask
    except ImportError:
        return pickle
    return cloudpickle


_known: OrderedDict[str, Recipe] = OrderedDict()


def _arrived(label, packed, token):
    """The Recipe that this process knows already, or this one."""
    found = _known.get(token)
    if found is None:
        found = object.__new__(Recipe)
        found.label, found.token, found._made = label, token, None
        found._packed, found._given = packed, None
        found = _known.setdefault(token, found)
        while len(_known) > MOST_REMEMBERED:
            _known.popitem(last=False)
    return found


def _in_its_place():
    """Tasks in a pool share out the cores among themselves; one in the main thread is alone."""
    if threading.current_thread() is threading.main_thread():
        return _Everything()
    return own_thread()


class _Everything:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def _block(block):
    """An axis that results do not have comes as a list of its blocks, of which there is one."""
    while isinstance(block, list):
        (block,) = block
    return block


# -- arrays ----------------------------------------------------------------------------------------


class Place(NamedTuple):
    """How many axes an array has in front of its batch, and behind it."""

    before: int
    behind: int


class Result(NamedTuple):
    """The shape of a result in front of its batch and behind it, and its type."""

    before: tuple[int, ...]
    behind: tuple[int, ...]
    dtype: np.dtype


def over_blocks(
    function: Recipe,
    arrays: Sequence[Any],
    places: Sequence[Place],
    results: Sequence[Result],
) -> list[Any]:
    """The results of `function(*arrays)`, as lazy as the arrays, block by block of the batch.

    Arrays without a batch are given whole. The function returns a tuple of arrays.
    """
    import dask.array as da

    batch_axes = max(_batch_axes(x, place) for x, place in zip(arrays, places, strict=True))
    batch = [f"batch {k}" for k in range(batch_axes)]
    given: list[Any] = []
    lazy = None
    for k, (array, place) in enumerate(zip(arrays, places, strict=True)):
        own = _batch_axes(array, place)
        if not is_lazy(array):
            array = np.asarray(array)
            if not own:
                given += [array, None]
                continue
        array = da.asarray(array)
        lazy = array if lazy is None else lazy
        whole = {
            axis: -1 for axis in range(array.ndim) if not 0 <= axis - place.before < own
        }  # a state is in one block
        if any(len(array.chunks[axis]) > 1 for axis in whole):
            array = array.rechunk(whole)
        first = [f"{k} before {i}" for i in range(place.before)]
        last = [f"{k} behind {i}" for i in range(place.behind)]
        given += [array, [*first, *batch[batch_axes - own :], *last]]
    meta = lazy._meta  # type: ignore[union-attr]
    like = {"meta": da.utils.meta_from_array(meta, ndim=batch_axes, dtype=object)}
    if len(results) == 1:
        return [_one(da, function, batch, given, results[0], meta)]
    every = da.blockwise(function, batch, *given, name=_name(function, given), **like)
    return [_one(da, _Part(k), batch, [every, batch], each, meta) for k, each in enumerate(results)]


def _one(da, function, batch, given, result, meta):
    """A single result as a Dask array."""
    first = [f"before {i}" for i in range(len(result.before))]
    last = [f"behind {i}" for i in range(len(result.behind))]
    sizes = (*result.before, *result.behind)
    index = [*first, *batch, *last]
    if isinstance(function, Recipe):
        function = _Single(function)
    return da.blockwise(
        function,
        index,
        *given,
        new_axes=dict(zip([*first, *last], sizes, strict=True)),
        name=_name(function, given),
        meta=da.utils.meta_from_array(meta, ndim=len(index), dtype=result.dtype),
    )


def _name(function, given):
    from dask.base import tokenize

    return f"{function.label}-{tokenize(function, *given)}"


class _Single:
    """The only result of a Recipe."""

    def __init__(self, recipe):
        self.recipe, self.label = recipe, recipe.label

    def __call__(self, *blocks):
        found = self.recipe(*blocks)
        return found[0] if isinstance(found, tuple) else found

    def __dask_tokenize__(self):
        return "single", self.recipe.token


class _Part:
    """One result of several."""

    label = "part"

    def __init__(self, k):
        self.k = k

    def __call__(self, results):
        return _block(results)[self.k]

    def __dask_tokenize__(self):
        return "part", self.k


def _batch_axes(array, place):
    return max(np.ndim(array) - place.before - place.behind, 0)


def signature_over_blocks(recipe, signature, dtype, arrays, out):
    """The results of a function of states, as kernels take and return them."""
    refuse_out(recipe.label, out)
    checked = [
        _checked(array, name, shape)
        for array, (name, shape) in zip(arrays, signature.inputs.items(), strict=True)
    ]
    if all(size == size for array in checked for size in array.shape):  # else not known yet
        broadcast_batch(signature, checked)  # or an error that names the arrays
    places = [Place(0, len(shape)) for shape in signature.inputs.values()]
    results = [Result((), shape, dtype) for shape in signature.outputs.values()]
    found = over_blocks(recipe, checked, places, results)
    return found[0] if len(found) == 1 else tuple(found)


def kernel_over_blocks(recipe: Recipe, kernel: Any, arrays: Sequence[Any], out: Any) -> Any:
    """The results of a kernel, of which `recipe` makes another."""
    signature = Signature(kernel.inputs, kernel.outputs)
    return signature_over_blocks(recipe, signature, kernel.dtype, arrays, out)


def _checked(array, name, shape):
    if not is_lazy(array):
        return as_array(array, name, shape)
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{name}: expected real numbers, found dtype {array.dtype}")
    return check_entry(array, name, shape)


# -- functions whose results have parts ------------------------------------------------------------


def results_over_blocks(
    label: str, function: Callable, options: dict[str, Any], arrays: dict[str, Any], places: dict
) -> Any:
    """`function(**options, **arrays)` over blocks: what it returns, with Dask arrays inside.

    What its parts are, and their shapes and types, is found by calling it on a batch of no states.
    There the axis of length 0 is the batch; arrays without one are the same in every block.
    """
    alone = not any(_batch_axes(array, places[name]) for name, array in arrays.items())
    if alone:  # a single state: the only one of a batch
        arrays = {name: _as_batch(array, places[name]) for name, array in arrays.items()}
    none = {name: _no_states(array, places[name]) for name, array in arrays.items()}
    empty = function(**options, **none)
    names, results = [], []
    for path, array in _arrays_in(empty):
        if 0 in array.shape:
            axis = array.shape.index(0)
            names.append(path)
            results.append(Result(array.shape[:axis], array.shape[axis + 1 :], array.dtype))
    recipe = Recipe(label, _parts_of, function, options, tuple(arrays), tuple(names))
    found = over_blocks(recipe, [*arrays.values()], [places[name] for name in arrays], results)
    if alone:
        only = ((*[slice(None)] * len(each.before), 0) for each in results)
        found = [array[where] for array, where in zip(found, only, strict=True)]
    return _with(empty, dict(zip(names, found, strict=True)))


def takes_blocks(**axes: int) -> Callable[[Declared], Declared]:
    """A function of arrays that takes Dask's, too: decorator with the axes of a state, by name."""

    def decorate(function):
        signature = inspect.signature(function)
        free = next(
            (k for k, each in signature.parameters.items() if each.kind == each.VAR_KEYWORD), ""
        )

        @wraps(function)
        def run(*arguments, **keywords):
            if not any(map(is_lazy, arguments)) and not any(map(is_lazy, keywords.values())):
                return function(*arguments, **keywords)
            options = signature.bind(*arguments, **keywords).arguments
            options |= options.pop(free, {})
            arrays = {name: options.pop(name) for name in axes if name in options}
            places = {name: Place(0, axes[name]) for name in arrays}
            return results_over_blocks(function.__name__, run, options, arrays, places)

        return run

    return decorate


def _as_batch(array, place):
    return array[(*[slice(None)] * place.before, None)] if is_lazy(array) else array


def _no_states(array, place):
    """The array, of a batch of no states."""
    shape = np.shape(array)
    end = len(shape) - place.behind
    if _batch_axes(array, place) == 0:
        return np.zeros(shape, getattr(array, "dtype", float)) if is_lazy(array) else array
    return np.zeros((*shape[: place.before], 0, *shape[end:]), getattr(array, "dtype", float))


def _parts_of(function, options, names, paths):
    """The function of blocks that returns parts of its result as a tuple."""

    def parts(*blocks):
        found = dict(_arrays_in(function(**options, **dict(zip(names, blocks, strict=True)))))
        return tuple(found[path] for path in paths)

    return parts


def _arrays_in(value, path=()):
    """(path, array) of the arrays in a result."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield path, value
        return
    for name, each in _inside(value):
        yield from _arrays_in(each, (*path, name))


def _inside(value):
    if is_dataclass(value):
        return [(each.name, getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, dict):
        return [*value.items()]
    if isinstance(value, tuple | list):
        return [*enumerate(value)]
    return []


def _with(value, found, path=()):
    """The result with other arrays in it."""
    if path in found:
        return found[path]
    inside = {name: _with(each, found, (*path, name)) for name, each in _inside(value)}
    if not inside:
        return value
    if is_dataclass(value):
        return type(value)(**inside)
    if isinstance(value, dict):
        return type(value)(inside)
    kind = type(value)
    return kind(*inside.values()) if hasattr(value, "_fields") else kind(inside.values())


def iterated_over_blocks(kernel, steps, every, arrays):
    """What an iterate kernel returns, whose `recipe` makes another."""
    plan = kernel.plan
    values = Signature(plan.inputs, {}).bind((), arrays, kernel.name)
    places = {
        name: Place(1 if name in plan.per_step else 0, len(shape))
        for name, shape in plan.inputs.items()
    }
    options = {"recipe": kernel.recipe, "steps": steps, "every": every}
    named = dict(zip(places, values, strict=True))
    return results_over_blocks(kernel.name, _iterated, options, named, places)


def _iterated(recipe, steps, every, **arrays):
    """The kernel that such a recipe makes, on a block."""
    return recipe.made()(steps, every, **arrays)

"""The same state gives the same bits, whatever the arrays around it look like.

Random batch shapes, broadcast inputs, strides of every sign and order, misaligned and read-only
arrays, other dtypes with the same values, results into given arrays, onto an input, and any number
of threads: all against one plain batch of contiguous rows.
"""

import numpy as np
import pytest
from support.bits import same_bits_or_nan
from support.counting import case, report, scaled
from support.robots import random_robot

import paraxis as px

FUNCTIONS = {
    "inverse_dynamics": (),
    "forward_dynamics": (),
    "mass_matrix": (),
    "kinetic_energy": (),  # a scalar result
    "motor_torques": (),  # several results
    "jacobian": (),
    "potential_energy": ("mass", "gravity"),
    "bias_forces": ("external_force",),  # an entry of two axes
}
THREADS = (1, 2, 3)


@pytest.fixture(scope="module")
def programs():
    robots = [random_robot(5, (3, 3)), random_robot(8, (6, 6))]
    return [
        px.program(
            robot,
            function,
            parameters=parameters,
            **({"frame": robot.frame_names[-1]} if function == "jacobian" else {}),
        )
        for robot in robots
        for function, parameters in FUNCTIONS.items()
    ]


@pytest.fixture(scope="module")
def kernels(programs):
    """Compiled once for each number of threads; the machine code is the same."""
    made = {}

    def kernel(number, dtype, threads):
        key = number, dtype, threads
        if key not in made:
            made[key] = programs[number].compile(dtype=dtype, threads=threads)
        return made[key]

    return kernel


# -- arrays of the same values ---------------------------------------------------------------------


def room(rng, shape, dtype):
    """An uninitialised array of this shape, laid out in memory in some random way."""
    dtype, order = np.dtype(dtype), list(range(len(shape)))
    rng.shuffle(order)  # of axes in memory: rows, columns (Fortran) or neither
    if rng.random() < 0.4:
        order.sort()
    steps = [rng.choice((1, 1, 1, 2, 3, -1, -2)) for _ in shape]
    long = [max(1, shape[k]) * abs(steps[k]) for k in order]
    count = int(np.prod(long, dtype=int))
    shift = rng.choice((0, 0, 0, dtype.itemsize, 1, 3))  # bytes: aligned, or not
    memory = np.zeros(count * dtype.itemsize + shift, np.uint8)
    array = memory[shift:].view(dtype).reshape(long)
    array = array.transpose(np.argsort(order)) if shape else array
    array = array[(*(slice(None, None, step) for step in steps), ...)]
    return array[(*(slice(0, size) for size in shape), ...)]


def another_dtype(rng, values, dtype):
    """A dtype that holds the same values exactly, most often the given one."""
    choices = [dtype] * 4
    if dtype == "float64":
        with np.errstate(invalid="ignore"):
            others = [">f8", "float32", "int64", "int8"]
            choices += [each for each in others if (values.astype(each) == values).all()]
    return rng.choice(choices)


def laid_out(rng, values, dtype):
    """The same values in a random layout, sometimes read-only or a list."""
    array = room(rng, values.shape, another_dtype(rng, values, dtype))
    array[...] = values
    if rng.random() < 0.1:
        array.flags.writeable = False
    as_list = rng.random() < 0.05 and dtype == "float64" and array.size
    return array.tolist() if as_list else array


def batch_of(rng):
    """No axis, or up to four; often longer than a vector and not a multiple of one.

    Some are so large that they are worth several threads.
    """
    if rng.random() < 0.04:
        return rng.choice((1, 2, 3)), rng.randint(8_000, 20_000)
    sizes = [rng.choice((1, 2, 3, 5, 7, 8, 9, 17, 33)) for _ in range(rng.randint(0, 4))]
    while np.prod(sizes) > 2000:
        sizes.pop()
    if sizes and rng.random() < 0.05:
        sizes[rng.randrange(len(sizes))] = 0
    return tuple(sizes)


def some_axes(rng, batch):
    """A shape that broadcasts to `batch`."""
    if rng.random() < 0.5:
        return batch
    shape = [1 if rng.random() < 0.4 else size for size in batch]
    return tuple(shape[rng.randint(0, len(shape)) :])


# -- the check -------------------------------------------------------------------------------------


def values_for(rng, program, batch, dtype):
    """Inputs that broadcast to the batch; round numbers, large angles, a NaN here and there."""
    numbers, arrays = np.random.default_rng(rng.randrange(2**32)), []
    for shape in program.inputs.values():
        array = numbers.uniform(-3, 3, (*some_axes(rng, batch), *shape))
        kind = rng.random()
        if kind < 0.2:
            array = np.rint(array) + 0.0  # integers have no -0.0
        elif kind < 0.3:
            array = array * 1e5
        if array.size and rng.random() < 0.1:
            array.flat[rng.randrange(array.size)] = rng.choice((np.nan, np.inf))
        arrays.append(array.astype(dtype))
    return arrays


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_layouts(dtype, programs, kernels, record_property):
    calls = 0
    for k in range(scaled(3000)):
        with case("layouts", dtype, k) as rng:
            number = rng.randrange(len(programs))
            program, batch = programs[number], batch_of(rng)
            given = values_for(rng, program, batch, dtype)
            entries = list(program.inputs.values())
            batch = np.broadcast_shapes(
                *(a.shape[: a.ndim - len(e)] for a, e in zip(given, entries, strict=True))
            )
            flat = [
                np.broadcast_to(array, (*batch, *entry)).reshape(-1, *entry).copy()
                for array, entry in zip(given, entries, strict=True)
            ]
            plain = kernels(number, dtype, 1)(*flat)
            plain = plain if isinstance(plain, tuple) else (plain,)
            found = call(rng, kernels(number, dtype, rng.choice(THREADS)), given, batch, dtype)
            for result, reference, shape in zip(
                found, plain, program.outputs.values(), strict=True
            ):
                assert same_bits_or_nan(result, reference.reshape((*batch, *shape))), program.name
            calls += 1
    report(record_property, calls, "layouts to the bit")


def call(rng, kernel, given, batch, dtype):
    """One call on arrays of random layouts, with or without `out`; the results as a tuple."""
    arrays = [laid_out(rng, array, dtype) for array in given]
    if rng.random() < 0.5:
        found = kernel(*arrays)
        return found if isinstance(found, tuple) else (found,)
    outs = [room(rng, (*batch, *shape), dtype) for shape in kernel.outputs.values()]
    if rng.random() < 0.3:  # onto an input of the same shape
        onto = [a for a in arrays if getattr(a, "shape", None) == outs[0].shape]
        onto = [a for a in onto if a.dtype == np.dtype(dtype) and a.flags.writeable]
        outs[0] = rng.choice(onto) if onto else outs[0]
    for array in outs[1:]:
        array[...] = 7.0
    kernel(*arrays, out=tuple(outs) if len(outs) > 1 else outs[0])
    return tuple(outs)

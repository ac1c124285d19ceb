"""Steps of several stages, and what a loop over them means: the interpreter, again and again."""

from functools import cache

import numpy as np

import paraxis as px
from paraxis.drivers.iterate import Plan
from paraxis.drivers.row import Row, Stage

SIZE = 5  # unknowns of the systems of equations below


def prepare(x, push, dt):
    """A matrix with a large diagonal, and a right-hand side: both depend on the state."""
    matrix = [
        [
            px.math.cos(x[i] - x[j]) * 0.3 + (3.0 + x[i] * x[i] if i == j else 0.0)
            for j in range(SIZE)
        ]
        for i in range(SIZE)
    ]
    return {"matrix": matrix, "wanted": [push[i] + dt * x[i] for i in range(SIZE)]}


def sweep(matrix, wanted, guess, count, tolerance):
    """Gauss and Seidel's: each unknown from the others, the newest of them."""
    y = list(guess)
    for i in range(SIZE):
        rest = wanted[i]
        for j in range(SIZE):
            if j != i:
                rest = rest - matrix[i][j] * y[j]
        y[i] = rest / matrix[i][i]
    change = 0.0
    for new, old in zip(y, guess, strict=True):
        change = px.math.maximum(change, abs(new - old))
    return {
        "solution": y,
        "sweeps": count + 1.0,
        "change": change,
        "converged": px.math.less(change, tolerance),
    }


def finish(x, guess, solution, change, dt):
    """The guess is still that of the step's beginning, from which the solution has gone far."""
    moved = [x[i] + dt * solution[i] + 1e-3 * (solution[i] - guess[i]) for i in range(SIZE)]
    return {"x_next": moved, "left": change}


@cache
def solving(repeat=30, until="converged"):
    """A step with contact looks like this one: prepare, sweep until it has converged, finish."""
    vector, scalar = (SIZE,), ()
    bodies = (
        px.trace(prepare, x=vector, push=vector, dt=scalar),
        px.trace(
            sweep,
            matrix=(SIZE, SIZE),
            wanted=vector,
            guess=vector,
            count=scalar,
            tolerance=scalar,
        ),
        px.trace(finish, x=vector, guess=vector, solution=vector, change=scalar, dt=scalar),
    )
    carry = {"guess": "solution", "count": "sweeps"}
    row = Row(
        [Stage(bodies[0]), Stage(bodies[1], repeat, carry, until), Stage(bodies[2])], "solving"
    )
    carry = {"x": "x_next", "guess": "solution"}
    record = ("x", "sweeps", "left", "guess", "solution")
    return row, Plan(row.inputs, row.outputs, carry, ("push",), record)


def systems(steps, *batch, seed=0):
    """Values for them; some states need many more sweeps than others."""
    rng = np.random.default_rng(seed)
    return {
        "x": rng.normal(size=(*batch, SIZE)),
        "push": rng.normal(size=(steps, *batch, SIZE)),
        "guess": rng.normal(size=(*batch, SIZE)),
        "dt": np.array(0.05),
        "count": np.array(0.0),
        "tolerance": 10.0 ** rng.uniform(-9, 0, batch),
    }


def random_row(seed):
    """Two to four stages of random arithmetic, which read what is there under any name, and a plan.

    Values stay small, and every input of the step that can be is carried.
    """
    rng = np.random.default_rng(seed)
    shapes = {name: (int(rng.integers(1, 4)),) for name in "abc"} | {"d": ()}
    stages, made, given = [], {}, set()
    for k in range(rng.integers(2, 5)):
        known = shapes | made
        names = [str(x) for x in rng.choice([*known], rng.integers(1, len(known)), replace=False)]
        given |= {name for name in names if name not in made}
        shape_of = {name: known[name] for name in names}
        repeat = int(rng.choice([1, 1, 3, 6]))
        carry = {}
        for name in rng.permutation(names):
            if repeat > 1 and (not carry or rng.random() < 0.5):
                carry[str(name)] = f"{name}{k}"
        outputs = {output: shape_of[name] for name, output in carry.items()}
        outputs |= {f"e{k}": (2,), f"stop{k}": ()}
        renamed = [x for x in "ab" if x not in made and x not in outputs and rng.random() < 0.3]
        outputs |= {x: shapes[x] for x in renamed}  # which hides the input of that name
        until = f"stop{k}" if rng.random() < 0.6 else None
        body = px.trace(_arithmetic(outputs, int(rng.integers(2**31))), **shape_of)
        stages.append(Stage(body, repeat, carry, until))
        made |= outputs
    row = Row(stages, f"random{seed}")
    carry, free = {}, [x for x in row.outputs if not x.startswith("stop")]
    for name in rng.permutation([*row.inputs]):
        fitting = [x for x in free if row.outputs[x] == row.inputs[name]]
        if fitting:
            carry[str(name)] = str(rng.choice(fitting))
            free.remove(carry[str(name)])
    record = tuple(str(x) for x in rng.permutation([*carry | row.outputs])[:4])
    streamed = tuple(x for x in row.inputs if x not in carry)[:1]
    return row, Plan(row.inputs, row.outputs, carry, streamed, record) if carry else None


def _arithmetic(outputs, seed):
    """A function of whatever it is given, in which every output depends on all of it."""

    def function(**arrays):
        rng = np.random.default_rng(seed)
        entries = [x for array in arrays.values() for x in np.ravel(np.array(array, object))]

        def number():
            total = float(rng.normal())
            for x in entries:
                total = total * 0.5 + x * float(rng.uniform(-0.8, 0.8))
            return px.math.sin(total)

        found = {}
        for name, shape in outputs.items():
            if name.startswith("stop"):
                found[name] = px.math.less(0.0, number())
            else:
                found[name] = [number() for _ in range(shape[0])] if shape else number()
        return found

    return function


def values_for(plan, steps, *batch, seed=0):
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(size=(*((steps,) if name in plan.per_step else ()), *batch, *shape))
        for name, shape in plan.inputs.items()
    }


def repeated(row, plan, steps, every, arrays):
    """What a loop over steps means: the carried arrays in the end, and the records."""
    now, records = dict(arrays), {name: [] for name in plan.record}
    for step in range(steps):
        result = row.evaluate(**now | {name: arrays[name][step] for name in plan.per_step})
        now |= {name: result[output] for name, output in plan.carry.items()}
        if (step + 1) % every == 0:
            for name in plan.record:
                records[name].append(now[name] if name in plan.carry else result[name])
    return {name: now[name] for name in plan.carry}, records

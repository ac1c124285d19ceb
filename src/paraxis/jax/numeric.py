"""A graph evaluated by jax.numpy: operations that XLA sees, and can fuse with its surroundings.

On whole batches at once, a node an array. As everywhere, a bad input entry that no output depends
on still spoils them (graph/evaluate.py).
"""

import jax.numpy as jnp

from ..graph.graph import size
from ..graph.operations import OPS


def evaluate(graph, operands):
    """The outputs, in order, of arrays of batch + entry shape and one dtype."""
    dtype = operands[0].dtype
    shapes = graph.inputs.values()
    batches = [x.shape[: x.ndim - len(s)] for x, s in zip(operands, shapes, strict=True)]
    batch = jnp.broadcast_shapes(*batches)
    flat = {
        name: x.reshape(*own, size(shape))
        for x, own, (name, shape) in zip(operands, batches, graph.inputs.items(), strict=True)
    }
    values = {}
    for node in graph.nodes:
        if node.op == "const":
            values[node.index] = jnp.asarray(node.value, dtype)
        elif node.op == "input":
            name, k = node.value
            values[node.index] = flat[name][..., k]
        else:
            arguments = [values[a.index] for a in node.args]
            values[node.index] = OPERATIONS[node.op](*arguments)
    unused = [flat[name][..., run.start : run.stop] for name, run in graph.unused]
    poison = sum(((x - x).sum(axis=-1) for x in unused), start=0)
    results = []
    for name, (shape, nodes) in graph.outputs.items():
        entries = [
            jnp.broadcast_to(values[node.index] + (poison if spoilt else 0), batch)
            for node, spoilt in zip(nodes, graph.poisoned(name), strict=True)
        ]
        results.append(jnp.stack(entries, axis=-1).reshape(*batch, *shape))
    return results


def _operation(op):
    """NumPy's function of that name; conditions are 1 and 0."""
    function = getattr(jnp, op.numpy)
    if not op.is_condition:
        return function
    return lambda *arguments: function(*arguments).astype(arguments[0].dtype)


OPERATIONS = {name: _operation(op) for name, op in OPS.items() if op.numpy is not None} | {
    "fma": lambda a, b, c: a * b + c,
    "select": lambda condition, a, b: jnp.where(condition != 0, a, b),
}

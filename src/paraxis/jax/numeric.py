"""A graph evaluated by jax.numpy: operations that XLA sees, and can fuse with its surroundings.

On whole batches at once, a node an array. As everywhere, a bad input entry that no output depends
on still spoils them (graph/evaluate.py).
"""

import jax.numpy as jnp

from ..graph.graph import size


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


def _condition(compare):
    """Conditions are 1 and 0."""
    return lambda a, b: compare(a, b).astype(a.dtype)


OPERATIONS = {
    "neg": jnp.negative,
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "div": jnp.divide,
    "fma": lambda a, b, c: a * b + c,
    "sqrt": jnp.sqrt,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "atan2": jnp.arctan2,
    "abs": jnp.abs,
    "sign": jnp.sign,
    "rint": jnp.rint,
    "min": jnp.minimum,
    "max": jnp.maximum,
    "lt": _condition(jnp.less),
    "le": _condition(jnp.less_equal),
    "eq": _condition(jnp.equal),
    "select": lambda condition, a, b: jnp.where(condition != 0, a, b),
}

"""The order in which a straight line computes its nodes.

Any order that computes arguments first is right; they differ in how many values are alive at
once, and so in how much spills from registers to memory.
"""


def trig_first(graph):
    """Sines and cosines (and what they need) first, the rest in the order it was traced.

    A sine is a call, and a call empties the registers: better before there is anything in them.
    """
    needed, stack = set(), [node for node in graph.nodes if node.op in ("sin", "cos")]
    while stack:
        node = stack.pop()
        if node.index not in needed:
            needed.add(node.index)
            stack.extend(node.args)
    early = [node for node in graph.nodes if node.index in needed]
    return early + [node for node in graph.nodes if node.index not in needed]

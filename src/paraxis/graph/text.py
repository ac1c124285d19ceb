"""A graph as text that a person reads, and that `parse` (parse.py) reads back.

    program inverse_dynamics
    input q[2] qd[2]
    %0 = input q 0
    %1 = sin %0
    %2 = const 9.81
    %3 = mul %1 %2
    mark force 1 = %3
    output tau[1] = %3

Numbers are written so that they read back to the same bits; `nan`, `inf` and `-inf` are numbers.
"""


def text(graph):
    """The graph as lines, nodes renumbered from 0 in order. Values only a mark needs come too."""
    nodes, number = graph.with_marked, graph.lines
    lines = [f"program {graph.name}"]
    lines.append("input " + " ".join(_with_shape(*item) for item in graph.inputs.items()))
    for node in nodes:
        if node.op == "const":
            arguments = repr(node.value)
        elif node.op == "input":
            arguments = "{} {}".format(*node.value)
        else:
            arguments = " ".join(f"%{number[a.index]}" for a in node.args)
        lines.append(f"%{number[node.index]} = {node.op} {arguments}")
    for (name, link), values in graph.marks.items():
        lines.append(f"mark {name} {link} = " + _list(values, number))
    for name, (shape, values) in graph.outputs.items():
        lines.append(f"output {_with_shape(name, shape)} = " + _list(values, number))
    return "\n".join(lines) + "\n"


def _list(nodes, number):
    return " ".join(f"%{number[node.index]}" for node in nodes)


def _with_shape(name, shape):
    return name + "".join(f"[{k}]" for k in shape)

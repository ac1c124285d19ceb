"""Looking into streamlined tasks, and doing them one by one."""

from paraxis.graph.operations import OPS


def subtasks(tasks, link):
    """The numbers in Table 4.1 of a link's subtasks, and how many others it has."""
    own = [name for name in tasks.names if tasks.groups[name] == f"link {link}"]
    return {int(name[-2:]) for name in own if "+" not in name}, sum("+" in name for name in own)


def ancestors(tasks):
    """name -> all that must be done before it."""
    found = [set() for _ in tasks.names]
    for k in tasks.order:
        for first in tasks.predecessors[k]:
            found[k] |= {tasks.names[first]} | found[first]
    return dict(zip(tasks.names, found, strict=True))


def done(tasks, order, q, qd, qdd):
    """The torques, from the operations of each task in that order, and nothing done before."""
    given = {"q": q, "qd": qd, "qdd": qdd}
    made = {}

    def value(node):
        if node.index in made:
            return made[node.index]
        assert node.index not in tasks.task_of, f"{node} is not there yet"
        if node.op == "const":
            return node.value
        if node.op == "input":
            name, k = node.value
            return given[name][k]
        return OPS[node.op].meaning(*map(value, node.args))

    for task in order:
        for node in tasks.operations[task]:
            made[node.index] = OPS[node.op].meaning(*map(value, node.args))
    return [value(node) for node in tasks.program.graph.results]


def shuffled(tasks, rng):
    """An order that only keeps to who waits for whom."""
    waiting = [len(each) for each in tasks.predecessors]
    ready, order = [k for k, count in enumerate(waiting) if not count], []
    while ready:
        order.append(ready.pop(rng.randrange(len(ready))))
        for then in tasks.successors[order[-1]]:
            waiting[then] -= 1
            if not waiting[then]:
                ready.append(then)
    return order

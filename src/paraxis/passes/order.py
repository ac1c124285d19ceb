"""The order in which a straight line computes its nodes.

Any order that computes arguments first is right; they differ in how many values are alive at
once, and so in how much spills from registers to memory.
"""

ENOUGH = 240  # values alive, for which a thread of a GPU has registers


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


def few_alive(graph):
    """The order with the fewest values alive at once, of those that are tried.

    As it was traced, which is best along a chain; or one result after the other, each with all it
    needs, deepest argument first, which finishes a limb of a tree before it begins the next. Where
    both are too many for registers, also with what replaces the last value that it needs
    computed at once, from the first result on or from the last, which is at the end of a limb:
    that hides less of the time that operations take.
    """
    best = min((late_inputs(graph.nodes), result_by_result(graph)), key=most_alive)
    if most_alive(best) <= ENOUGH:
        return best
    again = (at_once(graph.nodes, results) for results in (graph.results, graph.results[::-1]))
    return min((best, *again), key=most_alive)


def late_inputs(order):
    """The same order, but inputs where they are first used."""
    seen, late = set(), []
    for node in order:
        for argument in node.args:
            if argument.op == "input" and argument.index not in seen:
                seen.add(argument.index)
                late.append(argument)
        if node.op != "input":
            late.append(node)
    return late


def result_by_result(graph):
    """Each result with all it needs, in the order of the results, deepest argument first."""
    depth, seen, order = {}, set(), []
    for node in graph.nodes:
        depth[node.index] = 1 + max((depth[a.index] for a in node.args), default=0)
    for result in graph.results:
        stack = [(result, False)]
        while stack:
            node, is_ready = stack.pop()
            if is_ready:
                order.append(node)
            elif node.index not in seen:
                seen.add(node.index)
                stack.append((node, True))
                shallow_first = sorted(node.args, key=lambda a: depth[a.index])
                stack.extend((argument, False) for argument in shallow_first)
    return order


def at_once(nodes, results):
    """Results in this order, each with all it needs, deepest argument first; but what is the last
    to need a value is computed as soon as that is possible, since it takes that value's place."""
    depth, users = {}, {node.index: [] for node in nodes}
    for node in nodes:
        depth[node.index] = 1 + max((depth[a.index] for a in node.args), default=0)
        for k in {a.index for a in node.args}:
            users[k].append(node)
    missing = {n.index: len({a.index for a in n.args if a.op != "const"}) for n in nodes}
    uses = {k: len(each) for k, each in users.items()}
    seen, order = set(), []

    def compute(node):
        ready = [node]
        while ready:
            node = ready.pop()
            if node.index in seen:
                continue
            for each in (*(a for a in node.args if a.index not in seen), node):  # constants first
                seen.add(each.index)
                order.append(each)
            for user in users[node.index] if node.op != "const" else ():
                missing[user.index] -= 1
            for k in {a.index for a in node.args}:
                uses[k] -= 1
                if uses[k] == 1:
                    ready += [u for u in users[k] if not missing[u.index]]
            ready += [
                user
                for user in users[node.index]
                if not missing[user.index]
                and any(uses[a.index] == 1 and a.op != "const" for a in user.args)
            ]

    for result in results:
        stack = [(result, False)]
        while stack:
            node, is_ready = stack.pop()
            if is_ready or not node.args:
                compute(node)
            elif node.index not in seen:
                stack.append((node, True))
                shallow_first = sorted(node.args, key=lambda a: depth[a.index])
                stack.extend((argument, False) for argument in shallow_first)
    return order


def most_alive(order):
    """How many values are alive at once, at most, where results are stored as they are made."""
    last = {a.index: k for k, node in enumerate(order) for a in node.args}
    alive, most = 0, 0
    ends = [0] * len(order)
    for k, node in enumerate(order):
        if node.op != "const":
            alive += 1
            ends[max(last.get(node.index, k), k)] += 1
        most = max(most, alive)
        alive -= ends[k]
    return most

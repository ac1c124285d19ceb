"""Plans: starts and places of tasks as computed by methods, before they are checked.

A plan is a pair: when each task starts, and on which processor.
"""

ANYWHERE = -1  # on any processor


def ends(tasks, starts):
    return [start + weight for start, weight in zip(starts, tasks.weights, strict=True)]


def makespan(tasks, plan):
    return max(ends(tasks, plan[0]), default=0)


def shortest_on_fewer(tasks, processors, plan_on):
    """The shortest of the plans `plan_on(count)` on these processors or fewer.

    Methods that start whatever can start may do better on fewer processors where messages are slow.
    Without messages the plan on all of them is taken.
    """
    plan = best = plan_on(processors)
    while tasks.messages:
        # On as many as a plan uses it would be the same, and on so few that the work alone takes as
        # long as the best none can be shorter.
        fewer = len(set(plan[1])) - 1
        if tasks.work >= fewer * makespan(tasks, best):
            break
        plan = plan_on(fewer)
        best = min(best, plan, key=lambda each: makespan(tasks, each))
    return best


def arrival(tasks, first, then, starts, places):
    """When the result of `first` is available to `then`: after a message, if that is elsewhere."""
    message = 0 if places[first] == places[then] else tasks.messages.get((first, then), 0)
    return starts[first] + tasks.weights[first] + message


def arrivals(tasks, task, starts, places):
    """place -> when all inputs are available: ANYWHERE, and a processor where that is earlier.

    Only the processor that sends the message which arrives last can have them earlier.
    """
    sent = [
        (starts[first] + tasks.weights[first] + tasks.messages.get((first, task), 0), first)
        for first in tasks.predecessors[task]
    ]
    if not sent:
        return {ANYWHERE: 0}
    everywhere, last = max(sent)
    home = places[last]
    at_home = max(
        starts[first] + tasks.weights[first] if places[first] == home else arrival
        for arrival, first in sent
    )
    return {ANYWHERE: everywhere, home: at_home}


def busy_rows(tasks, starts, places):
    """processor -> its tasks by number in order of time; processors without tasks are left out."""
    rows = {place: [] for place in sorted(set(places))}
    for task in sorted(range(len(tasks)), key=lambda k: (starts[k], tasks.weights[k], k)):
        rows[places[task]].append(task)
    return rows

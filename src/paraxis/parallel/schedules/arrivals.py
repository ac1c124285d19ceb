"""When the inputs of a task have arrived, and where."""

ANYWHERE = -1


def arrival(tasks, first, then, starts, places):
    """When the result of `first` is there for `then`: with a message, if that is elsewhere."""
    message = 0 if places[first] == places[then] else tasks.messages.get((first, then), 0)
    return starts[first] + tasks.weights[first] + message


def arrivals(tasks, task, starts, places):
    """place -> when all inputs are there: ANYWHERE, and a processor where that is earlier.

    Such is only the processor that sends the message which arrives last.
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

"""The processors of a schedule that have tasks. There may be any number of others."""


def busy_rows(schedule):
    """processor -> its tasks by number in order of time; processors without tasks are left out."""
    rows = {place: [] for place in sorted(set(schedule.places))}
    weights = schedule.tasks.weights
    for task in sorted(range(len(weights)), key=lambda k: (schedule.starts[k], weights[k], k)):
        rows[schedule.places[task]].append(task)
    return rows

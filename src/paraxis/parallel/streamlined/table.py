"""Dhanaraj's Tables 4.1 and 4.2: the 43 subtasks of a link, and the arm to which they apply.

His general arm has right angles between its axes, bodies whose principal axes are along their
frames, and a base at rest; nothing else about it is special.
"""

from ..tasks.task_graph import TaskGraph

# Results of subtasks, and their predecessors in their link, the previous (p) or the next one (n).
_STEPS = (
    (range(1, 3), "ω of the previous link, turned", "p1 p2 p3"),
    (range(3, 4), "ω, and what the joint adds to α", "1 2"),
    (range(4, 6), "α of the previous link, turned", "p6"),
    (range(6, 7), "α", "3 4 5"),
    (range(7, 8), "products of ω", "1 2 3"),
    (range(8, 9), "squares of ω", "1 2 3"),
    (range(9, 10), "λ, its diagonal", "8"),
    (range(10, 11), "λ, its sums", "6 7"),
    (range(11, 12), "λ, its differences", "6 7"),
    (range(12, 15), "λ p", "p9 p10 p11"),
    (range(15, 18), "a + λ p", "p18 p19 12 13 14"),
    (range(18, 20), "a, acceleration of the origin", "15 16 17"),
    (range(20, 23), "λ s", "9 10 11"),
    (range(23, 26), "a + λ s, acceleration of the centre of mass", "18 19 20 21 22"),
    (range(26, 27), "force on the link", "23 24 25"),
    (range(27, 30), "moment on the link", "6 7"),
    (range(30, 32), "force of the next joint, turned", "n32"),
    (range(32, 33), "force of the joint", "26 30 31"),
    (range(33, 36), "p × force of the next joint", "30 31"),
    (range(36, 39), "s × force on the link", "26"),
    (range(39, 41), "moment of the next joint, turned", "n41 n42 n43"),
    (range(41, 44), "moment of the joint", "27 28 29 33 34 35 36 37 38 39 40"),
)
MAKES = {number: makes for numbers, makes, _ in _STEPS for number in numbers}
AFTER = {number: after.split() for numbers, _, after in _STEPS for number in numbers}
OUTWARD, INWARD = range(1, 26), range(26, 44)

# What a link can do without. For the first link, the table has 26 and 27 in place of 27 and 28; but
# 26 is the force on the link, and his schedules keep 126 and omit 127 and 128: components of zero.
FIRST = {*range(1, 10), *range(11, 19), 27, 28}
LAST = {*range(30, 36), 39, 40}
UNIT = "steps"  # of three operations
SLIDING = {1, 2, 4, 5, *range(7, 12)}
INHERITED = range(7, 12)  # products of ω and λ: a sliding link has those of the previous link


def general_arm(kinds):
    """The tasks of an arm with these kinds of joints."""
    numbered = [(link, number) for link in range(1, len(kinds) + 1) for number in MAKES]
    kept = {task_name(*task) for task in numbered if not _is_gone(*task, kinds)}
    return linked(kinds, kept, f"general arm of {len(kinds)} links")


def linked(kinds, kept, name):
    """The `kept` tasks of an arm, with the dependencies of Table 4.1.

    A task that depends on an omitted task depends on the predecessors of that task instead.
    """
    links = range(1, len(kinds) + 1)
    outward = [(link, number) for link in links for number in OUTWARD]
    inward = [(link, number) for link in reversed(links) for number in INWARD]
    edges, labels, groups, stands_for = [], {}, {}, {}
    for link, number in outward + inward:
        task = task_name(link, number)
        before = {first: None for each in _after(link, number, kinds) for first in stands_for[each]}
        if task in kept:
            edges += [(first, task) for first in before]
            labels[task], groups[task] = f"link {link}: {MAKES[number]}", f"link {link}"
        stands_for[link, number] = {task: None} if task in kept else before
    return TaskGraph(dict.fromkeys(labels, 1), edges, name, labels, groups, unit=UNIT)


def task_name(link, number):
    """Link 3, subtask 1: 301."""
    return f"{link}{number:02}"


def _is_gone(link, number, kinds):
    return (
        (link == 1 and number in FIRST)
        or (link == len(kinds) and number in LAST)
        or (kinds[link - 1] == "prismatic" and number in SLIDING)
    )


def _after(link, number, kinds):
    if kinds[link - 1] == "prismatic":
        if link > 1 and number in INHERITED:
            yield link - 1, number
            return
        if number in (18, 19):
            yield link, 3  # the rotation is free there: room for the joint's acceleration
    neighbour = {"p": link - 1, "n": link + 1}
    for text in AFTER[number]:
        there = neighbour.get(text[0], link)
        if 1 <= there <= len(kinds):
            yield there, int(text.lstrip("pn"))

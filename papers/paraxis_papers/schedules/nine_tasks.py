"""Newton-Euler in nine tasks per link: each equation is a task, as Luh and Lin have it.

They are ω, α, a and that of the centre of mass, F and N outward, f, n and τ inward. A task weighs
the flops of its equation on whole rotations that are given; the times of Luh and Lin's processor
are not printed. There are two readings: newton_euler as it is written here, for the joints of the
Stanford arm; and the one of 1980 that meets 150n - 48 and 131n - 48 (counts/luh_walker_paul.py),
for six revolute joints, which also propagates velocities that no torque needs.
"""

from functools import cache

from paraxis import TaskGraph
from paraxis.physics import INVERSE_DYNAMICS

from ..counts import luh_walker_paul
from ..counts.plain_count import Work, general_chain, plain_count
from .printed_schedules import SIX_LINKS, STANFORD

# equation -> its steps in the Ledger, those of the next link with a +; and what it takes of its own
# link, of the link before and of the link after
OUTWARD = {
    "ω": (("omega",), "", "ω", ""),
    "α": (("alpha",), "", "ωα", ""),
    "a": (("acceleration",), "", "ωαa", ""),
    "c": (("com_acceleration",), "ωαa", "", ""),
    "F": (("inertial_force",), "c", "", ""),
    "N": (("inertial_moment",), "ωα", "", ""),
}
INWARD = {
    "f": (("force", "+carried_force"), "F", "", "f"),
    "n": (("moment", "+carried_moment"), "FN", "", "fn"),
    "τ": (("torque",), "fn", "", ""),
}
HERE = OUTWARD | INWARD
# in 1980 frames are at the far ends of links, so a takes ω and α of its own link
OF_1980 = HERE | {"a": (("acceleration",), "ωα", "a", "")}
VELOCITIES = {
    "v": (("velocity",), "ω", "v", ""),
    "u": (("com_velocity",), "ωv", "", ""),
}


@cache
def nine_tasks():
    """Of newton_euler here, for the joints of the Stanford arm."""
    ledger, _ = plain_count(INVERSE_DYNAMICS["newton_euler"], general_chain(list(STANFORD)))
    return _graph("nine tasks per link", ledger.steps(), len(STANFORD), HERE)


@cache
def tasks_of_1980(velocities):
    """Of the reading of 1980, for six revolute joints; with the two tasks of velocities, or not."""
    ledger, _ = luh_walker_paul.count(general_chain(list(SIX_LINKS)))
    equations = OF_1980 | VELOCITIES if velocities else OF_1980
    name = f"{len(equations)} tasks per link, 1980"
    return _graph(name, ledger.steps(), len(SIX_LINKS), equations)


def _graph(name, done, links, equations):
    """The tasks; their groups are the links."""
    weights, edges, groups = {}, [], {}
    for i in range(links):
        for equation, (steps, *needs) in equations.items():
            task = _task(equation, i)
            parts = [done.get((s.lstrip("+"), i + s.startswith("+")), Work()) for s in steps]
            weights[task] = sum(part.mul + part.add for part in parts)
            groups[task] = f"link {i + 1}"
            for there, needed in zip((i, i - 1, i + 1), needs, strict=True):
                if 0 <= there < links:
                    edges += [(_task(each, there), task) for each in needed]
    return TaskGraph(weights, edges, name, groups=groups, unit="flops")


def _task(equation, link):
    return f"{equation}{link + 1}"

"""From the programs that Dhanaraj's appendix D.3 prints to modified_newton_euler, step by step.

dhanaraj_programs.txt has his statements, with what the scan garbles restored (brackets of JF3X to
JF3Z and the name LA3PY for three joints of the PUMA, RZ5 for the Stanford arm), each program
followed by what turns it into one that computes the arm's torques as they are computed here:
statements that take the place of others or are added.
"""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise

from ..document import Row, Table, text_of
from ..printed import printed
from . import statements
from .arms import puma, stanford
from .formulations import count_of
from .plain_count import Work

PAPER = "Dhanaraj 1990"
LEAD = (
    "The statements that the thesis prints for each arm, counted; what they need to compute the "
    "arm's torques, counted in his style; and what is left when they are traced as programs are "
    "here. The rows of an arm add up to the last."
)
CONVENTIONS = (
    "As amended, the statements give the arm's torques to the digits of their constants.",
    "Traced, a value is made once and only if it is needed.",
)
ARMS = {
    "PUMA 560, 3 joints": lambda: puma(3),
    "Stanford arm, 3 joints": lambda: stanford(3),
    "PUMA 560, 6 joints": lambda: puma(6),
    "Stanford arm, 6 joints": lambda: stanford(6),
}
TWICE = "KX2 and KY2 are products in α too"
MISPRINT = "misprint: these statements do not add up to what is printed below them"


@dataclass(frozen=True)
class Step:
    """Something that changes a count."""

    what: str
    work: Work
    why: str


@cache
def programs():
    """arm -> [(what, why, statements)]: as printed first, then amended more and more."""
    text = files(__package__).joinpath("dhanaraj_programs.txt").read_text("utf-8")
    found = {}
    for part in text.split("= ", 1)[1].split("\n= "):
        (arm, *lines), *amendments = (block.splitlines() for block in part.split("\n+ "))
        found[arm] = stages = [("statements", "", statements.parse(filter(None, lines)))]
        for head, *changed in amendments:
            what, why = head.split(": ", 1)
            changed = statements.parse(filter(None, changed))
            stages.append((what, why, stages[-1][2] | changed))
    return found


@cache
def steps(arm):
    """From an arm's printed statements to modified_newton_euler here."""
    stages, robot = programs()[arm], ARMS[arm]()
    found = []
    for (_, _, before), (what, why, after) in pairwise(stages):
        found.append(Step(what, statements.work(after) - statements.work(before), why))
    _, _, last = stages[-1]
    idle = ", ".join(name for name in last if name not in statements.used(last))
    traced = statements.traced_work(last, robot.n) - statements.work(last)
    zero = "".join(f"; {name} is zero" for name in last if statements.is_zero(last[name]))
    why = f"{TWICE}{zero}; not needed: {idle}"
    found.append(Step("made twice or not needed there", traced, why))
    return [*found, *_differences(arm, robot)]


def _differences(arm, robot):
    """What the arm itself makes of the count here."""
    if arm == "PUMA 560, 6 joints":
        off = as_printed(robot)
        why = "at z = −0.019 in the printed program and Table 2.5; at 0 in appendix D.2 and here"
        yield Step("for the mass centre of link 4, elsewhere there", _own(robot) - _own(off), why)
    if arm == "Stanford arm, 6 joints":
        why = "its inertia is taken about its origin here, where it is not diagonal"
        more = _own(robot) - _own(without_product(robot))
        yield Step("for the product of inertia of link 4", more, why)


def as_printed(robot):
    """The PUMA with the mass centre of link 4 where the printed program has it."""
    return with_body(robot, 3, com=(0.0, 0.0, -0.019))


def without_product(robot):
    """The Stanford arm with a link 4 whose inertia is diagonal about its origin."""
    body = robot.inertias[3]
    _, y, z = body.com
    return with_body(robot, 3, about_com=(*body.about_com[:5], body.mass * y * z))


def with_body(robot, link, **changes):
    """A robot one of whose links is another."""
    bodies = list(robot.inertias)
    bodies[link] = replace(bodies[link], **changes)
    return replace(robot, inertias=tuple(bodies), warn=False)


def _own(robot):
    return Work(*count_of(robot, "modified_newton_euler"))


def in_a_line(arm):
    """Why modified_newton_euler does not take what is printed."""
    row, found = _printed_row(arm), steps(arm)
    if row.note:
        missed = Work(*row.measured) - Work(*row.printed)
        found = [Step("not in the printed sum", missed, row.note), *found]
    changes = [f"{text_of(step.work.pair)} {step.what}" for step in found if step.work != Work()]
    return f"{'; '.join(changes)} (next table)"


def _printed_row(arm):
    _, _, first = programs()[arm][0]
    shown, counted = printed("dhanaraj")["table_2_10"][arm]["Dhanaraj"], statements.work(first).pair
    note = "" if counted == shown else MISPRINT
    return Row(PAPER, f"{arm}: printed program", shown, counted, note)


def printed_programs():
    """The table."""
    rows = []
    for arm, robot in ARMS.items():
        rows.append(_printed_row(arm))
        for step in steps(arm):
            rows.append(Row(PAPER, f"{arm}: {step.what}", None, step.work.pair, step.why))
        here = "modified_newton_euler"
        rows.append(Row(PAPER, f"{arm}: {here}, counted", None, _own(robot()).pair, "the sum"))
    title = "Dhanaraj, appendix D.3: from the printed programs to these"
    return Table(title, LEAD, rows, CONVENTIONS)

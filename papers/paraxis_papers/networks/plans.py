"""The p-fold plans of robots: all steps and messages of their inverse dynamics."""

from paraxis import load
from paraxis.parallel import network, p_fold_plan
from paraxis.robots import chain

from ..document import Row, Table, text_of

LEAD = (
    "`px.parallel.p_fold_plan`: inverse dynamics in base coordinates, a block of joints on each "
    "processor. Measured: steps, in which every processor evaluates one equation of one joint or "
    "applies one operator."
)


def plan_table():
    """The PUMA and a longer chain, over p."""
    rows = []
    for robot, processors in ((load("puma560"), range(1, 7)), (chain(32), (1, 2, 4, 8, 16, 32))):
        for p in processors:
            plan = p_fold_plan(robot, p)
            sent = plan.on(network("cascade", p))
            note = (
                f"{text_of(plan.operations)} operations, {text_of(plan.messages)} messages, "
                f"{text_of(int(sent.time))} hop times on a cascade"
            )
            if robot.n <= 6:
                best = p_fold_plan(robot, p, "optimal")
                note += f"; {len(best.steps)} steps and {best.messages} messages in the best order"
            rows.append(Row("Paraxis", f"{robot.n} joints, p = {p}", None, len(plan.steps), note))
    return Table("Plans of inverse dynamics", LEAD, rows)

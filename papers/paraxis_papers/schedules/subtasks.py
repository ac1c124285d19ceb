"""How many subtasks and layers there are."""

from functools import partial

from paraxis.parallel.streamlined.table import general_arm

from ..counts.polynomial import fitted, formula
from ..document import Row, Table
from ..printed import printed
from .arms import PAPER, puma, six_links, stanford, stanford_by_lists, stanford_of_table_4_7
from .levels import fewest_processors
from .printed_schedules import printed_schedules

line = partial(Row, PAPER)


def subtasks():
    """Counts beside those of section 4.3."""
    return Table(
        "Subtasks and layers",
        "The inverse dynamics of a link is cut into 43 subtasks of three operations (Table 4.1). "
        "The first, the last and a sliding link need fewer, and vectors with zeros too.",
        [*_six_links(), *_stanford()],
        (
            "A subtask that does something has at least one operation, of which a torque is made.",
            "The arms are those of the thesis: `puma560_thesis`, and `stanford` with its rotors "
            "folded into the links as there; with rotors of their own they have a subtask more "
            "for each.",
        ),
    )


def _six_links():
    told = {name: each["six links"] for name, each in _told().items()}
    arm = six_links()
    layers = [len(general_arm(("revolute",) * n).layers) for n in range(2, 13)]
    yield line(
        "six links: subtasks",
        told["subtasks"],
        len(arm),
        "43 a link; 19 fewer for the first, 8 for the last. His schedules have 230: 119 turns "
        "gravity into link 1, and is not needed if the first axis is upright",
    )
    yield line(
        "six links: subtasks in Table 4.3",
        told["subtasks"],
        len(printed_schedules()["4.3"].tasks),
        "the 8 of the last link are there, 127 and 128 too, and 119 is not",
    )
    note = f"{formula(fitted(layers, 2))} for 2 to 12 links, as printed"
    yield line("six links: layers", told["layers"], len(arm.layers), note)
    yield line(
        "six links: processors for so many levels",
        told["concurrency"],
        fewest_processors(arm),
        "printed: the longest layer of Table 4.3; measured: what a schedule needs",
    )


def _stanford():
    told = {name: each["Stanford arm"] for name, each in _told().items()}
    table_4_7, arm = stanford_of_table_4_7(), stanford()
    yield line(
        "Stanford arm: subtasks",
        told["subtasks"],
        len(stanford_by_lists()),
        "by the lists of Tables 4.2 and 4.6; the next table tells which differ",
    )
    yield line(
        "Stanford arm: layers",
        told["layers"],
        len(table_4_7.layers),
        "Table 4.7 stacks the layers of the general arm; its tasks need not wait so long at the "
        "sliding link",
    )
    yield line(
        "Stanford arm: processors for so many levels",
        told["concurrency"],
        fewest_processors(table_4_7),
        "printed: the longest layer of Table 4.7",
    )
    note = f"{arm.program.count().flops} operations; doing them gives the torques"
    yield line("Stanford arm: subtasks that do something", told["subtasks"], len(arm), note)
    yield line("Stanford arm: their layers", told["layers"], len(arm.layers), "")
    note = f"{puma().program.count().flops} operations, {len(puma().layers)} layers"
    yield line("PUMA 560: subtasks that do something", None, len(puma()), note)


def _told():
    told = printed("dhanaraj")["streamlining"]
    return {name: told[name] for name in ("subtasks", "layers", "concurrency")}

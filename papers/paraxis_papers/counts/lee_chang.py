"""Lee and Chang's totals: a serial count that they quote, and recursive doubling."""

from ..document import Row, Table
from ..printed import printed
from . import luh_walker_paul
from .formulations import LINKS, plain
from .plain_count import general_chain

PAPER = "Lee and Chang 1988"
PARALLEL = "a time on six processors: measured by `paraxis report networks`"
LEAD = (
    "Multiplications + additions for six revolute links: on one processor, and one after another "
    "on six that solve each recurrence by recursive doubling."
)


def totals():
    """The totals of section 3."""
    serial = luh_walker_paul.count(general_chain(["revolute"] * LINKS))[0].total()
    in_base = plain("base_frame_newton_euler", LINKS)
    log, log1 = "⌈log₂n⌉", "⌈log₂(n+1)⌉"
    rows = [
        _row(
            "serial",
            "serial",
            serial,
            "quoted there; met by a fitted reading (above)",
        ),
        Row(
            PAPER,
            "serial, their own equations in base coordinates",
            None,
            in_base.pair,
            "base_frame_newton_euler here, plain: what recursive doubling starts from",
        ),
        _row("rotations", "doubling: rotations, eq. 15", note=f"27{log} − 19, 18{log} − 14"),
        _row("sums", "doubling: sums, eqs. 18 to 30", note=f"6{log} + 9{log1} additions"),
        _row("other_equations", "doubling: all other equations", note="the same for any n"),
        _row(
            "recursive_doubling", "doubling: total", note=f"27{log} + 116, 24{log} + 9{log1} + 84"
        ),
    ]
    return Table("Lee and Chang: totals", LEAD, rows)


def _row(key, quantity, measured=None, note=""):
    shown = printed("lee_chang")[key]
    if measured is None:
        return Row(PAPER, quantity, shown, None, f"{PARALLEL}; {note}")
    return Row(PAPER, quantity, shown, measured.pair, note)

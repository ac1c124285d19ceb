"""Dhanaraj's Fig. 2.9: the flops of a PUMA 560's inverse dynamics by several authors, as bars."""

from paraxis.cli.demo_plots import operations
from paraxis.drawing.page import plot

from ..document import Diagram
from ..printed import printed
from .dhanaraj_programs import ARMS
from .formulations import count_of

ARM = "PUMA 560, 6 joints"
WIDTH = 60  # characters of the longest bar
LEAD = (
    "Multiplications and additions together, as printed, and those of the Program that is chosen "
    "here."
)


def figure_2_9():
    """The picture, and the same as text."""
    flops = {author: sum(pair) for author, pair in printed("dhanaraj")["table_2_10"][ARM].items()}
    flops = dict(sorted(flops.items(), key=lambda item: -item[1])) | {"here": sum(_here())}
    groups = [
        (author, [("c1", "here", count)] if author == "here" else [("c3", "printed", count)])
        for author, count in flops.items()
    ]
    return Diagram("Dhanaraj, Fig. 2.9", LEAD, plot(operations, groups), "", _text(flops))


def _here():
    return count_of(ARMS[ARM]())


def _text(flops):
    longest, name = max(flops.values()), max(map(len, flops))
    return "\n".join(
        f"{author:<{name}}  {'█' * round(WIDTH * count / longest)} {count}"
        for author, count in flops.items()
    )

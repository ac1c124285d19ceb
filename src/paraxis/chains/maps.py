"""Maps over the links of a chain, whose arrays are in columns."""

from ..body import Body
from ..drivers.columns import Columns
from ..drivers.scan import ROOM
from ..drivers.sweep import COLUMN
from ..graph.trace import trace


def link_columns(chain, on):
    """The numbers of all links, and after the last those of a link that is not there."""
    links = Columns({"link": chain.link.shape[1]}, chain.n + 1, ROOM, arrays=on.arrays)
    links["link"][:, : chain.n] = on.arrays.asarray(chain.link.T)
    links["link"][:, chain.n :] = on.arrays.asarray(chain.nothing[:, None])
    return links


def mapped(name, function, inputs, on, wide=True):
    """A body whose arrays are all in columns, compiled for where it is to run."""
    return on.sweep(Body(trace, function, inputs, name), wide=wide, default=COLUMN)


def bound(sweep, count, arrays):
    """A job over so many elements; `arrays` are (columns, part, first element) by name."""
    places = {}
    for name, (columns, part, first) in arrays.items():
        (places[name],) = columns.places(first=first, lanes=sweep.lanes, only=(part,)).values()
    return sweep.bind(1, -(-count // sweep.lanes), **places)


def parts(columns, first=0):
    """All parts of columns, as arrays of `bound`."""
    return {part: (columns, part, first) for part in columns.parts}

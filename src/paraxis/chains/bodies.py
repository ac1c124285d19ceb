"""The bodies of the sweeps along a chain, compiled. They depend on no robot: links are inputs."""

from functools import partial

from ..body import Body
from ..drivers.sweep import TILE
from ..graph.trace import trace
from ..targets.target import CPU
from .recursions import articulated_rows, newton_euler_rows, row_junctions
from .recursions.link import MIXED, NUMBERS

MOTION = {"q": (), "qd": ()}
ARTICULATED = {"inertia": (21,), "bias": (6,)}
MOVED = MOTION | {"qdd": ()}
ENDS = {"Φ": (6, 6), "Θ": (21,), "b": (6,)}

# name -> (function of one link, its inputs besides the link)
ALONG = {
    "spin": (articulated_rows.spin, MOTION | {"W": (3, 3), "ω": (3,)}),
    "spin_free": (articulated_rows.spin, MOTION | {"ω": (3,)}),
    "inward": (
        articulated_rows.inward,
        MOTION | {"tau": (), "angle": (2,), "ω": (3,)} | ARTICULATED | ENDS,
    ),
    "inward_free": (
        articulated_rows.inward,
        MOTION | {"tau": (), "angle": (2,), "ω": (3,)} | ARTICULATED,
    ),
    "outward": (
        articulated_rows.outward,
        MOTION | {"angle": (2,), "kept": (14,), "ω": (3,), "a": (6,), "force": (6,)},
    ),
    "outward_free": (
        articulated_rows.outward,
        MOTION | {"angle": (2,), "kept": (8,), "ω": (3,), "a": (6,)},
    ),
}

ALONG |= {
    "reach": (
        newton_euler_rows.reach,
        MOVED | {"W": (3, 3), "r": (3,), "ω": (3,), "v": (3,), "a": (6,)},
    ),
    "motion": (
        newton_euler_rows.motion,
        MOVED | {"angle": (2,), "ω": (3,), "a": (6,), "W": (3, 3), "r": (3,), "sum_": (6,)},
    ),
    "motion_free": (newton_euler_rows.motion, MOVED | {"ω": (3,), "a": (6,)}),
    "torque": (
        newton_euler_rows.torque,
        {"q": (), "qdd": (), "angle": (2,), "load": (6,), "carried": (6,)},
    ),
}

# name -> (function of one row, its inputs)
ACROSS = {
    "join_spins": (row_junctions.join_spins, {"W": (3, 3), "ω": (3,), "spin": (3,)}),
    "join_inward": (
        row_junctions.join_inward,
        ARTICULATED | ENDS | {"beyond_inertia": (21,), "beyond_bias": (6,)},
    ),
    "join_outward": (
        row_junctions.join_outward,
        ENDS | {"G": (21,), "g": (6,), "a": (6,)},
    ),
    "join_motions": (
        newton_euler_rows.join_motions,
        {"W": (3, 3), "r": (3,), "ω": (3,), "v": (3,), "a": (6,), "rate": (3,), "rise": (6,)},
    ),
    "join_loads": (
        newton_euler_rows.join_loads,
        {"W": (3, 3), "r": (3,), "sum_": (6,), "beyond": (6,)},
    ),
}


def along(name, kinds, wide, layouts=(), on=CPU, default=TILE):
    """A sweep over links. `layouts`: pairs of an array and its layout, else `default`."""
    function, inputs = ALONG[name]
    inputs = {"link": (NUMBERS + (kinds == MIXED),)} | inputs
    body = Body(trace, partial(function, kinds=kinds), inputs, name)
    return on.sweep(body, dict(layouts), wide=wide, default=default)


def across(name):
    """A sweep from row to row."""
    return CPU.sweep(Body(trace, *ACROSS[name], name), wide=False)

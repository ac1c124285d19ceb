"""What became of the thesis's claims about friction, by the functions behind the tables."""

import numpy as np

from ..document import CONFIRMED, NOT_REPRODUCED, REFUTED, Verdict, judged
from ..printed import printed
from ..schedules.levels import shortest
from .counts import JOURNAL, PAPER, written
from .curve import curve
from .levels import LOSSES, PROCESSORS, puma_tasks
from .profiles import torques
from .table_3_5 import LINKS, LONGEST, friction_in_bearing, told

SIGNIFICANT = 0.1  # of the torque of the motion
MUCH_SMALLER = 0.2  # of the other, the greatest of both
MARGINAL = 0.1  # more flops, subtasks or levels
ROUNDING = 5e-5  # N m, of the printed torques


def verdicts():
    return [claim() for claim in CLAIMS]


def significant():
    _, found, _ = torques()
    lost = abs(found.joint_friction + found.transmission_friction).max(0) / abs(found.dynamic).max(
        0
    )
    shown = ", ".join(f"{share:.0%} (link {link})" for link, share in zip(LINKS, lost, strict=True))
    return Verdict(
        PAPER,
        "friction is significant in robotic mechanisms",
        judged(share > SIGNIFICANT for share in lost),
        f"greatest friction over greatest torque of the motion along the assumed line: {shown}; "
        f"significant means more than {SIGNIFICANT:.0%}",
    )


def bearings_are_small():
    _, found, _ = torques()
    below = abs(found.joint_friction) <= abs(found.transmission_friction)
    share = abs(found.joint_friction).max() / abs(found.transmission_friction).max()
    return Verdict(
        PAPER,
        "joint friction is much smaller than that of transmissions, at all times",
        judged([below.all(), share <= MUCH_SMALLER]),
        f"smaller in {below.mean():.0%} of the samples along the assumed line; its greatest is "
        f"{share:.1%} of theirs. Much smaller means at most {MUCH_SMALLER:.0%}",
    )


def table_3_5():
    shown, met = [], []
    for i, link in enumerate(LINKS):
        least = abs(friction_in_bearing(i, LONGEST))
        met.append(least <= abs(told()["joint_friction"][i]) + ROUNDING)
        shown.append(f"{least:.3f} against {abs(told()['joint_friction'][i]):.3f} (link {link})")
    return Verdict(
        PAPER,
        "the joint friction of Table 3.5 is that of the printed bearings",
        judged(met),
        f"the least that a bearing of any length has under the weight it bears, in N m, against "
        f"the printed: {', '.join(shown)}",
    )


def torque_profiles():
    return Verdict(
        PAPER,
        "the torque profiles of Figs. 3.11 to 3.13",
        NOT_REPRODUCED,
        "velocity profile, bearing lengths and efficiency curve are not printed; ours are along "
        "an assumed profile through the instant of Table 3.5",
    )


def braking():
    """Eq. 3.7 against Table 3.5: the joint whose torque opposes its motion."""
    case = told()
    own = [
        (dynamic, friction, total)
        for dynamic, friction, total in zip(
            case["dynamic"], case["joint_friction"], case["at_joint"], strict=True
        )
        if dynamic * friction < 0
    ]
    return Verdict(
        PAPER,
        "where the torque brakes, joint friction is subtracted (eq. 3.7)",
        judged(abs(total - (dynamic - friction)) < ROUNDING for dynamic, friction, total in own),
        "; ".join(
            f"Table 3.5 has {total} N m, the sum of {dynamic} and {friction}, not the difference"
            for dynamic, friction, total in own
        ),
    )


def efficiency_rises():
    loads, efficiencies = zip(*curve(), strict=True)
    return Verdict(
        PAPER,
        "the efficiencies behind Table 3.5 rise with the load, as Fig. 3.4 says they do",
        judged(step > 0 for step in np.diff(efficiencies)),
        ", ".join(f"{e:.2f} at {x:.1%}" for x, e in zip(loads, efficiencies, strict=True))
        + " of the greatest torque, by the printed torques of three links",
    )


def twenty_four_flops():
    case = printed("dhanaraj")["table_3_3"]["revolute"]
    bearing, gears = written(JOURNAL), case["transmission"]["linear"]
    found, shown = sum(bearing) + sum(gears), sum(case["joint"]) + sum(gears)
    return Verdict(
        PAPER,
        f"friction adds {shown} flops to a revolute joint",
        CONFIRMED if found == shown else REFUTED,
        f"{found} by the printed equations: the journal bearing takes {sum(bearing)}, not "
        f"{sum(case['joint'])}, and two square roots that are not counted",
    )


def marginal_load():
    case = printed("dhanaraj")["table_3_3"]["revolute"]
    plain = sum(case["frictionless"])
    flops = sum(case["total"]["linear"]) / plain - 1
    bare = puma_tasks(None)
    lossy = {what: puma_tasks(what) for what in LOSSES}
    tasks = {what: len(each) / len(bare) - 1 for what, each in lossy.items()}
    levels = {
        what: [shortest(each, p).makespan / shortest(bare, p).makespan - 1 for p in PROCESSORS]
        for what, each in lossy.items()
    }
    shown = "; ".join(
        f"{what}: {tasks[what]:.0%} more subtasks, {min(levels[what]):.0%} to "
        f"{max(levels[what]):.0%} more levels"
        for what in LOSSES
    )
    every = [flops, *tasks.values(), *(share for each in levels.values() for share in each)]
    return Verdict(
        PAPER,
        "friction increases the computational load only marginally",
        judged(share <= MARGINAL for share in every),
        f"{flops:.0%} more flops of a general link as printed; of the customised PUMA, {shown}. "
        f"Marginally means up to {MARGINAL:.0%}",
    )


CLAIMS = (
    significant,
    bearings_are_small,
    table_3_5,
    torque_profiles,
    braking,
    efficiency_rises,
    twenty_four_flops,
    marginal_load,
)

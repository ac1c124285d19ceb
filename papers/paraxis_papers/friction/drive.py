"""Dhanaraj's Figs. 3.4 and 3.5: a harmonic drive's efficiency, and its input over its output.

His curve is not printed as numbers. Ours goes through the three points that Table 3.5 implies.
"""

from dataclasses import replace

from paraxis.cli.transmission_figure import input_over_output
from paraxis.drawing.figure import Figure
from paraxis.physics.friction.efficiency import efficiency

from .arm import arm
from .curve import curve
from .table_3_5 import LINKS, bearing_length, told

LINK = 1  # the one that is loaded most
SAMPLES = 50


def drive():
    """The transmission of the second link."""
    lossy = arm(told()["offset"]["dynamics"], curve(), bearing_length())
    return lossy.joints[LINK].transmission


def figure_3_4():
    """Efficiency over load."""
    loads = [load for load, _ in curve()]
    most = 1.2 * loads[-1]
    sampled = [most * k / SAMPLES for k in range(SAMPLES + 1)]

    def through(interpolation):
        between = replace(drive(), interpolation=interpolation)
        return [(load, float(efficiency(between, load * between.rated))) for load in sampled]

    return Figure(
        "Fig. 3.4: efficiency of a harmonic drive",
        "Through the points that the printed torques of three links imply; below and above them "
        "the first and the last hold. The thesis draws such a curve and prints no numbers of it.",
        "load, as a share of the greatest torque",
        "efficiency",
        {
            "from Table 3.5": list(curve()),
            "lines between": through("linear"),
            "monotone cubics between": through("cubic"),
        },
        dashed=("lines between", "monotone cubics between"),
    )


def figure_3_5():
    """Input over output of the second link's drive, as far as the points of its curve go."""
    lead = (
        f"Link {LINKS[LINK]}: forward is curve I of the thesis, backward curve II. More than the "
        "output where the motor drives, less where the load drives it, by the four cases of "
        "Table 3.2."
    )
    largest = curve()[-1][0] * drive().rated
    title = "Fig. 3.5: input over output of a harmonic drive"
    return input_over_output(drive(), title=title, lead=lead, largest=largest)

"""Joint angles of 24-bit circuits against float64, by the distance from singularities."""

import math

from paraxis.kinematics.puma_solutions import WRISTS

from ..document import Row, Table, text_of
from .circuits import HERE, accuracy, circuit, workspace

ASKED = 2e-5  # radians
FAR = 1 / 6  # from singularities: far enough for what is asked
MARGINS = (0, 2.0**-7, 2.0**-6, 2.0**-5, 2.0**-4, 2.0**-3, FAR, 2.0**-2)
CONVENTIONS = (
    "Margin: the least of three numbers that are 0 at a singularity. Shoulder: how far the wrist's "
    "centre is from beside axis 1, over the length of the arm. Elbow: the sine of its angle. "
    "Wrist: |sin θ5|.",
    "Rounding alone: the same equations in float64, given the pose as words hold it. No circuit "
    "with words of that length does better.",
    "Joints stand anywhere in a turn, with equal chances, and their pose is what a circuit gets; "
    "the right angles are those of `px.kinematics.inverse_kinematics_solutions`.",
)


def joint_errors_table():
    """By margin, by joint, and by which of the eight solutions."""
    rows = [*(_margin_row(margin) for margin in MARGINS), *_joint_rows(), *_solution_rows()]
    rows.append(_limit_row())
    lead = (
        f"The largest error of a joint angle in radians, {circuit(*WRISTS[0]).word} bits, "
        f"{text_of(len(workspace().pose))} random poses over the whole workspace; arm, "
        "elbow and wrist 1 unless stated otherwise. Near a singularity a small change of the "
        "pose asks for a large one of the joints; where two are near, their effects multiply."
    )
    return Table("Joint angles against float64", lead, rows, CONVENTIONS)


def _margin_row(margin):
    found = accuracy(*WRISTS[0])
    note = (
        f"{found.share(margin):.1%} of all solutions; rounding alone "
        f"{brief(found.worst_rounding(margin))}, half of all errors below "
        f"{brief(found.median(margin))}"
    )
    what = f"margin over {fraction(margin)}" if margin else "all that are valid"
    return Row(HERE, what, None, rounded(found.worst(margin)), note)


def _joint_rows():
    found = accuracy(*WRISTS[0])
    far = found.valid & (found.margin > FAR)
    for joint in range(6):
        alone = brief(found.rounding[far, joint].max())
        worst = rounded(found.error[far, joint].max())
        yield Row(
            HERE,
            f"θ{joint + 1}, margin over {fraction(FAR)}",
            None,
            worst,
            f"rounding alone {alone}",
        )


def _solution_rows():
    for signs in WRISTS[1:]:
        found = accuracy(*signs)
        note = f"{found.share(FAR):.1%} of all solutions; {_size(signs)}"
        what = f"{_signs(signs)}, margin over {fraction(FAR)}"
        yield Row(HERE, what, None, rounded(found.worst(FAR)), note)


def _limit_row():
    most = max(_margin_of_errors_over(ASKED, accuracy(*signs)) for signs in WRISTS)
    beyond = max(accuracy(*signs).worst(FAR) for signs in WRISTS)
    return Row(
        HERE,
        f"the largest margin with an error over {brief(ASKED)}",
        None,
        rounded(most),
        f"of all eight solutions; beyond {fraction(FAR)} no error is over {brief(beyond)}",
    )


def _margin_of_errors_over(limit, found):
    large = (found.error > limit).any(-1)
    return found.margin[large].max(initial=0.0)


def _size(signs):
    line = circuit(*signs).pipeline
    return f"{line.processors} tasks, {line.stages} stages, {line.buffers} buffer stages"


def _signs(signs):
    return "arm {:+d}, elbow {:+d}, wrist {:+d}".format(*signs).replace("-", "−")


def fraction(margin):
    """As text."""
    return f"1/{1 / margin:.0f}"


def rounded(value):
    """With two digits, which is what the largest of random errors is good for."""
    return float(f"{value:.1e}") if math.isfinite(value) else None


def brief(value):
    """Such a number as text."""
    return text_of(rounded(value))

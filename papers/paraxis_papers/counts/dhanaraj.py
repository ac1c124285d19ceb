"""Dhanaraj's Table 2.9, step by step on his terms, and Table 2.10, customised arms."""

from paraxis.physics import INVERSE_DYNAMICS
from paraxis.robots.model import BodyInertia
from paraxis.spatial import Matrix, Rotation, Symmetric, Vector, cross

from ..document import Row, Table, text_of
from ..printed import printed
from .dhanaraj_programs import ARMS, as_printed, in_a_line
from .formulations import count_of
from .plain_count import Ledger, Work, general_chain, plain_count

PAPER = "Dhanaraj 1990"
LINK = 2  # the one that is looked at: there are links before and after it

# -- Table 2.9 -------------------------------------------------------------------------------------

COMMON = (
    "The link is between links on revolute joints. R is a given whole matrix (9 + 6 to turn a "
    "vector), z = (0, 0, 1) is known, 2q̇ is free."
)
CONVENTIONS = {
    "modified": "Inertias are diagonal, and differences such as Izz − Iyy are constants.",
    "conventional": "Inertias are full, and the Coriolis term takes z q̇ as any vector.",
    "prismatic": (
        "R of the prismatic joint is made of 0 and ±1 in the rows of ω, α and λ, so that turning "
        "is free, and whole in the row of a: the printed rows are only met so."
    ),
}
AS_PRINTED = {
    "a_c, F": "two rows of the table: m a + λ(m s) here, m(a + λ s) there",
    "R f": "R f of the next link",
}
NOTES = {
    ("revolute", "modified"): {
        "n": "misprint: the 6 additions of turning the next link's n are left out (15 is also the "
        "sliding joint's number)",
        "total": "row n; without the 6 additions of R n it is the printed 92 + 76 (next row)",
    },
    ("revolute", "conventional"): {
        "α": "turns ω again and multiplies by the zeros of z; newton_euler here takes 11 + 9",
        "n": "24 would sum the arm p + s anew, as Lee and Chang's eq. 29; his equation does not",
        "total": "misprint: the printed rows add up to 113, of which row n has 3 too many",
    },
    ("prismatic", "modified"): {
        "λ": "turned over from the link before; modified_newton_euler here makes it anew, 6 + 9",
        "n": "R n of the next link (9 + 6) is left out there, while R f is counted",
        "total": "row n; without R n it is the printed 59 + 54 (next row)",
    },
    ("prismatic", "conventional"): {
        "a": "two additions short: a cross product and a vector sum are 6 + 6, z q̈ is one more",
        "n": "24 would sum the arm p + s anew, as Lee and Chang's eq. 29; his equation does not",
        "total": "rows a and n: two too few, three too many",
    },
}


def table_2_9():
    """The four columns of the table, each as a table."""
    return [
        _column("revolute", "modified", _modified("revolute")),
        _column("revolute", "conventional", _conventional("revolute")),
        _column("prismatic", "modified", _modified("prismatic")),
        _column("prismatic", "conventional", _conventional("prismatic")),
    ]


def _column(kind, method, counted):
    shown, notes = printed("dhanaraj")["table_2_9"][kind][method], NOTES[kind, method]
    turning = counted.pop("R n")
    total = sum(counted.values(), Work())
    counted["n"] += turning
    counted["total"] = total + turning
    rows = []
    for label, work in counted.items():
        parts = [shown[part] for part in label.split(", ")]
        note = notes.get(label) or AS_PRINTED.get(label, "")
        rows.append(Row(PAPER, f"{kind}, {method}: {label}", _sum(parts), work.pair, note))
    if method == "modified":
        omitted = Work(0, turning.add) if kind == "revolute" else turning
        less = (counted["total"] - omitted).pair
        what = f"{kind}, {method}: total without what row n leaves out"
        rows.append(Row(PAPER, what, shown["total"], less, "met"))
    title = f"Dhanaraj, Table 2.9: {kind} joint, {method}"
    lead = f"Multiplications + additions per link, {method} Newton-Euler, step by step."
    said = [CONVENTIONS[each] for each in (method, kind) if each in CONVENTIONS]
    return Table(title, lead, rows, (COMMON, *said))


def _sum(pairs):
    return [sum(numbers) for numbers in zip(*pairs, strict=True)]


def _modified(kind):
    """Rows of modified_newton_euler; R n apart from the rest of n."""
    bodies = [
        BodyInertia.about_frame(1.5, Vector(0.1, 0.2, 0.3), Symmetric(1.1, 1.2, 1.4, 0.0, 0.0, 0.0))
    ] * 5
    whole, free = _runs("modified_newton_euler", kind, bodies)
    return {
        "ω": free["omega"],
        "α": free["alpha"],
        "λ": whole["lambda"] if kind == "revolute" else _inherited(),
        "a": whole["acceleration"],
        "a_c, F": whole["inertial_force"],
        "N": whole["inertial_moment"],
        "f": whole["force"],
        "R f": whole["carried_force"],
        "n": whole["moment"],
        "R n": whole["carried_moment"],
    }


def _conventional(kind):
    """Rows of newton_euler, with Coriolis terms as printed."""
    whole, free = _runs("newton_euler", kind)
    revolute = kind == "revolute"
    return {
        "ω": free["omega"],
        "α": _printed_alpha() if revolute else free["alpha"],
        "a": whole["acceleration"] if revolute else _printed_sliding_acceleration(),
        "a_c": whole["com_acceleration"],
        "F": whole["inertial_force"],
        "N": whole["inertial_moment"],
        "f": whole["force"] + whole["carried_force"],
        "n": whole["moment"],
        "R n": whole["carried_moment"],
    }


def _runs(algorithm, kind, bodies=None):
    """step -> Work of the link, with its R whole and, if it slides, parallel to the one before."""
    kinds = ["revolute"] * 5
    kinds[LINK] = kind
    for aligned in ((), (LINK,) if kind == "prismatic" else ()):
        chain = general_chain(kinds, aligned)
        ledger, _ = plain_count(INVERSE_DYNAMICS[algorithm], chain, bodies)
        done = ledger.steps()
        steps = {name: work for (name, link), work in done.items() if link == LINK}
        for name in ("carried_force", "carried_moment"):  # what the next link hands over
            steps[name] = done[name, LINK + 1]
        yield steps


class _Given:
    """Vectors of run time for counting a printed expression."""

    def __init__(self):
        self.ledger = Ledger()

    def vector(self):
        return Vector(*(self.ledger.number(1) for _ in range(3)))

    def along_z(self):
        return Vector(0.0, 0.0, self.ledger.number(1))

    def rotation(self):
        return Rotation(*(self.vector() for _ in range(3)))

    def count(self, result):
        self.ledger.close(("result", None), result.scalars())
        return self.ledger.total()


def _printed_alpha():
    """Table 2.3, step 2: ω is turned once more, and z q̇ is a vector like any other."""
    given = _Given()
    back, ω, α = given.rotation(), given.vector(), given.vector()
    return given.count(back @ α + given.along_z() + cross(back @ ω, given.vector()))


def _printed_sliding_acceleration():
    """Table 2.3, step 3, of a sliding joint, where Rᵀω is at hand as this link's ω."""
    given = _Given()
    back, ω, α, a, p = given.rotation(), *(given.vector() for _ in range(4))
    turned, spin = given.vector(), given.vector()
    moved = back @ (a + cross(α, p) + cross(ω, cross(ω, p)))
    return given.count(moved + given.along_z() + cross(turned, spin + spin))


def _inherited():
    """Table 2.4: Rᵀ λ R, where R is a right angle."""
    given = _Given()
    λ = Matrix(*(given.vector() for _ in range(3)))
    right_angle = Rotation((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    return given.count(right_angle.T.tensor(λ))


# -- Table 2.10 ------------------------------------------------------------------------------------

CUSTOMISED_LEAD = (
    "Multiplications + additions of inverse dynamics once the robot is known. Measured is the "
    "Program that is chosen, the cheapest over algorithms and over equivalent body frames and "
    "masses; under modified_newton_euler, the algorithm of the thesis in its own frames."
)
CUSTOMISED_CONVENTIONS = (
    "The arms are those of the thesis's generator: rotor inertia folded into Izz, gravity 9.8, "
    "joint 3 of the Stanford arm without its motor, its wrist on link 3 when only three joints "
    "are kept. Rows 3 and 4 of the Stanford arm's table are corrected.",
    "The other authors' masses and inertias are not printed and need not be these.",
    "Sines and cosines of the joint angles are given, as in the papers.",
)
AUTHORS = {  # of the table's columns -> their papers
    "Dhanaraj": PAPER,
    "Murray and Neuman": "Murray and Neuman 1988",
    "Toogood": "Toogood 1989",
    "Khalil": "Khalil, Kleinfinger and Gautier 1986",
    "Burdick": "Burdick 1986",
    "Balafoutis": "Balafoutis 1988",
}
BETTER = "better simplification (regrouped masses, other frames, shared values)"


def table_2_10():
    """Four arms, customised."""
    rows = []
    for arm, authors in printed("dhanaraj")["table_2_10"].items():
        robot = ARMS[arm]()
        own, chosen = count_of(robot, "modified_newton_euler"), count_of(robot)
        shown = authors["Dhanaraj"]
        rows.append(Row(PAPER, f"{arm}: modified_newton_euler", shown, own, in_a_line(arm)))
        for author, published in authors.items():
            note = _versus(chosen, published)
            rows.append(Row(AUTHORS[author], f"{arm}: {author}", published, chosen, note))
    title = "Dhanaraj, Table 2.10: customised arms"
    off = count_of(as_printed(ARMS["PUMA 560, 6 joints"]()))
    which = (
        "Link 4 of the PUMA has its mass centre on its joint, as in appendix D.2; in the program "
        f"counted there it is at z = −0.019, with which the one chosen here takes {text_of(off)}."
    )
    of_arm = (
        "The text of the thesis says that Murray and Neuman's procedure takes about "
        f"{printed('dhanaraj')['arm']['more_percent']}% more for the PUMA with 6 joints; by its "
        f"own table that is {more_than_his():.0%}."
    )
    return Table(title, CUSTOMISED_LEAD, rows, (*CUSTOMISED_CONVENTIONS, which, of_arm))


def more_than_his():
    """How much more Murray and Neuman's printed count for the whole PUMA is than his, relative."""
    authors = printed("dhanaraj")["table_2_10"]["PUMA 560, 6 joints"]
    return sum(authors["Murray and Neuman"]) / sum(authors["Dhanaraj"]) - 1


def _versus(chosen, published):
    fewer = sum(published) - sum(chosen)
    if fewer >= 0:
        return f"{fewer} fewer: {BETTER}"
    return f"{-fewer} more: neither their arm's numbers nor their equations are printed"

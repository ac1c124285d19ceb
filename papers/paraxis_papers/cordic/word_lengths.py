"""Joint angles against the length of words and the number of iterations."""

from functools import cache

from paraxis.drawing.figure import Figure

from ..document import Row, Table
from ..printed import printed
from .circuits import HERE, PAPER, circuit, workspace
from .joint_errors import ASKED, FAR, brief, rounded

POSES = 20_000
WORDS = tuple(range(12, 33))
ITERATIONS = tuple(range(8, 33))
NEAR = 2.0**-6  # with 12 bits nothing smaller is distinguished from 0


@cache
def errors_with(word, iterations=None):
    made = circuit(word=word, iterations=iterations, near=NEAR)
    return workspace(POSES).accuracy(made)


def word_length_figure():
    """Errors over the length of words."""
    found = {word: errors_with(word) for word in WORDS}
    return Figure(
        "Error against word length",
        f"As many iterations as bits, {POSES:,} poses, margin over 1/{1 / FAR:.0f}. Each bit "
        "halves the error; dashed what rounding the pose alone costs.",
        "bits",
        "radians",
        {
            "largest": [(word, rounded(each.worst(FAR))) for word, each in found.items()],
            "half of all are below": [
                (word, rounded(each.median(FAR))) for word, each in found.items()
            ],
            "largest, rounding alone": [
                (word, rounded(each.worst_rounding(FAR))) for word, each in found.items()
            ],
        },
        dashed=("largest, rounding alone",),
        log="y",
    )


def iterations_figure():
    """Errors over the number of iterations, with words as long as the paper's."""
    word = printed("lee_chang")["cordic"]["iterations"]
    found = {count: errors_with(word, count) for count in ITERATIONS}
    return Figure(
        "Error against iterations",
        f"Words of {word} bits, the same poses.",
        "iterations",
        "radians",
        {
            "largest": [(count, rounded(each.worst(FAR))) for count, each in found.items()],
            "half of all are below": [
                (count, rounded(each.median(FAR))) for count, each in found.items()
            ],
        },
        log="y",
    )


def word_length_table():
    """What the two figures say of what is printed, and of what is asked."""
    found = printed("lee_chang")["cordic"]
    word, least = found["iterations"], found["least_iterations"]
    floor = errors_with(word).median(FAR)
    settled = next(
        count for count in ITERATIONS if errors_with(word, count).median(FAR) < 1.25 * floor
    )
    enough = next(word for word in WORDS if errors_with(word).worst(FAR) < ASKED)
    rows = [
        Row(
            PAPER,
            f"iterations that are used for {word} bits",
            word,
            settled,
            "measured: from here on half of all errors are within a quarter of what they are "
            f"with {word}, {brief(floor)} rad",
        ),
        Row(
            PAPER,
            f"the least iterations for {word} bits",
            least,
            next(count for count in ITERATIONS if errors_with(word, count).worst(FAR) < ASKED),
            f"measured: for errors within {brief(ASKED)}; with {least} they are up to "
            f"{brief(errors_with(word, least).worst(FAR))}, so {least} are enough for words of "
            f"about {least} bits, not of {word}",
        ),
        Row(
            HERE,
            f"bits for errors within {brief(ASKED)}",
            None,
            enough,
            f"with {enough - 1} up to {brief(errors_with(enough - 1).worst(FAR))}",
        ),
    ]
    lead = "How long words and rows of iterations must be."
    return Table("Word length and iterations", lead, rows)

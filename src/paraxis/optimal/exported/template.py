"""Hand-written C with placeholders, and lines that only some solvers have."""

from importlib.resources import files
from string import Template

IF, END = "//if ", "//end"


def filled(name, features, words):
    """The text of a file of this folder: `$word` and `${word}` become the words.

    Lines between `//if feature` and `//end` stay if the feature is among `features`, those
    between `//if not feature` and `//end` if it is not.
    """
    kept, conditions = [], []
    for line in files(__package__).joinpath(name).read_text("utf-8").splitlines():
        mark = line.strip()
        if mark.startswith(IF):
            *negated, feature = mark.removeprefix(IF).split()
            conditions.append((feature in features) != bool(negated))
        elif mark == END:
            conditions.pop()
        elif all(conditions):
            kept.append(line)
    return Template("\n".join(kept) + "\n").substitute(words)

"""What is asked of names and numbers that callers give, and how errors quote them.

Names of robots, joints and frames may come from anyone's file: errors quote them, cut to a length.
"""

from numbers import Integral

from .errors import ArgumentError

LOOKED_AT = 1_000  # names at most; a chain may have a million joints


def one_of(value, known, what, error=ArgumentError):
    """`value`, when it is one of the names in `known`; otherwise an error that lists them."""
    if isinstance(value, str) and value in known:
        return value
    raise error(
        f"{what}: expected one of {listing([*known], most=100)}, "
        f"found {quoted(value)}{did_you_mean(value, known)}"
    )


def did_you_mean(name, known):
    """The end of an error about a name that does not exist: the one most like it, if any."""
    if not isinstance(name, str) or len(name) > 100:
        return ""
    import difflib  # here: only errors need it

    by_lower = {each.lower(): each for each in [*known][:LOOKED_AT] if isinstance(each, str)}
    likeness = 0.6 if len(name) < 5 else 0.7
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=likeness)
    return f"; did you mean {quoted(by_lower[near[0]])}?" if near else ""


def shown(text, most=60):
    """`text` on one line of at most `most` characters, everything unprintable as an escape.

    Names may come from anyone's file. What is left may still mean something to rich or HTML:
    pass it on as Text, or escaped.
    """
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text)[: most + 1]
    )
    return line if len(line) <= most else line[: most - 1] + "…"


def quoted(text, most=80):
    """`text`, which may come from anyone's file, on one line of about `most` characters."""
    shown = repr(text[: most + 1] if isinstance(text, str | bytes) else text)
    return shown if len(shown) <= most + 2 else f"{shown[:most]}...{shown[0]}"


def listing(names, most=12):
    """The first names, quoted, and how many more there are."""
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def whole_number(name, value, least=1):
    """`value` as an int; an error unless it is an integer, and not too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ArgumentError(f"{name}: expected a whole number >= {least}, found {value!r}")
    return int(value)


def is_hashable(value):
    """Whether it can be a key: a tuple can only if all that is in it can."""
    try:
        hash(value)
    except TypeError:
        return False
    return True

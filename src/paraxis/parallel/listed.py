"""Many things named in one sentence."""

MOST_NAMED = 8


def listed(things):
    """The first few of them by name, and how many more there are."""
    named = ", ".join(map(str, things[:MOST_NAMED]))
    more = len(things) - MOST_NAMED
    return named if more <= 0 else f"{named} and {more} more"

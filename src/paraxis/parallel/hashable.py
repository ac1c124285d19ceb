"""Whether something can be told apart from others by its name."""


def is_hashable(value):
    """Also for a tuple, which can be hashed only if all in it can be."""
    try:
        hash(value)
    except TypeError:
        return False
    return True

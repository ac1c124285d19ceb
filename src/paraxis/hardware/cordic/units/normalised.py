"""Leading zeros shifted away."""


def normalised(ops, value, bits):
    """A number in [0, 2^bits) shifted left until its first bit is set, and how far.

    Half of all places at once where they are empty, then half of the rest, and so on.
    """
    far, step = 0, 1 << max(bits - 1, 1).bit_length() - 1
    while step:
        empty = value >> max(bits - step, 0) == 0
        value = ops.fit(ops.where(empty, value << step, value), bits + 1)
        far, step = far | ops.where(empty, step, 0), step >> 1
    return value, far

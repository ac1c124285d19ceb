"""A small operator to scan with: linear filters, one after the other."""


def then(left_a, left_b, right_a, right_b):
    return {
        "a": right_a * left_a,
        "b": [right_a * x + y for x, y in zip(left_b, right_b, strict=True)],
    }


FILTER = {"left_a": (), "left_b": (2,), "right_a": (), "right_b": (2,)}

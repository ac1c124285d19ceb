"""Robots with one or two absurd numbers, asked for everything: IEEE numbers or a ParaxisError."""

from collections import Counter

from support.absurd_robots import CALLS, absurd, asked
from support.counting import at_most, case, report, scaled


def test_absurd_robots_give_ieee_numbers_or_a_clear_error(record_property):
    found = Counter()
    for k in range(scaled(25)):
        with case("absurd robots", k) as rng:
            robot, words = absurd(rng, rng.choice((1, 1, 2)))
            if robot is None:
                continue
            for name in CALLS:
                with case(*words, name), at_most(600):
                    found[asked(name, robot)] += 1
    assert found["answered"] > found["refused"]
    report(record_property, found.total(), "calls on robots with absurd numbers")

"""Mutated program texts: each is refused with a ProgramError, or is a Program like any other.

A Program that was read prints a text that reads back to the same text, and gives numbers. No other
exception, no hang, no memory beyond a bound.
"""

import warnings

import numpy as np
import pytest
from support.counting import at_most, case, memory_within, report, scaled

import paraxis as px
from paraxis.graph.operations import OPS

TOGETHER = 500  # texts under one guard; each is a case of its own
WORDS = (
    "program", "input", "output", "mark", "const", "=", "%0", "%1", "%2", "%-1", "%99999", "%", "0",
    "1", "-1", "q", "q[2]", "q[0]", "q[2][3]", "q[9999999]", "q[1][1][1][1]", "x.y", "é", "1e999",
    "nan", "inf", "-0.0", "1e-320", "0x1p3", "1_0", "\u0661", "\x00", *OPS,
)  # fmt: skip
CHARACTERS = "%=[]. \n\t0123456789-+eEnaqi\r\x0b\x0c\x1c\x85\u2028\u00a0\ud800"
MOST_ENTRIES = 1000  # of inputs, for a Program to be evaluated: it takes an array of this size


def seeds():
    """Texts to begin with: small Programs that have every operation, marks, several outputs."""

    def every(q, k):
        a, b = q[0] * k + q[1] / 3.0, px.math.sqrt(abs(q[0])) - px.math.atan2(q[1], k)
        c = px.math.select(
            px.math.less(a, b),
            px.math.minimum(a, b),
            px.math.maximum(px.math.sin(a), px.math.cos(b)),
        )
        flags = [px.math.less_equal(a, b), px.math.equal(a, b), px.math.sign(c), px.math.rint(-a)]
        others = [px.math.tan(a), px.math.asin(b), px.math.acos(b), px.math.exp(a), px.math.log(b)]
        others += [px.math.tanh(a), px.math.floor(b), px.math.fmod(a, b), ~flags[0]]
        others += [flags[0] & flags[1], flags[0] | flags[1]]
        more = {"m": [[a, b], flags[:2]], "r": flags[2:], "o": others}
        return {"c": px.math.mark("c", 1, c)} | more

    yield px.trace(every, q=2, k=()).text()
    yield px.trace(lambda x: x * x + 1.5, x=()).text()
    yield px.trace(lambda: {"r": [1.5, -0.1]}).text()
    yield px.program(px.robots.planar(2), algorithm="newton_euler").text()
    yield px.program(px.robots.planar(1), "mass_matrix_inverse").text()


def mutated(rng, text):
    """One to four changes: words, lines or characters lost, doubled, swapped or replaced."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        kind = rng.randrange(7)
        if kind <= 2:  # words, the most fruitful
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            words = lines[at].split(" ")
            k = rng.randrange(len(words))
            match rng.randrange(4):
                case 0:
                    del words[k]
                case 1:
                    words.insert(k, rng.choice(WORDS))
                case 2:
                    words[k] = rng.choice(WORDS)
                case _:
                    words[k] = rng.choice(rng.choice(lines).split(" "))
            lines[at] = " ".join(words)
            text = "\n".join(lines)
        elif kind <= 4:
            lines = text.split("\n")
            k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            match rng.randrange(3):
                case 0:
                    del lines[k]
                case 1:
                    lines.insert(k, lines[other])
                case _:
                    lines[k], lines[other] = lines[other], lines[k]
            text = "\n".join(lines)
        elif kind == 5:
            k = rng.randrange(len(text) + 1)
            text = text[:k] + rng.choice(CHARACTERS) + text[k + rng.randint(0, 1) :]
        else:
            k = rng.randrange(len(text) + 1)
            text = text[:k] if rng.random() < 0.5 else text[k:]
    return text


def check(text, rng):
    """Whether it was read."""
    try:
        program = px.parse(text)
    except px.ProgramError as error:
        assert len(str(error)) < 2000  # a line for a person
        return False
    printed = program.text()
    again = px.parse(printed)
    assert again.text() == printed
    if sum(int(np.prod(shape)) for shape in program.inputs.values()) <= MOST_ENTRIES:
        arrays = {
            name: np.full(shape, rng.uniform(-2, 2)) for name, shape in program.inputs.items()
        }
        one, other = program.evaluate(**arrays), again.evaluate(**arrays)
        np.testing.assert_equal(one, other)
    return True


@pytest.mark.parametrize("number", range(5))
def test_texts(number, record_property):
    text, read, tried = list(seeds())[number], 0, 0
    with warnings.catch_warnings(), memory_within(megabytes=1024):
        warnings.simplefilter("error")
        for k in range(0, scaled(60_000), TOGETHER):
            with at_most(seconds=600):
                for each in range(k, k + TOGETHER):
                    with case("texts", number, each) as rng:
                        read += check(mutated(rng, text), rng)
                        tried += 1
    assert 0 < read < tried
    report(record_property, tried, "mutated program texts")

"""Roughly how long one state takes, in flops: what targets cut work into pieces and threads by."""

from .count import count

TRIG = 25  # flops that take as long as a sine and a cosine


def cost(graph):
    total = count(graph)
    return total.flops + total.logic + TRIG * total.trig

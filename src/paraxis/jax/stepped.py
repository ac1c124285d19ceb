"""A step of a simulation, which may be several Bodies in a row, as a function of JAX arrays."""

import jax
import jax.numpy as jnp

from ..drivers.row import Row
from ..programs import Program
from .from_program import function


def stepped(body):
    """A function of arrays by name that returns the outputs of a Body or a Row by name.

    Repeated stages are loops of XLA, each state until its own end.
    """
    if not isinstance(body, Row):
        return _named(body)
    stages = [(stage, _named(stage.body)) for stage in body.stages]

    def step(**arrays):
        made = {}
        for stage, call in stages:
            have = arrays | made
            given = {name: have[name] for name in stage.body.inputs}
            made |= _repeated(stage, call, given)
        return made

    return step


def _named(body):
    """A Body as a function from arrays by name to arrays by name."""
    call, inputs, outputs = function(Program.of(body.graph)), tuple(body.inputs), body.outputs

    def named(**arrays):
        found = call(*(arrays[name] for name in inputs))
        return dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))

    return named


def _repeated(stage, call, given):
    """The outputs of a stage after all its repetitions, of one state."""
    made = call(**given)
    if stage.repeat == 1:
        return made

    def ended(made):
        return jnp.asarray(False) if stage.until is None else made[stage.until] != 0

    def again(carried):
        count, made = carried
        return count + 1, call(**given | {name: made[k] for name, k in stage.carry.items()})

    def more(carried):
        count, made = carried
        return (count < stage.repeat) & ~ended(made)

    return jax.lax.while_loop(more, again, (1, made))[1]

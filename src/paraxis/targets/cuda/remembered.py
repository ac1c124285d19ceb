"""Planned calls: one lookup, one launch.

What a call does is decided by how its arrays are laid out, what they are and on which GPU: shapes,
strides, element types, and whether they begin on a boundary of 16 bytes. So all of that is read of
every array at every call, and is the key under which the launches are kept that such a call leads
to. A call that is not known here goes the careful way (map.py), where mistakes are named, and is
known from then on, unless it has to copy or convert.
"""

from ...drivers.device_map import BOUNDARY
from .launch import Block, native_launch

MOST = 512  # calls that are remembered; beyond, all are forgotten

# What a call may run into that is not as it was: the careful way finds out what it is.
UNLIKE = (LookupError, AttributeError, TypeError, ValueError, RuntimeError)

WRITTEN = """
def again(arrays, out):
    {inputs}, = arrays
    number = {number}
    if here() != number:
        with on(number):
            return again(arrays, out)
    {read_inputs}
    if out is None:
        block, new = known[{described_inputs}]
        {outputs}, = new()
        {read_outputs}
    else:
        {outputs}, = {given}
        {read_outputs}
        block, new = known[{described_inputs}, {described_outputs}]
    if launch(block.address, {stream}, {addresses}):
        return None
    return {result}

def key(arrays, out):
    {inputs}, = arrays
    {read_inputs}
    if out is None:
        return {described_inputs}
    {outputs}, = {given}
    {read_outputs}
    return {described_inputs}, {described_outputs}
"""


class Remembered:
    """The calls of one function of arrays that were made before.

    `remembered(arrays, out)` makes such a call again; it returns None if there was none like it.
    """

    def __init__(self):
        self._ways = {}  # class of the first array -> (again, key, known)

    def __call__(self, arrays, out):
        try:
            way = self._ways.get(arrays[0].__class__)
            return None if way is None else way[0](arrays, out)
        except UNLIKE:
            return None

    def learn(self, family, arrays, out, plan, loaded, outputs):
        """Remember what a call of arrays of this family came to, `loaded` being its kernels."""
        launch, start = native_launch(), family.device.start
        if launch is None or start is None:
            return
        if outputs == 1 and isinstance(out, tuple | list):
            (out,) = out
        kind = arrays[0].__class__
        if kind not in self._ways:
            self._ways[kind] = _written(family, len(arrays), outputs, launch)
        _, key, known = self._ways[kind]
        if len(known) >= MOST:
            known.clear()
        block = Block(start, plan, len(arrays), loaded, given=out is not None)
        known[key(arrays, out)] = block, family.maker(plan.results)


def _written(family, inputs, outputs, launch):
    """(again, key, known) for so many arrays of a family.

    Written out, as the functions of calls.py are: nothing is looped over, and nothing is packed.
    """
    xs, ys = [f"x{k}" for k in range(inputs)], [f"y{k}" for k in range(outputs)]

    def read(names):
        return "; ".join(f"at_{x} = {family.address_in_text.format(x=x)}" for x in names)

    def described(names):
        return ", ".join(
            f"{family.described_in_text.format(x=x)}, at_{x} & {BOUNDARY - 1}" for x in names
        )

    text = WRITTEN.format(
        inputs=", ".join(xs),
        outputs=", ".join(ys),
        number=family.number_in_text.format(x="x0"),
        given="(out,)" if outputs == 1 else "out",
        read_inputs=read(xs),
        read_outputs=read(ys),
        described_inputs=described(xs),
        described_outputs=f"out.__class__, {described(ys)}",  # one array of two rows is not two
        stream=family.stream_in_text,
        addresses=", ".join(f"at_{x}" for x in (*xs, *ys)),
        result=ys[0] if outputs == 1 else f"({', '.join(ys)})",
    )
    known = {}
    names = family.names_in_text() | {"known": known, "launch": launch}
    exec(compile(text, "<calls on a GPU>", "exec"), names)
    return names["again"], names["key"], known

"""The `scan` driver for spans with two ends: what joins two is eliminated, then found again.

Gluing two spans eliminates the unknown x between them and keeps what is needed to find it once the
unknowns at both ends are known. Orders are those of scan.py; here `serial` is block L D Lᵀ,
`p_fold` does that in pieces, and `odd_even_reduction` eliminates every other unknown at each level.
`odd_even_elimination` is a thing of its own (chains/odd_even.py).
"""

from .columns import Columns, Slots
from .scan import PIECES, ROOM


class Elimination:
    """Spans 0, 1, ... in `spans`, the unknowns at their ends in `x`: x[k] before span k.

    A run takes the first and the last of x as given. `operator` has `parts`, `kept` and `unknown`
    (named parts, and how many numbers each has), of the last those that a span must be told at its
    `near` and at its `far` end; and the bodies `glue`, `extend` and `middle`, which run `on` some
    machine.
    """

    def __init__(self, operator, elements, order, pieces=PIECES):
        self.levels, self._arrays = [], operator.on.arrays
        if order == "odd_even_reduction":
            whole = elements & (elements - 1) == 0  # a power of two
            (self._halving if whole else self._reduction)(operator, elements)
        elif order == "serial" or elements < 4:
            self._serial(operator, elements)
        else:
            self._p_fold(operator, elements, pieces)

    def run(self, threads=1):
        for level in self.levels:
            level(threads)

    def _columns(self, parts, elements, room):
        return Columns(parts, elements, room, arrays=self._arrays)

    def _spans(self, operator, n):
        return self._columns(operator.parts, n, ROOM), self._columns(operator.unknown, n + 1, ROOM)

    def _halving(self, operator, n):
        """Reduction where no span is ever left over: levels share the unknowns, and each does with
        two bodies and no copies."""
        up = operator.glue("pairs", "pairs", "column")
        lanes = up.lanes
        (here, self.x), back, apart = self._spans(operator, n), [], 1
        self.spans = here
        while n > 1:
            n //= 2
            every = 2 * apart
            # Lanes that were left over would find no x where they look for it.
            down = operator.middle("column", "apart", "apart", wide=n >= lanes)
            above, kept = (
                self._columns(parts, n, 2 * lanes + 1) for parts in (operator.parts, operator.kept)
            )
            glued = up.bind(
                1,
                -(-n // lanes),
                **here.places("left_", every=2, lanes=lanes),
                **here.places("right_", first=1, every=2, lanes=lanes),
                **above.places(lanes=lanes),
                **kept.places(lanes=lanes),
            )
            along = {"every": every, "lanes": down.lanes}
            found = down.bind(
                1,
                n // down.lanes,
                **kept.places(lanes=down.lanes),
                **self.x.places("near_", **along, only=operator.near),
                **self.x.places("far_", first=every, **along, only=operator.far),
                **self.x.places(first=apart, **along),
            )
            self.levels.append(glued.run)
            back.append(found.run)
            here, apart = above, every
        self.levels += back[::-1]

    def _reduction(self, operator, n):
        up = operator.glue("pairs", "pairs", "column")
        down = operator.middle("column", "column", "apart")
        lanes = up.lanes
        room = 2 * lanes + 1
        (here, x), back = self._spans(operator, n), []
        self.spans, self.x = here, x
        while n > 1:
            pairs, odd = divmod(n, 2)
            groups = -(-pairs // lanes)
            above, kept = (
                self._columns(operator.parts, pairs + odd, room),
                self._columns(operator.kept, pairs, room),
            )
            x_above = self._columns(operator.unknown, pairs + odd + 1, room)
            glued = up.bind(
                1,
                groups,
                **here.places("left_", every=2, lanes=lanes),
                **here.places("right_", first=1, every=2, lanes=lanes),
                **above.places(lanes=lanes),
                **kept.places(lanes=lanes),
            )
            found = down.bind(
                1,
                groups,
                **kept.places(lanes=lanes),
                **x_above.places("near_", lanes=lanes, only=operator.near),
                **x_above.places("far_", first=1, lanes=lanes, only=operator.far),
                **x.places(first=1, every=2, lanes=lanes),
            )
            self.levels.append(_reduce(glued, here, above, odd, x, x_above))
            back.append(_substitute(found, x, x_above, odd))
            here, x, n = above, x_above, pairs + odd
        self.levels += back[::-1]

    def _serial(self, operator, n):
        self.spans, self.x = self._spans(operator, n)
        kept, running = self._columns(operator.kept, n, 0), Slots(operator.parts, self._arrays)
        near, far = (Slots(operator.unknown, self._arrays) for _ in range(2))
        out = operator.extend("apart", wide=False).bind(
            n - 1,
            1,
            **running.places("so_far_"),
            **self.spans.places("next_", first=1, step=1),
            **kept.places(first=1, step=1),
        )
        back = operator.walk("apart", wide=False).bind(
            n - 1,
            1,
            **kept.places(first=n - 1, step=-1),
            **near.places("near_", operator.near),
            **far.places("far_", operator.far),
            **self.x.places(first=n - 1, step=-1),
        )

        def level(threads):
            running.columns.array[:, 0] = self.spans.array[:, 0]
            out.run()
            near.columns.array[:, 0] = self.x.array[:, 0]
            far.columns.array[:, 0] = self.x.array[:, -1]
            back.run()

        self.levels = [level] if n > 1 else []

    def _p_fold(self, operator, n, pieces):
        extend, walk = operator.extend("apart"), operator.walk("apart")
        lanes = extend.lanes
        pieces = -(-min(pieces, n // 2) // lanes) * lanes
        length, groups = n // pieces, pieces // lanes
        if length < 2:
            return self._serial(operator, n)
        inner = pieces * length  # what is left over is glued with the ends of the pieces
        self.spans, self.x = self._spans(operator, n)
        kept = self._columns(operator.kept, inner, 0)
        running = self._columns(operator.parts, pieces, 0)
        near, far = (self._columns(operator.unknown, pieces, 0) for _ in range(2))
        among = Elimination(operator, pieces + n - inner, "serial")
        along = {"every": length, "lanes": lanes}
        inside = extend.bind(
            length - 1,
            groups,
            **running.places("so_far_", lanes=lanes),
            **self.spans.places("next_", first=1, step=1, **along),
            **kept.places(first=1, step=1, **along),
        )
        back = walk.bind(
            length - 1,
            groups,
            **kept.places(first=length - 1, step=-1, **along),
            **near.places("near_", lanes=lanes, only=operator.near),
            **far.places("far_", lanes=lanes, only=operator.far),
            **self.x.places(first=length - 1, step=-1, **along),
        )

        def level(threads):
            running.array[...] = self.spans.array[:, :inner:length]
            inside.run(threads)
            among.spans.array[:, :pieces] = running.array
            among.spans.array[:, pieces:] = self.spans.array[:, inner:]
            _copy_ends(self.x, among.x)
            among.run()
            ends = among.x.array
            near.array[...], far.array[...] = ends[:, :pieces], ends[:, 1 : pieces + 1]
            self.x.array[:, :inner:length] = ends[:, :pieces]
            self.x.array[:, inner:] = ends[:, pieces:]
            back.run(threads)

        self.levels = [level]


def _copy_ends(x, other):
    other.array[:, 0], other.array[:, -1] = x.array[:, 0], x.array[:, -1]


def _reduce(glued, here, above, odd, x, x_above):
    def level(threads):
        glued.run(threads)
        if odd:
            above.array[:, -1] = here.array[:, -1]
        _copy_ends(x, x_above)

    return level


def _substitute(found, x, x_above, odd):
    """Every other unknown is one of the level above. These come last: lanes that are left over
    write beyond what is found."""

    def level(threads):
        found.run(threads)
        x.array[:, ::2] = x_above.array[:, :-1] if odd else x_above.array
        x.array[:, -1] = x_above.array[:, -1]

    return level

"""The `scan` driver: all prefixes of a row of elements under an associative operator.

The operator is a traced body that glues two adjacent spans into one. An order says which spans are
glued when; each of its levels is a map over index sets, or a sweep along rows, and nothing else.

    serial                 one element after another
    p_fold                 the row in p pieces at once, then their ends, then the pieces again
    kogge_stone            every element with the one 1, 2, 4, ... before it: recursive doubling
    odd_even_elimination   for a row without branches the same
    odd_even_reduction     pairs, pairs of pairs, ..., and back: twice the steps, least work
"""

from ..checks import one_of
from .columns import Columns, Slots

ORDERS = ("serial", "p_fold", "kogge_stone", "odd_even_elimination", "odd_even_reduction")
DOUBLING = ("kogge_stone", "odd_even_elimination")
ROOM = 20  # elements beyond a row: who fills it in may do so by whole registers
PIECES = 64  # of p_fold, by default


def check_order(order):
    return one_of(order, ORDERS, "order")


class Scan:
    """Prefixes of `elements` elements, which are in `columns` before a run, and after it in
    `prefixes`, mostly the same memory.

    `operator.parts` are the named parts of a span and how many numbers each has, `operator.on` is
    where bodies run; `operator.glue(layouts, wide)` is the compiled body left_*, right_* -> *, and
    `operator.extend(layout, wide)` the body so_far_*, next_* -> so_far_*, prefix_*. Its `identity`
    are the numbers of a span that changes nothing, or None.
    """

    def __init__(self, operator, elements, order, pieces=PIECES):
        self.order, self.levels = check_order(order), []
        self._arrays, self.prefixes = operator.on.arrays, None
        if order in DOUBLING and operator.identity is not None:
            self._padded_doubling(operator, elements)
        elif order == "serial" or elements < 3:
            self._serial(operator, elements)
        elif order == "p_fold":
            self._p_fold(operator, elements, min(pieces, -(-elements // 2)))
        elif order == "odd_even_reduction":
            self._reduction(operator, elements)
        else:
            self._doubling(operator, elements)
        self.prefixes = self.prefixes or self.columns

    def run(self, threads=1):
        for level in self.levels:
            level(threads)

    def begin_with(self, element):
        """Glue another element before the first: its numbers, for doubling with an identity."""
        for columns in self._held:
            columns.whole[:, columns.before - 1] = element

    def _columns(self, operator, elements, room, before=0):
        return Columns(operator.parts, elements, room, before, self._arrays)

    def _serial(self, operator, n):
        self.columns = self._columns(operator, n, ROOM)
        running = Slots(operator.parts, self._arrays)
        job = operator.extend("apart", wide=False).bind(
            n - 1,
            1,
            **running.places("so_far_"),
            **self.columns.places("next_", first=1, step=1),
            **self.columns.places("prefix_", first=1, step=1),
        )

        def level(threads):
            running.columns.array[:, 0] = self.columns.array[:, 0]
            job.run()

        self.levels = [level] if n > 1 else []

    def _doubling(self, operator, n):
        glue = operator.glue("column", "column", "column")
        lanes = glue.lanes
        held = [self._columns(operator, n, lanes) for _ in range(2)]
        self.columns, reach = held[0], 1
        copies = []
        while reach < n:
            before, after = held
            job = glue.bind(
                1,
                -(-(n - reach) // lanes),
                **before.places("left_", lanes=lanes),
                **before.places("right_", first=reach, lanes=lanes),
                **after.places(first=reach, lanes=lanes),
            )
            copies.append((before, after, reach, job))
            held, reach = held[::-1], 2 * reach

        def level(step):
            before, after, reach, job = step
            return lambda threads: (_copy(before, after, reach), job.run(threads))

        self.levels = [level(step) for step in copies]
        if held[0] is not self.columns:  # bring the result to where it is looked for
            last = held[0]
            self.levels.append(lambda threads: _copy(last, self.columns, n))

    def _padded_doubling(self, operator, n):
        """Before the first element are others that change nothing, so that no level has to copy."""
        glue = operator.glue("column", "column", "column")
        lanes, reach, before = glue.lanes, 1, 1
        while 2 * before < n:
            before *= 2
        held = [self._columns(operator, n, lanes, before) for _ in range(2)]
        self.columns, self._held = held[0], held
        nothing = self._arrays.asarray(operator.identity)[:, None]
        for columns in held:
            columns.whole[:, :before] = nothing
        while reach < n:
            now, later = held
            job = glue.bind(
                1,
                -(-n // lanes),
                **now.places("left_", first=-reach, lanes=lanes),
                **now.places("right_", lanes=lanes),
                **later.places(lanes=lanes),
            )
            self.levels.append(job.run)
            held, reach = held[::-1], 2 * reach
        self.prefixes = held[0]

    def _reduction(self, operator, n):
        up = operator.glue("pairs", "pairs", "column")
        down = operator.glue("column", "pairs", "apart")
        lanes = up.lanes
        self.columns = here = self._columns(operator, n, 2 * lanes + 1)
        back = []
        while n > 1:
            pairs = n // 2  # an element that is left over is none's left
            above = self._columns(operator, pairs, 2 * lanes + 1)
            glued = up.bind(
                1,
                -(-pairs // lanes),
                **here.places("left_", every=2, lanes=lanes),
                **here.places("right_", first=1, every=2, lanes=lanes),
                **above.places(lanes=lanes),
            )
            self.levels.append(glued.run)
            evens = -(-n // 2) - 1
            spread = None
            if evens:
                spread = down.bind(
                    1,
                    -(-evens // lanes),
                    **above.places("left_", lanes=lanes),
                    **here.places("right_", first=2, every=2, lanes=lanes),
                    **here.places(first=2, every=2, lanes=lanes),
                )
            back.append(_spread(spread, here, above))
            here, n = above, pairs
        self.levels += back[::-1]

    def _p_fold(self, operator, n, pieces):
        extend = operator.extend("apart")
        lanes = extend.lanes
        pieces = -(-pieces // lanes) * lanes
        length = -(-n // pieces)
        room = (pieces + lanes) * length - n
        self.columns = columns = self._columns(operator, n, room)
        groups = pieces // lanes
        running = self._columns(operator, pieces, lanes)
        along = {"every": length, "lanes": lanes, "step": 1}
        inside = extend.bind(
            length - 1,
            groups,
            **running.places("so_far_", lanes=lanes),
            **columns.places("next_", first=1, **along),
            **columns.places("prefix_", first=1, **along),
        )
        ends, start = self._columns(operator, pieces, lanes), Slots(operator.parts, self._arrays)
        among = operator.extend("apart", wide=False).bind(
            pieces - 1,
            1,
            **start.places("so_far_"),
            **running.places("next_", first=1, step=1),
            **ends.places("prefix_", first=1, step=1),
        )
        fix = operator.glue("column", "apart", "apart").bind(
            length,
            groups,
            **ends.places("left_", lanes=lanes),
            **columns.places("right_", first=length, **along),
            **columns.places(first=length, **along),
        )

        def level(threads):
            whole = columns.whole[:, : pieces * length]
            running.array[...] = whole[:, ::length]
            if length > 1:
                inside.run(threads)
            start.columns.array[:, 0] = ends.array[:, 0] = running.array[:, 0]
            among.run()
            fix.run(threads)

        self.levels = [level]


def _copy(before, after, count):
    after.array[:, :count] = before.array[:, :count]


def _spread(job, here, above):
    """Prefixes that end with the right of a pair are those of the pairs."""

    def level(threads):
        if job is not None:
            job.run(threads)
        here.array[:, 1::2] = above.array

    return level

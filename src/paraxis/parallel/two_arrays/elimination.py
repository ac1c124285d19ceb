"""Odd-even elimination on an array, in Fijany's two allocations of the work (section VI.B).

In round j, with s = 2^j, every block subtracts the contributions of its partners at i ± s, which
leaves couplings to i ± 2s. After ⌈log₂N⌉ rounds none is left. In the first allocation, block i's
processor computes all updates of block i, from the partners' blocks; in the second, everything that
needs A(i) is computed where A(i) is, and the results are sent. A(i) is then factored once instead
of twice, and messages travel while the next product is computed.
"""

from . import blocks
from .script import Read, numbered


class Second:
    """The processor of A(i) computes all that needs it, in the order of steps I.b.1 to 12."""

    name = "second"

    def diagonalise(self, script, array, also):
        """Make A block diagonal; `also` are chains of arrays with right-hand sides."""
        here = script.site(array)
        script.send("B", here, here, -1)  # not sent in any step of the paper
        for j, s, here, there in script.each_round(array):
            A, factors = numbered("A", j), numbered("LD", j)
            C, F, D, G = (numbered(name, j) for name in "CFDG")
            upper, lower = self._couplings(j)
            script.send(A, here, there)
            script.do(f"LDLᵀ {j + 1}", blocks.factor, [A], factors, here)
            script.do(f"C {j + 1}", blocks.toward_outer, [factors, upper], C, here)
            pass_on(script, C, here, also)
            script.do(f"D {j + 1}", blocks.for_outer, [C, upper], D, here)
            script.send(D, here, there, -s)
            script.do(f"F {j + 1}", blocks.toward_inner, [factors, lower], F, here)
            pass_on(script, F, here, also)
            script.do(f"G {j + 1}", blocks.for_inner, [F, lower], G, here)
            script.send(G, here, there, s)
            between = numbered("B", j + 1)
            script.do(f"B {j + 1}", blocks.bridge, [F, upper], between, here)
            script.send(between, here, there, s)
            script.send(between, here, there, -s)
            taken = [Read(D, -s, optional=True), Read(G, s, optional=True)]
            script.do(f"A {j + 1}", blocks.less, [A, *taken], numbered("A", j + 1), there)
        return numbered("A", script.rounds)

    @staticmethod
    def _couplings(j):
        """The couplings of a block to those on both sides, computed by the one in between."""
        if not j:
            return Read("B"), Read("B", -1)
        return Read(numbered("B", j), 2 ** (j - 1)), Read(numbered("B", j), -(2 ** (j - 1)))

    def right_side(self, script, value, array):
        """Update a right-hand side round by round."""
        for j, s, here, there in script.each_round(array):
            old, new = numbered(value, j), numbered(value, j + 1)
            outward, inward = numbered(f"{value} E", j), numbered(f"{value} H", j)
            script.send(old, here, there)
            script.do(f"{value} E {j + 1}", blocks.share, [numbered("C", j), old], outward, here)
            script.send(outward, here, there, -s)
            script.do(f"{value} H {j + 1}", blocks.share, [numbered("F", j), old], inward, here)
            script.send(inward, here, there, s)
            taken = [Read(outward, -s, optional=True), Read(inward, s, optional=True)]
            script.do(new, blocks.less, [old, *taken], new, there)
        return numbered(value, script.rounds)


class First:
    """Block i's processor computes all updates of block i."""

    name = "first"

    def diagonalise(self, script, array, also):
        for j, s, here, there in script.each_round(array):
            A, B = numbered("A", j), numbered("B", j)
            for value in (B, A):  # as they are ready
                for offset in (s, -s, 0):
                    script.send(value, here, there, offset)
            X, Y, D, G = (numbered(name, j) for name in "XYDG")
            outer, inner = numbered("outer LD", j), numbered("inner LD", j)
            script.do(f"outer LDLᵀ {j + 1}", blocks.factor, [Read(A, s)], outer, there)
            script.do(f"X {j + 1}", blocks.from_outer, [outer, B], X, there)
            pass_on(script, X, there, also)
            script.do(f"B {j + 1}", blocks.reach, [X, Read(B, s)], numbered("B", j + 1), there)
            script.do(f"D {j + 1}", blocks.taken_by_outer, [X, B], D, there)
            script.do(f"inner LDLᵀ {j + 1}", blocks.factor, [Read(A, -s)], inner, there)
            script.do(f"Y {j + 1}", blocks.from_inner, [inner, Read(B, -s)], Y, there)
            pass_on(script, Y, there, also)
            script.do(f"G {j + 1}", blocks.taken_by_inner, [Y, Read(B, -s)], G, there)
            taken = [Read(D, optional=True), Read(G, optional=True)]
            script.do(f"A {j + 1}", blocks.less, [A, *taken], numbered("A", j + 1), there)
        return numbered("A", script.rounds)

    def right_side(self, script, value, array):
        for j, s, here, there in script.each_round(array):
            old, new = numbered(value, j), numbered(value, j + 1)
            for offset in (s, -s, 0):
                script.send(old, here, there, offset)
            reads = [
                old,
                Read(numbered("X", j), optional=True),
                Read(old, s, optional=True),
                Read(numbered("Y", j), optional=True),
                Read(old, -s, optional=True),
            ]
            script.do(new, blocks.updated, reads, new, there)
        return numbered(value, script.rounds)


ALLOCATIONS = {each.name: each for each in (First(), Second())}


def pass_on(script, value, site, also):
    """Send the values needed by right-hand sides to their arrays, along chains of these."""
    for chain in also:
        source = site
        for array in chain:
            target = site._replace(array=array)
            script.send(value, source, target)
            source = target

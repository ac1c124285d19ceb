"""Bounds of how fast products of matrices grow if each factor may be any of a set.

The joint spectral radius of a set is the largest rate, per factor, at which products can grow. A
product of n factors with spectral radius r proves a rate of r**(1/n), a lower bound. Norms give
upper bounds: if every continuation of the empty product soon reaches a product of some n factors
with norm at most g**n, no product grows faster than g. Gripenberg's search (1996) brings the two
together, extending only products whose norms do not yet prove enough. It is fast in coordinates
that make norms small; `common_ellipsoid` finds them.

All bounds hold up to rounding: an upper bound to about 1e-9 of it, since the conditioning of
coordinates is limited; a lower bound to the accuracy of eigenvalues in double precision. For a set
in which all products vanish except for rounding errors, the bounds consist of these.
"""

from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError
from .balance import balancing_twos
from .common_ellipsoid import lengths, shorten
from .spectral_radius import irreducible_parts

BEAM = 16  # products kept per length in the search for fast growth
LONGEST_TRIED = 10  # factors in these products
BATCH = 256  # products computed at once in the search


class Bounds(NamedTuple):
    """lower <= joint spectral radius <= upper.

    The spectral radius of matrices[product[0]] @ matrices[product[1]] @ ... is lower**len(product).
    """

    lower: float
    upper: float
    product: tuple[int, ...]


def joint_spectral_radius(matrices, tolerance=1e-3, most_products=None):
    """Bounds of the joint spectral radius of a set of real matrices `(k, m, m)`.

    The search ends when `upper` is at most (1 + tolerance) times `lower`, or after `most_products`
    products (by default about a second's worth), with the gap reached by then. For one matrix both
    bounds are its spectral radius.
    """
    return _bound(_checked(matrices), lambda lower: lower * (1 + tolerance), most_products)


def radius_below(matrices, level, most_products=None):
    """Whether the joint spectral radius is below `level`: True, False, or None if undecided.

    True is proved by norms, False by a product. The search stops as soon as either is known.
    """
    just_below = np.nextafter(level, -np.inf)
    bounds = _bound(
        _checked(matrices),
        lambda lower: np.inf if lower >= level else just_below,
        most_products,
    )
    if bounds.lower >= level:
        return False
    return True if bounds.upper < level else None


def _checked(matrices):
    matrices = np.asarray(matrices, dtype=float)
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or 0 in matrices.shape:
        raise ArgumentError(f"matrices: expected shape (k, m, m), found {matrices.shape}")
    if not np.isfinite(matrices).all():
        raise ArgumentError("matrices: expected finite numbers, found NaN or infinite ones")
    return matrices


def _bound(matrices, enough, most_products):
    """Bounds; the search stops at an upper bound of `enough(lower)`."""
    _, twos = np.frexp(np.abs(matrices).max())
    matrices = np.ldexp(matrices, -twos)  # so that short products do not overflow

    # Irreducible parts have good norms; in a whole set, a state that only follows another needs
    # ever more skewed coordinates.
    blocks = [matrices[:, part[:, None], part] for part in irreducible_parts(matrices)]
    best = _Fastest()
    for block in blocks:
        best.learn(block, [(i,) for i in range(len(block))], np.zeros(len(block)))
    if len(matrices) == 1:
        upper = best.rate
    else:

        def wanted():
            return np.ldexp(enough(np.ldexp(best.rate, twos)), -twos)

        upper = max(_bound_block(block, best, wanted, most_products) for block in blocks)
    lower = min(best.rate, upper)  # norms are the more accurate of the two
    return Bounds(float(np.ldexp(lower, twos)), float(np.ldexp(upper, twos)), best.product)


class _Fastest:
    """The product with the fastest growth so far."""

    def __init__(self):
        self.rate, self.product = -1.0, ()

    def learn(self, products, words, logarithms):
        """Updates from products, each times the exponential of its logarithm, of these factors."""
        new = [i for i, word in enumerate(words) if _comes_before_its_rotations(word)]
        if not new:
            return
        factors = np.array([len(words[i]) for i in new])
        rates = _spectral_radii(products[new]) ** (1 / factors) * np.exp(logarithms[new] / factors)
        fastest = rates.argmax()
        if rates[fastest] > self.rate:
            self.rate, self.product = rates[fastest], words[new[fastest]]


def _comes_before_its_rotations(word):
    """Whether this word represents all words of its rate: the others rotate or repeat it."""
    return all(word < word[i:] + word[:i] for i in range(1, len(word)))


def _spectral_radii(matrices):
    """The largest magnitude of an eigenvalue of each matrix.

    Computed eigenvalues of nilpotent matrices are roots of rounding errors; they are corrected
    where a power vanishes, or has a norm whose root is smaller.
    """
    found = np.abs(np.linalg.eigvals(matrices)).max(axis=-1)
    power, twos, root = matrices, np.zeros(len(matrices)), 1.0
    for _ in range(matrices.shape[-1].bit_length() + 1):
        norm = np.abs(power).sum(axis=-2).max(axis=-1)
        found = np.minimum(found, norm**root * np.exp2(twos))
        _, shift = np.frexp(norm)
        # Not divided by the norm: products of integers can vanish exactly.
        power = np.ldexp(power, -shift[:, None, None])
        power, twos, root = power @ power, twos + shift * root, root / 2
    return found


def _bound_block(matrices, best, wanted, most_products):
    """An upper bound of an irreducible set; `best` learns of fast products on the way."""
    m = matrices.shape[-1]
    if m == 1:
        return np.abs(matrices).max()
    matrices = _balanced(matrices)
    if (upper := lengths(matrices).max()) <= wanted():
        return upper
    _try_promising(matrices, best, wanted)
    if upper <= wanted():
        return upper
    matrices = shorten(matrices, wanted())
    if most_products is None:
        most_products = int(1.5e7 / (m + 12) ** 2)  # measured: about a second's worth
    return _search(matrices, best, wanted, most_products)


def _balanced(matrices):
    """The matrices in units that make rows and columns similar in size."""
    twos = balancing_twos(np.abs(matrices).max(axis=0))
    return np.ldexp(matrices, twos[:, None] - twos)


def _try_promising(matrices, best, wanted):
    """Updates `best` from products with large norms, found by a beam search."""
    k, m, _ = matrices.shape
    products, words = matrices, [(i,) for i in range(k)]
    for _ in range(1, LONGEST_TRIED):
        products = (products[:, None] @ matrices).reshape(-1, m, m)
        words = [(*word, i) for word in words for i in range(k)]
        growth = np.linalg.norm(products @ products, axis=(-1, -2))
        kept = np.argsort(-growth, kind="stable")[:BEAM]
        products, words = products[kept], [words[i] for i in kept]
        best.learn(products, words, np.zeros(len(words)))
        if np.isinf(wanted()):
            return


def _search(matrices, best, wanted, most_products):
    """An upper bound by Gripenberg's search: the products that prove least are extended first.

    Products are normalised, with the logarithms of their norms: long ones would underflow.
    """
    k, m, _ = matrices.shape
    words = [()]
    products, logarithms = np.eye(m)[None], np.zeros(1)
    # The least rate proved by a product or a prefix of it; for the empty one, by the next.
    proved = np.array([lengths(matrices).max()])
    settled = 0.0
    made = 0
    while proved.size and made < most_products:
        extended, rest = np.split(np.argsort(-proved, kind="stable"), [max(BATCH // k, 1)])
        longer = (products[extended, None] @ matrices).reshape(-1, m, m)
        longer_words = [(*words[i], letter) for i in extended for letter in range(k)]
        norms = lengths(longer)
        with np.errstate(divide="ignore"):
            longer_logarithms = np.repeat(logarithms[extended], k) + np.log(norms)
        longer /= np.where(norms > 0, norms, 1.0)[:, None, None]
        rates = np.exp(longer_logarithms / [len(word) for word in longer_words])
        made += len(longer)

        fastest = np.argsort(-rates, kind="stable")[:BEAM]
        fast_words = [longer_words[i] for i in fastest]
        best.learn(longer[fastest], fast_words, longer_logarithms[fastest])

        proved = np.concatenate([proved[rest], np.minimum(np.repeat(proved[extended], k), rates)])
        unsettled = proved > wanted()
        settled = max(settled, proved[~unsettled].max(initial=0.0))
        proved = proved[unsettled]
        products = np.concatenate([products[rest], longer])[unsettled]
        logarithms = np.concatenate([logarithms[rest], longer_logarithms])[unsettled]
        words = [words[i] for i in rest] + longer_words
        words = [word for word, kept in zip(words, unsettled, strict=True) if kept]
    return max(settled, proved.max(initial=0.0))

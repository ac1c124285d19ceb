"""A linear system between two samples with its input held: exact discretisation.

The matrix exponential is computed by the scaling and squaring of Al-Mohy and Higham (2009) with the
Padé approximant of order 13, for any batch of matrices at once.
"""

from math import comb, factorial

import numpy as np

from ..errors import ArgumentError

ORDER = 13
# Of the approximant's numerator p(X), normalised to p(0) = 1; its denominator is p(-X).
PADE = np.array([comb(ORDER, j) / (comb(2 * ORDER, j) * factorial(j)) for j in range(ORDER + 1)])
# A matrix of at most this size (see `_halvings`) has an approximant exact to rounding.
THETA = 4.25
# The leading coefficient of the approximant's backward error, in powers of two.
LEADING_ERROR = -np.log2(float(comb(2 * ORDER, ORDER) * factorial(2 * ORDER + 1)))
PRECISION = 53  # bits of a double


def transition(A, B, period):
    """Ad, Bd with x(t + period) = Ad x(t) + Bd u, where x' = A x + B u and u is held.

    `A` is `(..., m, m)`, `B` `(..., m, k)` and `period` (...,) or a scalar; leading axes broadcast.
    Non-finite values give NaN in their own result and in no other.
    """
    A, B, period = (np.asarray(given, dtype=float) for given in (A, B, period))
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ArgumentError(f"A: expected shape (..., m, m), found {A.shape}")
    m = A.shape[-1]
    if B.ndim < 2 or B.shape[-2] != m:
        raise ArgumentError(f"B: expected shape (..., {m}, k) to go with A, found {B.shape}")
    try:
        batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2], period.shape)
    except ValueError:
        raise ArgumentError(
            "A, B, period: expected leading axes that broadcast, found "
            f"{A.shape[:-2]}, {B.shape[:-2]}, {period.shape}"
        ) from None
    k = B.shape[-1]

    generator = np.zeros((*batch, m + k, m + k))  # of x and u together: u' = 0
    with np.errstate(all="ignore"):
        generator[..., :m, :m] = A * period[..., None, None]
        generator[..., :m, m:] = B * period[..., None, None]
        held = _exponential(generator.reshape(-1, m + k, m + k), m)
    held = held.reshape(*batch, m, m + k)
    return held[..., :m].copy(), held[..., m:].copy()


def _exponential(generator, m):
    """The first m rows of exp(generator), which is zero in all other rows, as (n, m, m + k)."""
    size = np.abs(generator).sum(axis=-2).max(axis=-1)
    finite = np.isfinite(size)
    generator = np.where(finite[:, None, None], generator, 0.0)

    # Powers of a matrix of norm below one cannot overflow; scaling by two does not round.
    _, twos = np.frexp(np.where(finite, size, 0.0))
    unit = np.ldexp(generator, -twos[:, None, None])
    second = unit @ unit
    fourth = second @ second
    sixth = fourth @ second
    halvings = _halvings(unit, second, fourth, sixth, twos)

    def scaled(power, exponent):
        return np.ldexp(power, (exponent * (twos - halvings))[:, None, None])

    held = _pade(scaled(unit, 1), scaled(second, 2), scaled(fourth, 4), scaled(sixth, 6))[:, :m]
    for done in range(halvings.max(initial=0)):
        again = halvings > done
        once = held[again]
        twice = once[..., :m] @ once  # two consecutive holds equal one of twice the length
        twice[..., m:] += once[..., m:]
        held[again] = twice
    held[~finite] = np.nan
    return held


def _pade(X, X2, X4, X6):
    """The approximant of exp(X), given powers of X."""
    b = PADE
    identity = np.eye(X.shape[-1])
    odd = X @ (
        X6 @ (b[13] * X6 + b[11] * X4 + b[9] * X2)
        + (b[7] * X6 + b[5] * X4 + b[3] * X2 + b[1] * identity)
    )
    even = X6 @ (b[12] * X6 + b[10] * X4 + b[8] * X2) + (
        b[6] * X6 + b[4] * X4 + b[2] * X2 + b[0] * identity
    )
    return np.linalg.solve(even - odd, even + odd)


def _halvings(unit, second, fourth, sixth, twos):
    """How often to halve each matrix, unit * 2**twos, before its approximant is exact enough.

    # Roots of norms of powers measure how large a matrix acts. Its own norm would overestimate this
    # for matrices far from normal, such as ours, and every unnecessary halving costs digits.
    """
    roots = {
        2 * half: np.log2(np.abs(power).sum(axis=-2).max(axis=-1)) / (2 * half)
        for half, power in ((3, sixth), (4, fourth @ fourth), (5, fourth @ sixth))
    }
    acts = np.minimum(np.maximum(roots[6], roots[8]), np.maximum(roots[8], roots[10])) + twos
    halvings = np.maximum(np.ceil(acts - np.log2(THETA)), 0)

    # Cancellation inside the powers may hide the approximant's own error, so its leading term in
    # absolute values is decisive.
    magnitude = np.abs(unit)
    columns = np.ones(unit.shape[:-2] + (1, unit.shape[-1]))
    for _ in range(2 * ORDER + 1):
        columns = columns @ magnitude
    error = (
        LEADING_ERROR
        + np.log2(columns.max(axis=(-1, -2)))
        - np.log2(magnitude.sum(axis=-2).max(axis=-1))
        + 2 * ORDER * (twos - halvings)
    )
    more = np.ceil((error + PRECISION) / (2 * ORDER))
    return (halvings + np.fmax(more, 0)).astype(int)  # fmax: a zero matrix has no logarithm

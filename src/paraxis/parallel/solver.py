"""HiGHS, the solver of linear and integer programs that comes with scipy."""

from ..errors import MissingPackageError


def scipy_parts(what):
    """scipy.optimize and scipy.sparse, which `what` requires."""
    try:
        import scipy.optimize
        import scipy.sparse
    except ImportError:
        raise MissingPackageError(f"{what} needs scipy: pip install 'paraxis[opt]'") from None
    return scipy.optimize, scipy.sparse

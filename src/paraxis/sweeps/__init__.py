"""Studies over a space of variables, kept in a store that loses nothing."""

from ..later import namespace

_NAMES = {
    "Estimate": "amounts",
    "Points": "space",
    "Product": "space",
    "Sampled": "sampling",
    "Space": "space",
    "Status": "progress",
    "StoreError": "files",
    "Sweep": "study",
    "SweepWarning": "progress",
    "estimate": "estimating",
    "points": "space",
    "product": "space",
    "sampled": "sampling",
    "status": "progress",
    "to_parquet": "parquet",
}
__all__ = list(_NAMES)
__getattr__, __dir__ = namespace(__name__, _NAMES)

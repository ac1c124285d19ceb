"""The papers' tables, regenerated with Paraxis: `paraxis report NAME`, or `report("counts")`."""

from .reports import REPORTS, report

__all__ = ["REPORTS", "report"]

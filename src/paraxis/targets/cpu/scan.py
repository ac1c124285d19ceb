"""A Program as the combine operator of a scan: all prefixes of a row of elements."""

import numpy as np

from ...drivers.map import as_array
from ...drivers.scan import Scan, check_order
from ..body_operator import BodyOperator
from ..exclusive import exclusive
from . import threads
from .map import checked_options


class PrefixScan:
    """Call it with an array (n, ...) for each part; prefix k glues elements 0 to k."""

    def __init__(self, body, order, threads, on):
        self.order, self.threads = check_order(order), threads
        self._operator = BodyOperator(body, on)
        self.name, self.shapes = body.name, self._operator.shapes
        self._scan, self._lock = None, exclusive()

    def __call__(self, /, *arrays, **named):
        values = self._operator.given(arrays, named)
        given = {part: as_array(value, part, ()) for part, value in values.items()}
        n = self._operator.elements(given)
        if n == 0:
            return self._results({part: np.empty((0, *self.shapes[part])) for part in given})
        with self._lock:  # the memory of a scan serves one caller at a time
            columns = self._scan_of(n).columns
            for part, array in given.items():
                columns[part][...] = array.reshape(n, -1).T
            self._scan.run(self.threads or threads.available())
            found = {
                part: columns[part].T.reshape(n, *shape).copy()
                for part, shape in self.shapes.items()
            }
        return self._results(found)

    def _scan_of(self, n):
        """Rows of one length mostly come one after another: memory is kept for the last."""
        if self._scan is None or self._scan.columns.elements != n:
            self._scan = Scan(self._operator, n, self.order)
        return self._scan

    def _results(self, found):
        return next(iter(found.values())) if len(found) == 1 else found

    def __repr__(self):
        return f"<scan of {self._operator}, {self.order}>"


def scan_kernel(body, order, threads, on):
    """The scan of a Body that glues two spans; machine code is made with the first row."""
    checked_options("float64", threads)
    return PrefixScan(body, order, threads, on)

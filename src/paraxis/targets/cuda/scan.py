"""A Program as the combine operator of a scan on a GPU: all prefixes of a row of elements."""

from ...drivers.scan import Scan, check_order
from ..body_operator import BodyOperator
from .arrays import family_of
from .memory import GpuMemory
from .recording import Turn


class CudaScan:
    """Call it with an array (n, ...) for each part; prefix k glues elements 0 to k.

    Arrays are of CuPy, PyTorch or JAX; work is queued on the current stream.
    """

    def __init__(self, body, order, on):
        self.order, self.device, self._body = check_order(order), on.device, body
        self._on = on
        self._rows = {}  # number of the GPU -> _Rows

    def __call__(self, /, *arrays, **named):
        rows = self._on_current_gpu()
        values = rows.operator.given(arrays, named)
        family = family_of(list(values.values()), list(values), self.device)
        memory = GpuMemory(self.device, family)
        with family.stream():
            given = {part: memory.array(value, part, ()) for part, value in values.items()}
            found = self._on_current_gpu().scanned(given, self.order)
            found = {part: family.given_back(array) for part, array in found.items()}
        return next(iter(found.values())) if len(found) == 1 else found

    def _on_current_gpu(self):
        number = self.device.number
        if number not in self._rows:
            operator = BodyOperator(self._body, self._on)
            self._rows[number] = _Rows(operator, self.device)
        return self._rows[number]

    def __repr__(self):
        return f"<scan of {self._on_current_gpu().operator}, {self.order}, cuda>"


class _Rows:
    """Scans on one GPU; memory is kept for rows of the last length, and serves one at a time."""

    def __init__(self, operator, on):
        self.operator, self._turn = operator, Turn(on)
        self._elements, self._scan, self._run = None, None, None

    def scanned(self, given, order):
        operator = self.operator
        n = operator.elements(given)
        if n == 0:
            return {part: operator.on.arrays.empty(array.shape) for part, array in given.items()}
        with self._turn.taken():
            if self._elements != n:
                self._elements, self._scan = n, Scan(operator, n, order)
                self._run = operator.on.recorded(self._scan.run)
            for part, array in given.items():
                self._scan.columns[part][...] = array.reshape(n, -1).T
            self._run()
            return {
                part: self._scan.prefixes[part].T.reshape(n, *shape).copy()
                for part, shape in operator.shapes.items()
            }

"""What every solver that cuts a chain into rows does: bind sweeps along rows and across them."""

from ..targets.cpu.text.sweep import APART
from .bodies import across, along

VECTORS = tuple((name, APART) for name in ("q", "qd", "qdd", "tau"))


class RowSweeps:
    """A chain in rows."""

    def __init__(self, chain, cut):
        self._kinds, self._gravity, self._cut = chain.kinds, chain.gravity, cut

    def _bind(self, name, **places):
        """A sweep along all rows at once."""
        cut = self._cut
        sweep = along(name, self._kinds, cut.lanes > 1, VECTORS)
        return sweep.bind(cut.steps, cut.groups, **places)

    def _join(self, name, **places):
        """A sweep from one row to the next."""
        return across(name).bind(self._cut.rows, 1, **places)

"""What a solver found: trajectories, the control laws around them, and how good they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .search import Status


@dataclass(frozen=True)
class Solution:
    """Of N steps and any batch shape `...`; arrays are of the library of the arguments.

    - `xs`: states, (..., N + 1, nx); `us`: controls, (..., N, nu).
    - `cost`: (...).
    - `gains`: K, (..., N, nu, ndx): near the trajectory, u + K (x - xs) is the best control, within
      its limits.
    - `residual`: the largest slope of the cost by any control that may still move; `gap`: the
      largest distance between a state and the step that leads to it; `violation`: the largest
      violation of a constraint.
    - `status`: a `px.optimal.Status` as an integer, 0 where it is solved; `solved`: whether it is.
    - `iterations`: the steps that were accepted.
    """

    xs: Any
    us: Any
    cost: Any
    gains: Any
    residual: Any
    gap: Any
    violation: Any
    status: Any
    iterations: Any
    costates: Any
    multipliers: dict[str, Any]
    positions: int | None = None  # of a robot: nq

    @property
    def solved(self) -> Any:
        return self.status == 0

    @property
    def q(self) -> Any:
        """Positions, (..., N + 1, nq), of a robot."""
        return self.xs[..., : self._nq("q")]

    @property
    def qd(self) -> Any:
        """Rates, (..., N + 1, nv), of a robot."""
        return self.xs[..., self._nq("qd") :]

    def _nq(self, name):
        if self.positions is None:
            raise AttributeError(f"a Solution of a Program has xs, and no {name}")
        return self.positions

    def __repr__(self) -> str:
        status = np.atleast_1d(np.asarray(self.status))
        counts = {each.name: int((status == each).sum()) for each in Status}
        shown = ", ".join(f"{n} {name.lower()}" for name, n in counts.items() if n)
        batch = self.status.shape
        return f"<Solution {batch}: {shown}; horizon {self.us.shape[-2]}>"

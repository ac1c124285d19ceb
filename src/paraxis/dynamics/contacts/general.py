"""Lathrop's general form of a contact: acceleration and force are linear in six unknowns."""

from functools import cached_property

import numpy as np

from ...drivers.map import as_array
from ...errors import ArgumentError
from ...physics.contact.contact_forms import GeneralForm
from ...physics.linear.dense import dot
from ...robots.directions import rank_of
from .touching import Touching

NOTHING = 1e-12  # relative to the largest: a singular value of M1 that counts as zero


class GeneralContact(Touching):
    """V̇ = M1 Ω + k1 and F = M2 Ω + k2; created by `px.Contact.general`.

    M1 = U diag(slack) Vᵀ is the same in all states. Where slack is zero, k1 is prescribed.
    """

    unknowns = 6
    _kind = "general form"

    def __init__(self, frame, M1, M2, k1, k2, coordinates):
        super().__init__(frame, coordinates)
        self.M1 = as_array(M1, "M1", (6, 6)).astype(float)
        if self.M1.ndim != 2 or not np.isfinite(self.M1).all():
            raise ArgumentError(f"M1: expected a finite matrix of shape (6, 6), found {M1!r}")
        self.give(M2=as_array(M2, "M2", (6, 6)), k1=k1, k2=k2)
        for each in self.data["M2"].reshape(-1, 6, 6):
            rank = rank_of(np.concatenate([self.M1, each])) if np.isfinite(each).all() else 6
            if rank < 6:
                raise ArgumentError(
                    f"M1 and M2: expected rank 6 together, one per unknown, found rank {rank}"
                )
        U, slack, Vt = np.linalg.svd(self.M1)
        self._slack = np.where(slack > NOTHING * max(slack), slack, 0.0).tolist()
        self._rows, self._unknowns = U.T.tolist(), Vt.tolist()

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {"M2": (6, 6), "k1": (6,), "k2": (6,)}

    @property
    def constraints(self) -> int:
        return self._slack.count(0.0)

    @cached_property
    def numbers(self) -> tuple:
        return (self.M1.tobytes(),)

    def form(self, frame, values):
        k1, k2 = (values.get(name, [0.0] * 6) for name in ("k1", "k2"))
        columns = [[dot(row, unknown) for row in values["M2"]] for unknown in self._unknowns]
        demanded = [dot(row, k1) for row in self._rows]
        return GeneralForm(frame, self.coordinates, self._rows, self._slack, columns, demanded, k2)

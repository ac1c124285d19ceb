"""Pinocchio on one long chain.

Its Data holds room for derivatives of second order, nv³ numbers four times, so that 1,024 joints
would need 34 GB. Neither pin.aba nor pin.rnea touches it. Here a Data is made from a copy of the
model that claims nv = 1, and what the two functions do need is given its length afterwards: the
same calls of the same library, with the same bits, as far as the lists of supports and subtrees go
that a Model keeps of every joint, which are n² numbers.
"""

import numpy as np
import pinocchio as pin

LONGEST = 8_192
REASON = (
    "its Model lists the supports and the subtree of every joint: n² numbers, 4 GB at 8,192 joints "
    "and 16 GB at 16,384; its Data as it comes also 4 n³ numbers, 34 GB at 1,024"
)


class PinocchioChain:
    """A chain of arrays as paraxis.chains.links gives them: every joint's axis is its body's z."""

    def __init__(self, links):
        self.model = _model(links)
        self.data = lean_data(self.model)

    def forward_dynamics(self, q, qd, tau):
        return pin.aba(self.model, self.data, q, qd, tau)

    def inverse_dynamics(self, q, qd, qdd):
        return pin.rnea(self.model, self.data, q, qd, qdd)


def _model(links):
    model = pin.Model()
    model.gravity = pin.Motion(links.gravity, np.zeros(3))
    place = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
    joint = 0
    for i, (mass, moment) in enumerate(zip(links.mass, links.moment, strict=True)):
        kind = pin.JointModelRZ() if links.revolute[i] else pin.JointModelPZ()
        seat = pin.SE3(links.rotation[i], links.origin[i])
        joint = model.addJoint(joint, kind, seat, f"joint{i}")
        com = moment / mass
        about_com = links.inertia[i][place] - mass * (com @ com * np.eye(3) - np.outer(com, com))
        model.appendBodyToJoint(joint, pin.Inertia(mass, com, about_com), pin.SE3.Identity())
    model.armature = links.rotor
    return model


def lean_data(model):
    """A Data for pin.aba and pin.rnea alone, of a chain of joints with one coordinate each."""
    n = model.nv
    # the model as text: 5 words of the archive; nq, nqs, idx_qs; nv, nvs, idx_vs; ...; where each
    # list has its length and a version in front, and an entry for the world
    nv = 5 + 1 + 2 * (n + 3)
    first = nv + 1 + (n + 3) + 2
    words = model.saveToString().split(" ", first + n + 2)
    words[nv], words[first : first + n + 1] = "1", ["0"] * (n + 1)
    small = pin.Model()
    small.loadFromString(" ".join(words))
    for i in range(1, n + 1):
        small.joints[i].setIndexes(i, i - 1, 0, i - 1)
    data = small.createData()
    for vector in ("u", "ddq", "tau", "nle"):
        setattr(data, vector, np.zeros(n))
    return data

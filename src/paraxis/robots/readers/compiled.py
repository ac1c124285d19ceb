"""MuJoCo's compiled model, an MjModel, asked for what its arrays do not say at once."""

from functools import cached_property

import numpy as np

from ...errors import MissingPackageError, RobotError
from ..coupling import Coupling
from ..pose import Pose

KINDS = {"FREE": "free", "BALL": "spherical", "SLIDE": "prismatic", "HINGE": "revolute"}
DEGREES = {"free": 6, "spherical": 3}
LONGEST = 10_000  # bytes of a name


def mujoco_package():
    """The package `mujoco`."""
    try:
        import mujoco
    except ImportError:
        raise MissingPackageError(
            "reading MJCF needs MuJoCo's own compiler: pip install 'paraxis[mjcf]'"
        ) from None
    return mujoco


class Compiled:
    """An MjModel: names for everything, also for what has none, kinds of joints, flags."""

    def __init__(self, model):
        self.mujoco = mujoco_package()
        if not isinstance(model, self.mujoco.MjModel):
            found = type(model).__name__
            raise RobotError(f"model: expected a mujoco.MjModel, found {found}; see also px.load")
        self.model = model
        self.name = self._text(0)
        taken = set()  # bodies and sites are frames here, where each name is one frame's
        self.bodies = self._distinct("body", model.nbody, taken)
        self.sites = self._distinct("site", model.nsite, taken)
        self.joints = self._distinct("jnt", model.njnt, set())
        self.equalities = self._distinct("eq", model.neq, set())

    # -- names ---------------------------------------------------------------

    def names(self, kind, indices):
        """The names of the things of that kind and these indices; kind and index without a name."""
        return [self.name_of(kind, i) or f"{kind}{i}" for i in indices]

    def name_of(self, kind, index):
        return self._text(int(getattr(self.model, f"name_{kind}adr")[index]))

    def _text(self, start):
        found = bytes(self.model.names[start : start + LONGEST]).split(b"\0", 1)[0]
        return found.decode(errors="backslashreplace")

    def _distinct(self, kind, count, taken):
        """Names of all things of a kind, none twice, and none that is `taken`."""
        given = [self.name_of(kind, i) for i in range(count)]
        word = {"jnt": "joint"}.get(kind, kind)
        reserved, names = taken | {*given}, []
        for i, name in enumerate(given):
            if not name or name in taken:
                name = f"{name}_{word}" if name else f"{word}{i}"
                while name in reserved:
                    name += "_"
            taken.add(name)
            reserved.add(name)
            names.append(name)
        return names

    # -- joints and flags ----------------------------------------------------

    @cached_property
    def kinds(self):
        """The kind of each joint, as Joint names it."""
        by_number = {
            int(getattr(self.mujoco.mjtJoint, f"mjJNT_{word}")): kind
            for word, kind in KINDS.items()
        }
        return [by_number[int(number)] for number in self.model.jnt_type]

    def inertial_frame(self, b):
        """Position and quaternion of a body's principal axes.

        Where the compiler found them to be the body's own but for rounding, MuJoCo takes these.
        """
        position, quaternion = self.model.body_ipos[b], self.model.body_iquat[b]
        same, kinds = int(self.model.body_sameframe[b]), getattr(self.mujoco, "mjtSameFrame", None)
        whole, turn = 1, None  # before MuJoCo 3.2
        if kinds is not None:
            whole, turn = int(kinds.mjSAMEFRAME_BODY), int(kinds.mjSAMEFRAME_BODYROT)
        if same in (whole, turn):
            quaternion = (1.0, 0.0, 0.0, 0.0)
        if same == whole:
            position = (0.0, 0.0, 0.0)
        return position, quaternion

    def dofs(self, j):
        """Where the velocities of a joint are."""
        start = int(self.model.jnt_dofadr[j])
        return slice(start, start + DEGREES.get(self.kinds[j], 1))

    def is_disabled(self, *words):
        """Whether a flag of <option> disables this; versions of MuJoCo differ in their words."""
        bits = self.mujoco.mjtDisableBit
        found = [getattr(bits, f"mjDSBL_{word}", None) for word in words]
        return any(bit is not None and self.model.opt.disableflags & int(bit) for bit in found)

    @cached_property
    def ties(self):
        """{joint: (number of the equality, joint it follows, polynomial)}, while they are active.

        MuJoCo counts from the reference positions: y - y0 = a0 + a1 (x - x0) + ...
        """
        model, ties = self.model, {}
        if self.is_disabled("EQUALITY"):
            return ties
        for k in np.flatnonzero(model.eq_type == int(self.mujoco.mjtEq.mjEQ_JOINT)).tolist():
            y, x = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            if model.eq_active0[k] and x >= 0 and y not in ties and not self._leads_to(ties, x, y):
                y0, x0 = (float(model.qpos0[model.jnt_qposadr[j]]) for j in (y, x))
                polynomial = np.polynomial.Polynomial(model.eq_data[k][:5])
                ties[y] = k, x, y0 + polynomial(np.polynomial.Polynomial((-x0, 1.0)))
        return ties

    @staticmethod
    def _leads_to(ties, joint, other):
        """Whether `joint` follows `other`, perhaps through others, or is it."""
        while joint in ties and joint != other:
            joint = ties[joint][1]
        return joint == other

    @cached_property
    def couplings(self):
        """{joint: Coupling}, each to a joint that follows no other."""
        found = {}
        for joint, (_, leader, polynomial) in self.ties.items():
            while leader in self.ties:
                _, leader, further = self.ties[leader]
                polynomial = polynomial(further)
            coefficients = tuple(polynomial.trim().coef.tolist())
            found[joint] = Coupling(self.joints[leader], coefficients)
        return found

    @property
    def has_dampers(self):
        return not self.is_disabled("DAMPER", "PASSIVE")

    @cached_property
    def actuator_loads(self):
        """{joint: (armature, damping)} that actuators add to single joints, through their gears."""
        loads = {}
        for a in self._loading_actuators:
            j = self._driven(a)
            if j is not None:
                square = float(self.model.actuator_gear[a][0]) ** 2
                armature, damping = loads.get(j, (0.0, 0.0))
                armature += square * float(self.model.actuator_armature[a])
                loads[j] = armature, damping + square * float(self.model.actuator_damping[a])
        return loads

    @cached_property
    def other_loads(self):
        """Actuators with armature or damping that acts on something else than a single joint."""
        return [a for a in self._loading_actuators if self._driven(a) is None]

    @property
    def _loading_actuators(self):
        armature = getattr(self.model, "actuator_armature", None)  # since MuJoCo 4
        if armature is None:
            return []
        damping = self.model.actuator_damping
        return [a for a in range(len(armature)) if armature[a] or damping[a]]

    def _driven(self, a):
        """The joint of one degree of freedom that an actuator drives, or None."""
        kinds = self.mujoco.mjtTrn
        direct = (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
        if int(self.model.actuator_trntype[a]) not in direct:
            return None
        j = int(self.model.actuator_trnid[a][0])
        return None if self.kinds[j] in DEGREES else j


def pose_of(position, quaternion):
    """A pose from a position and a quaternion w, x, y, z."""
    w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return Pose.of(turn, tuple(float(v) for v in position))

"""MuJoCo's compiled model, an MjModel, asked for what its arrays do not say at once."""

from functools import cached_property

import numpy as np

from ...errors import MissingPackageError, RobotError
from ..friction import NO_FRICTION, Friction
from ..pose import Pose
from ..spring import Spring
from ..tendon import Tendon
from .mujoco_followers import Followers

KINDS = {"FREE": "free", "BALL": "spherical", "SLIDE": "prismatic", "HINGE": "revolute"}
DEGREES = {"free": 6, "spherical": 3}
POSITIONS = {"free": 7, "spherical": 4}
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
    def followers(self):
        """Which joints follow others."""
        return Followers(self)

    @cached_property
    def couplings(self):
        """{joint: Coupling}, each to joints that follow no other."""
        return self.followers.couplings(self.joints)

    # -- springs and tendons -------------------------------------------------

    def spring(self, j):
        """The Spring of a joint, or None."""
        stiffness = self._stiffness("jnt", j)
        if not self.has_springs or stiffness == 0.0:
            return None
        first, count = int(self.model.jnt_qposadr[j]), POSITIONS.get(self.kinds[j], 1)
        reference = self.model.qpos_spring[first : first + count]
        if count > 1:  # w, x, y, z here
            w, *axis = reference[-4:] / np.linalg.norm(reference[-4:])
            reference = (*reference[:-4], *axis, w)
        return Spring(stiffness, tuple(map(float, reference)) if count > 1 else float(*reference))

    def _stiffness(self, kind, index):
        """A number, or of a curved spring the coefficients of its polynomial."""
        linear = float(getattr(self.model, f"{kind}_stiffness")[index])
        curved = getattr(self.model, f"{kind}_stiffnesspoly", None)  # of newer versions of MuJoCo
        if curved is None or not curved[index].any():
            return linear
        return tuple(np.trim_zeros((linear, *curved[index].tolist()), "b"))

    @cached_property
    def fixed_tendons(self):
        """{tendon: {joint: arm}} of the tendons that are sums of joint positions."""
        model, found = self.model, {}
        for t in range(model.ntendon):
            first = int(model.tendon_adr[t])
            parts = range(first, first + int(model.tendon_num[t]))
            if all(model.wrap_type[k] == int(self.mujoco.mjtWrap.mjWRAP_JOINT) for k in parts):
                arms = found.setdefault(t, {})
                for k in parts:
                    j = int(model.wrap_objid[k])
                    arms[j] = arms.get(j, 0.0) + float(model.wrap_prm[k])
        return found

    @cached_property
    def tendons(self):
        """The fixed tendons that have a spring or friction."""
        model, found = self.model, []
        names = self._distinct("tendon", model.ntendon, set())
        for t, arms in self.fixed_tendons.items():
            stiffness = self._stiffness("tendon", t) if self.has_springs else 0.0
            damping = float(model.tendon_damping[t]) if self.has_dampers else 0.0
            dry = 0.0 if self.is_disabled("FRICTIONLOSS") else float(model.tendon_frictionloss[t])
            friction = Friction(viscous=damping, coulomb=dry) if damping or dry else NO_FRICTION
            over = {self.joints[j]: arm for j, arm in arms.items()}
            rest = tuple(model.tendon_lengthspring[t].tolist())
            tendon = Tendon(names[t], over, stiffness, rest, friction)
            if tendon.has_spring or tendon.has_losses:
                found.append(tendon)
        return found

    @property
    def has_springs(self):
        return not self.is_disabled("SPRING", "PASSIVE")

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

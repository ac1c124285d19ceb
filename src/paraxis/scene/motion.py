"""Robots over time, as a page shows them: moments kept, poses, and curves."""

from dataclasses import dataclass, field, replace

import numpy as np

from .. import api
from ..checks import counted
from ..errors import ArgumentError
from ..robots.joint import REVOLUTE
from ..robots.quaternions import require_unit_quaternions
from ..targets.blocks import is_lazy
from ..targets.target import target_of
from .packed import packed
from .poses import body_poses, pose_of

RATE = 60.0  # moments per second that are kept at most: screens show no more
EXACT = 1_500_000  # bytes of poses in float32; beyond, they are 16-bit integers
MOST_BYTES = 8_000_000  # of poses on a page
MOST_ROBOTS = 4_096
CURVE_BYTES = 2_000_000  # of curves on a page: those of the first robots
ROUNDED = 1e-4  # of quaternions: what states in float32 may be off by
SMALL = 14  # bytes of a pose of 16-bit integers
LEAST_MOMENTS = 40  # of a motion: of so many robots that these have room


@dataclass
class Motion:
    """`t` (moments,), `q` (moments, robots, nq), and `qd` and `tau` (moments, robots, nv) or None.

    `notes` are sentences about what is not shown.
    """

    robot: object
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray | None = None
    tau: np.ndarray | None = None
    arrows: dict = field(default_factory=dict)
    moving: np.ndarray | None = None  # of a tour, the joint that moves in each moment
    notes: list = field(default_factory=list)

    @classmethod
    def of(cls, robot, q, t=None, qd=None, tau=None, **more):
        """From arrays with any batch shape after the first axis, which is time."""
        q = host(q, "q", robot.nq)
        if q.ndim == 1:
            q = q[None]
        if not q.size:
            raise ArgumentError(f"q: there are no positions to show, found shape {q.shape}")
        count, batch = len(q), q.shape[1:-1]
        if robot.nq != robot.nv:
            unit = api.normalize(robot, q)
            if (abs(unit - q) > ROUNDED).any():
                require_unit_quaternions(robot, q, "q")
            q = unit
        t = np.arange(count) / RATE if t is None else host(t, "t", None)
        if t.shape != (count,) or not np.isfinite(t).all() or (np.diff(t) <= 0).any():
            raise ArgumentError(
                f"t: expected {count} increasing times, one per row of q, found shape {t.shape}"
            )
        flat = {"q": q.reshape(count, -1, robot.nq)}
        for name, array in (("qd", qd), ("tau", tau)):
            if array is None:
                continue
            array = host(array, name, robot.nv)
            if array.shape[:-1] != (count, *batch):
                expected = (count, *batch, robot.nv)
                raise ArgumentError(f"{name}: expected shape {expected}, found {array.shape}")
            flat[name] = array.reshape(count, -1, robot.nv)
        return cls(robot, t - t[0], **flat, **more)

    def shown(self):
        """The same with the robots and moments that a page has room for."""
        return self._some_robots()._some_moments()

    def _some_robots(self):
        """As many of the first as LEAST_MOMENTS have room for."""
        count, robots = self.q.shape[:2]
        room = MOST_BYTES // (SMALL * self.robot.n * min(count, LEAST_MOMENTS))
        most = max(1, min(MOST_ROBOTS, room))
        if robots <= most:
            return self
        note = f"Of {robots:,} robots, the first {most:,} are shown."
        return self._taken(lambda array: array[:, :most], note, times=False)

    def _some_moments(self):
        """At most RATE per second, and fewer where all poses would be too many."""
        count, robots = self.q.shape[:2]
        most = max(MOST_BYTES // (SMALL * self.robot.n * robots), LEAST_MOMENTS)
        span = float(self.t[-1])
        rate = min(RATE, (most - 1) / span) if span else RATE
        # of every interval the first; a little earlier counts, as times are rounded
        wanted = np.arange(int(span * rate) + 1) / rate
        kept = np.unique(np.searchsorted(self.t, wanted - 1e-9 * max(span, 1e-300)))
        kept = np.unique(np.r_[kept[kept < count], count - 1])
        if len(kept) >= count:
            return self
        what = "so that the page stays small" if rate < RATE else "as screens show no more"
        note = f"Of {counted(count, 'state')}, {len(kept):,} are on this page, {what}."
        return self._taken(lambda array: array[kept], note)

    def _taken(self, take, note, times=True):
        arrays = {
            name: None if getattr(self, name) is None else take(getattr(self, name))
            for name in ("q", "qd", "tau")
        }
        arrows = {name: take(array) for name, array in self.arrows.items()}
        if times:
            arrays["t"] = take(self.t)
            arrays["moving"] = None if self.moving is None else take(self.moving)
        notes = [*self.notes, note]
        return replace(self, **arrays, arrows=arrows, notes=notes)

    # -- what the page is given ---------------------------------------------------------------

    def as_data(self, notes):
        """What the page is given; sentences about what it is not given go into `notes`."""
        count, robots = self.q.shape[:2]
        poses = body_poses(self.robot, self.q.reshape(count * robots, -1))
        poses = poses.reshape(count, robots, -1, 7)
        failed = int((~np.isfinite(self.q).all(-1)).any(0).sum())
        if failed:
            notes.append(
                f"{counted(failed, 'robot')} cannot be drawn to the end, as states are not finite."
            )
        data = {
            "times": packed(self.t),
            "robots": robots,
            "root": pose_of(self.robot.base),
            "poses": packed_poses(poses),
            "curves": self._curves(notes),
        }
        if self.moving is not None:
            data["moving"] = self.moving.tolist()
        if self.arrows:
            data["arrows"] = {name: packed(array) for name, array in self.arrows.items()}
        return data

    def _curves(self, notes):
        """Panels of curves over time, of as many robots as there is room for."""
        count, robots = self.q.shape[:2]
        if count < 2 or self.moving is not None:
            return []
        width = self.q.shape[2] + 2 * self.robot.nv + 3
        few = min(robots, max(1, CURVE_BYTES // (4 * count * width)))
        if few < robots:
            notes.append(f"Curves are those of the first {counted(few, 'robot')}.")
        q_names, v_names = coordinate_names(self.robot)
        position, rate, torque = units(self.robot)
        panels = [("q", "position", position, q_names, self.q)]
        if self.qd is not None:
            panels.append(("qd", "rate", rate, v_names, self.qd))
        if self.tau is not None:
            panels.append(("tau", "torque", torque, v_names, self.tau))
        if self.qd is not None:
            panels.append(("energy", "energy", "J", None, self._energy(few)))
        return [
            {
                "name": name,
                "title": title,
                "unit": unit,
                "curves": curves or [{"name": each} for each in ENERGIES],
                "values": packed(np.moveaxis(values[:, :few], 0, -1)),  # robots, curves, moments
            }
            for name, title, unit, curves, values in panels
        ]

    def _energy(self, few):
        q, qd = self.q[:, :few], self.qd[:, :few]
        kinetic = api.kinetic_energy(self.robot, q, qd)
        potential = api.potential_energy(self.robot, q)
        return np.stack([kinetic, potential, kinetic + potential], -1)


ENERGIES = ("kinetic", "potential", "total")
LETTERS = {
    "spherical": (("x", "y", "z", "w"), ("x", "y", "z")),
    "planar": (("x", "y", "angle"),) * 2,
    "universal": (("first", "second"),) * 2,
    "free": (
        ("x", "y", "z", "qx", "qy", "qz", "qw"),
        ("vx", "vy", "vz", "wx", "wy", "wz"),
    ),
}


def coordinate_names(robot):
    """(of q, of qd): the name and the joint of every number."""
    names = [], []
    for i, joint in enumerate(robot.joints):
        for k, count in enumerate((joint.nq, joint.nv)):
            letters = LETTERS.get(joint.kind, ((),) * 2)[k]
            single = count == 1
            own = [joint.name] if single else [f"{joint.name} {x}" for x in letters[:count]]
            names[k].extend({"name": name, "joint": i} for name in own)
    return names


def units(robot):
    """Of positions, rates and torques: those of the joints that there are."""
    kinds = {joint.kind for joint in robot.joints}
    if kinds <= {*REVOLUTE, "helical", "universal"}:
        return "rad", "rad/s", "N m"
    return ("m", "m/s", "N") if kinds == {"prismatic"} else ("rad or m", "rad/s or m/s", "N m or N")


def packed_poses(poses):
    """Poses (moments, robots, bodies, 7): as they are if they are few, else as 16-bit integers."""
    if poses.size * 4 <= EXACT:
        return packed(poses)
    where = poses[..., :3]
    low = np.nanmin(where, axis=(0, 1, 2), initial=np.inf, where=np.isfinite(where))
    high = np.nanmax(where, axis=(0, 1, 2), initial=-np.inf, where=np.isfinite(where))
    low, high = np.where(low <= high, low, 0.0), np.where(low <= high, high, 0.0)
    span = np.maximum(high - low, 1e-9)
    small = np.empty(poses.shape, np.int16)
    with np.errstate(invalid="ignore"):
        small[..., :3] = np.rint((where - low) / span * 65_534 - 32_767)
        small[..., 3:] = np.rint(poses[..., 3:] * 32_767)
    small[~np.isfinite(poses).all(-1)] = -32_768  # no pose
    return packed(small, np.int16) | {"low": low.tolist(), "span": span.tolist()}


def host(array, name, size):
    """An array in main memory, of float64, with a last axis of that size."""
    array = np.asarray(array) if is_lazy(array) else array
    target = target_of({name: array})
    shape = () if size is None else (size,)
    return np.asarray(target.in_main_memory(target.array(array, name, shape)), float)

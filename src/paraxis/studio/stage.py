"""The robot as one browser sees it: meshes that are moved, and frames."""

import threading

import numpy as np

from ..robots.joint import WORLD
from ..scene.poses import body_poses, pose_of, quaternions
from ..scene.skeleton import size_of
from .triangles import solids_of

MOST_FRAMES = 60  # that are drawn
MOST_CLOSE = 8  # robots that are drawn with all their triangles
THICK = 0.04  # of axes, of their length
AXES = 0.12  # length of axes, of the robot's size


class Stage:
    """`scene` is viser's, of one browser. Poses are (robots, 1 + bodies, 7) as of `poses_of`."""

    def __init__(self, client):
        self.client, self.scene = client, client.scene
        self.robot, self.solids, self.handles, self.frames = None, [], [], []
        self.poses, self.count, self.axes = None, 0, None
        self.show_frames, self.lock = False, threading.RLock()

    def open(self, robot):
        """Draw another robot; notes about what of it is not drawn."""
        close, crowd, notes = solids_of(robot)
        size = size_of(robot)
        with self.lock, self.client.atomic():
            self.robot, self.close, self.crowd = robot, close, crowd
            self.solids, self.frames = close, robot.frames[:MOST_FRAMES]
            self.handles, self.axes, self.count, self.poses = [], None, 0, None
            self.scene.reset()
            self.scene.set_up_direction("+z")
            # shadows take half of the time of a picture where no GPU draws it
            self.scene.configure_default_lights(cast_shadow=False)
            self.scene.add_grid(
                "/ground", 10 * size, 10 * size, cell_size=size / 5, section_size=size
            )
        return notes

    def look_at(self, poses):
        """Put the camera where all of the robot is in sight."""
        size, where = size_of(self.robot), poses[0, 1:, :3]
        middle = (where.min(0) + where.max(0)) / 2 if np.isfinite(where).all() else np.zeros(3)
        self.client.camera.position = middle + size * np.array([0.65, -0.7, 0.4])
        self.client.camera.look_at = middle

    def poses_of(self, q):
        """Of positions (states, nq): of what carries the root joints, then of all bodies."""
        moving = body_poses(self.robot, q)
        root = np.broadcast_to(np.float32(pose_of(self.robot.base)), (len(q), 1, 7))
        return np.concatenate([root, moving], 1)

    def draw(self, poses):
        """Move everything; poses that are not finite stay where they were."""
        bad = ~np.isfinite(poses).all((1, 2))
        if bad.any():
            poses = poses.copy()
            poses[bad] = self.poses[bad] if self._fits(poses) else np.array([0.0] * 6 + [1.0])
        with self.lock, self.client.atomic():
            if len(poses) != self.count:
                self._add(poses)
            else:
                for solid, handle in zip(self.solids, self.handles, strict=True):
                    handle.batched_positions, handle.batched_wxyzs = _placed(poses[:, solid.body])
            self._draw_frames(poses[0])
            self.poses = poses

    def _fits(self, poses):
        return self.poses is not None and self.poses.shape == poses.shape

    def _add(self, poses):
        for handle in self.handles:
            handle.remove()
        self.handles, self.count = [], len(poses)
        self.solids = self.close if self.count <= MOST_CLOSE else self.crowd
        for k, solid in enumerate(self.solids):
            positions, turns = _placed(poses[:, solid.body])
            self.handles.append(
                self.scene.add_batched_meshes_simple(
                    f"/robot/{k}", solid.vertices, solid.faces, turns, positions,
                    batched_colors=solid.colour, lod="off", side="double",
                    cast_shadow=False,
                )
            )  # fmt: skip

    def _draw_frames(self, poses):
        if not self.show_frames or not self.frames:
            if self.axes is not None:
                self.axes.remove()
                self.axes = None
            return
        placed = np.array([_times(poses[frame.body - WORLD], frame.pose) for frame in self.frames])
        positions, turns = _placed(placed)
        if self.axes is None:
            length = AXES * size_of(self.robot)
            self.axes = self.scene.add_batched_axes(
                "/frames", turns, positions, axes_length=length, axes_radius=THICK * length
            )
        else:
            self.axes.batched_positions, self.axes.batched_wxyzs = positions, turns


def _placed(poses):
    """(positions, quaternions w, x, y, z) of poses (..., 7)."""
    return np.ascontiguousarray(poses[:, :3]), np.ascontiguousarray(poses[:, [6, 3, 4, 5]])


def _times(pose, inner):
    """A pose on a body, in the world."""
    x, y, z, w = pose[3:]
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    there = rotation @ np.array(inner.translation) + pose[:3]
    return [*there, *quaternions(rotation @ np.array(inner.rotation))]

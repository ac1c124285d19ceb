"""GRiD (the package grid-rbd 0.6): CUDA made for one robot, called from PyTorch and JAX.

Its libraries come from its own cache (GRID_RBD_CACHE_DIR), or are built here on a miss, which needs
nvcc and minutes per robot. How many threads work on a state can be set when it runs; there are
settings tuned by its authors for an RTX 5090 only.
"""

import numpy as np

FUNCTIONS = {  # our name -> theirs, and the short one by which threads are asked for
    "inverse_dynamics": ("inverse_dynamics", "id"),
    "forward_dynamics": ("forward_dynamics", "fd"),
    "inverse_dynamics_derivatives": ("inverse_dynamics_gradient", "id_du"),
    "forward_dynamics_derivatives": ("forward_dynamics_gradient", "fd_du"),
}
AS_SHIPPED = 0  # threads
THREADS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


class GridPeer:
    """A robot of GRiD, bolted down; `library` is "torch" or "jax"."""

    def __init__(self, name, path, library, states):
        import grid_rbd

        self.handle = grid_rbd.get_robot(
            name,
            backend=library,
            urdf_path=str(path),
            max_batch_size=states,
            algorithm_list=[theirs for theirs, _ in FUNCTIONS.values()],
            enable_mujoco_kernels=False,  # twins with MuJoCo's conventions, for free bases
        )

    def order(self, joint_names):
        """Which of our joints each of theirs is."""
        theirs = self.handle._base.joint_names
        if sorted(theirs) != sorted(joint_names):
            raise ValueError(f"expected the joints {joint_names}, GRiD has {theirs}")
        return [joint_names.index(name) for name in theirs]

    def function(self, name):
        return getattr(self.handle, FUNCTIONS[name][0])

    def kernel_name(self, name):
        return f"{FUNCTIONS[name][0]}_kernel"

    def threads(self, name):
        """The numbers of threads per state that its kernel may be launched with."""
        most = self.handle.kernel_max_threads(FUNCTIONS[name][1])
        return [count for count in THREADS if count <= most]

    def use_threads(self, count):
        self.handle.set_threads_per_block(count)


def in_our_order(result, order):
    """A result of GRiD as a list of arrays in our order: [value] or [by q, by qd]."""
    inverse = np.argsort(order)
    if result.ndim == 2:
        return [result[:, inverse]]
    halves = np.split(result, 2, axis=-1)
    return [half[:, inverse][:, :, inverse] for half in halves]


def as_returned(raw):
    """What a kernel leaves, a value or two matrices by columns, as GRiD's functions return it."""
    if raw.ndim == 2:
        return raw
    return np.concatenate([raw[:, 0].transpose(0, 2, 1), raw[:, 1].transpose(0, 2, 1)], axis=-1)

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
    """A robot of GRiD; `library` is "torch" or "jax"."""

    def __init__(self, name, path, is_free, library, states):
        import grid_rbd

        self.handle = grid_rbd.get_robot(
            name,
            backend=library,
            urdf_path=str(path),
            floating_base=is_free,
            max_batch_size=states,
            algorithm_list=[theirs for theirs, _ in FUNCTIONS.values()],
            enable_mujoco_kernels=False,  # twins with MuJoCo's conventions, for free bases
        )

    def expect_joints(self, names):
        """Nobody shall pay for a permutation; of a free base both have Pinocchio's conventions."""
        theirs = self.handle._base.joint_names
        if theirs[-len(names) :] != list(names):
            raise ValueError(f"expected the joints {', '.join(names)}; GRiD has {theirs}")

    def function(self, name):
        return getattr(self.handle, FUNCTIONS[name][0])

    def kernel_name(self, name):
        return f"{FUNCTIONS[name][0]}_kernel"

    def threads(self, name):
        """The numbers of threads per state that its kernel may be launched with; or, where it does
        not know, those that are worth a try."""
        most = self.handle.kernel_max_threads(FUNCTIONS[name][1])
        return [count for count in THREADS if most < 1 or count <= most]

    def use_threads(self, count):
        self.handle.set_threads_per_block(count)


def listed(result):
    """A result of GRiD as ours: [value] or [by q, by qd]."""
    return [result] if result.ndim == 2 else np.split(result, 2, axis=-1)


def raw_shape(name, states, nq, nv):
    """Of what a kernel leaves: values in rows as long as q, or two matrices by columns."""
    return (states, 2, nv, nv) if "derivatives" in name else (states, nq)


def as_returned(raw, nv):
    """What a kernel leaves, as GRiD's functions return it."""
    if raw.ndim == 2:
        return raw[:, :nv]
    return np.concatenate([raw[:, 0].transpose(0, 2, 1), raw[:, 1].transpose(0, 2, 1)], axis=-1)

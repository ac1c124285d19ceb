"""NumPy's arrays as those of three libraries on a GPU."""

import pytest


def in_cupy(array):
    cupy = pytest.importorskip("cupy")
    return cupy.asarray(array)


def in_torch(array):
    torch = pytest.importorskip("torch")
    return torch.asarray(array).cuda()


def in_jax(array):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.device_put(array, jax.devices("gpu")[0])

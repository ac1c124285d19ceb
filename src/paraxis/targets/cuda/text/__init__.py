"""CUDA C++ as text: a body, and the kernels of the drivers around it."""

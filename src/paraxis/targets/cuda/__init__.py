"""CUDA: Programs as source for others, and as kernels that run from here."""

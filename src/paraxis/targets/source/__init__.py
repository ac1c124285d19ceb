"""Source to take away: C, CUDA, Fortran and Python, each with a self-test."""

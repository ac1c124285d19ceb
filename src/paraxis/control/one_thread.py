"""Linear algebra of small matrices on one thread.

BLAS splits even a matrix of size 100 among threads that wait for one another; on a busy machine,
this waiting takes many times as long as the work.
"""

from threadpoolctl import threadpool_limits


def on_one_thread(function):
    """`function`, during whose calls BLAS has one thread."""
    return threadpool_limits.wrap(limits=1, user_api="blas")(function)

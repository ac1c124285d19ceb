"""Warnings of one thread as sentences, while other threads warn as ever."""

import threading
import warnings
from contextlib import contextmanager

from ..checks import shown

MOST_LETTERS = 500  # of a sentence


@contextmanager
def noticed():
    """A list to which the warnings of this thread are added. One thread may be in here at a time:
    what is done with warnings holds for all."""
    mine, found = threading.get_ident(), []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        elsewhere = warnings.showwarning

        def show(message, *where, **more):
            if threading.get_ident() == mine:
                found.append(shown(message, MOST_LETTERS))
            else:
                elsewhere(message, *where, **more)

        warnings.showwarning = show
        yield found

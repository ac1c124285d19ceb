"""Whether other processes were computing while we measured.

When our threads and theirs want more cores than there are, times are too long, by orders of
magnitude for code that spins while it waits; a table of times cannot show that by itself.
"""

import os
import time

from ..targets.cpu.threads import available

NOTABLE = 0.15  # cores; less is the background of any machine


class Neighbours:
    """`with Neighbours() as others: ...`; afterwards `others.cores`, or None if unknown."""

    cores = None

    def __enter__(self):
        self._start = _others()
        return self

    def __exit__(self, *_):
        stop = _others()
        if self._start is not None and stop is not None:
            seconds = stop[0] - self._start[0]
            self.cores = max(0.0, (stop[1] - self._start[1]) / max(seconds, 1e-9))

    def crowd(self, threads):
        """Whether they took cores that this many threads of ours needed."""
        if self.cores is None or self.cores < NOTABLE:
            return False
        return min(threads, available()) + self.cores > available() + NOTABLE

    def warning(self, threads):
        """A sentence if figures for up to this many threads cannot be trusted, else nothing."""
        if not self.crowd(threads):
            return ""
        several = "" if self.crowd(1) else " on several threads"
        return (
            f"Other processes kept {self.cores:.1f} of {available()} cores busy meanwhile: times"
            f"{several} are too long. Measure again when the machine is idle."
        )


def _others():
    """(now, CPU seconds that all other processes have used on our cores); None off Linux."""
    try:
        ours = {f"cpu{k}" for k in os.sched_getaffinity(0)}
        with open("/proc/stat", encoding="ascii") as file:
            rows = [line.split() for line in file if line.split(" ", 1)[0] in ours]
        # user, nice, system, idle, iowait, irq, softirq, steal: all but idle and iowait
        ticks = sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows)
        own = time.process_time() + sum(os.times()[2:4])  # and that of programs that we ran
        return time.perf_counter(), ticks / os.sysconf("SC_CLK_TCK") - own
    except (AttributeError, OSError, ValueError, IndexError):
        return None

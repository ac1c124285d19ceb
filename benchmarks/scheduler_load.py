"""The load of a scheduler, simulated: how busy workers are that one scheduler serves.

A scheduler does one thing at a time: it takes a finished task and sends another. Workers have a few
tasks at hand, so that they wait only once these are done and the scheduler is late. What it takes
per task is measured on a scheduler that has nothing else to do (cluster.py).

    python benchmarks/scheduler_load.py --rate 1000
"""

import argparse
import heapq
import random

AT_HAND = 3  # tasks of a worker at a time, as of px.sweep
SPREAD = 0.2  # of the duration of blocks, as a share
BLOCKS = 12  # per worker; the first ones, while the cluster fills, are not counted


def utilisation(workers, seconds, rate, blocks=BLOCKS, seed=0):
    """The share of time in which workers are at work on blocks of so many seconds, once all are.

    `rate`: tasks per second that the scheduler takes.
    """
    draw, service = random.Random(seed), 1.0 / rate

    def duration():
        return max(0.0, seconds * (1.0 + SPREAD * draw.uniform(-1.0, 1.0)))

    free_at = 0.0  # the scheduler
    queue = [0] * workers  # tasks at hand, that under way included
    ends, busy_since = [], {}
    counted = [0.0, 0.0]  # time at work, and time in all, of workers

    for task in range(workers * AT_HAND):  # the first tasks, one after another
        free_at += service
        worker = task % workers
        queue[worker] += 1
        if queue[worker] == 1:
            took = duration()
            heapq.heappush(ends, (free_at + took, worker))
            busy_since[worker] = free_at
    steady = free_at
    arriving = []  # (time, worker): tasks on their way from the scheduler
    done, end = 0, steady
    while done < workers * blocks:
        if arriving and (not ends or arriving[0][0] <= ends[0][0]):
            now, worker = heapq.heappop(arriving)
            queue[worker] += 1
            if queue[worker] == 1:
                heapq.heappush(ends, (now + duration(), worker))
                busy_since[worker] = now
            continue
        now, worker = heapq.heappop(ends)
        counted[0] += now - max(busy_since[worker], steady) if now > steady else 0.0
        done, end = done + 1, now
        queue[worker] -= 1
        free_at = max(free_at, now) + service
        heapq.heappush(arriving, (free_at, worker))
        if queue[worker]:
            heapq.heappush(ends, (now + duration(), worker))
            busy_since[worker] = now
    for _, worker in ends:
        counted[0] += max(0.0, end - max(busy_since[worker], steady))
    return counted[0] / ((end - steady) * workers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rate", type=float, default=1000.0, help="tasks per second")
    rate = parser.parse_args().rate
    for workers in (100, 1_000, 10_000):
        for seconds in (0.1, 1.0, 10.0, 30.0, 60.0):
            print(
                f"{workers:6,} workers, {seconds:4g} s: {utilisation(workers, seconds, rate):.1%}"
            )


if __name__ == "__main__":
    main()

"""Four threads call everything at once: every result to the bit, and a process that does not grow.

Each thread draws its own calls: functions of several robots on batches of random layouts with and
without `out`, kernels that use threads themselves, simulations, traces, compilations. The result of
each call was computed before, by one thread. PARAXIS_SOAK=10 makes ten minutes of one.
"""

import threading
import time

import numpy as np
from support.bits import same_bits_or_nan
from support.counting import SIZE, report, resident_bytes, source
from support.robots import random_robot

import paraxis as px

SECONDS = 60 * SIZE
WARM = 0.2  # of the time, before memory is looked at
GROWTH = 48  # MiB that the rest of the time may add
COUNT = 300  # states of a batch


class Calls:
    """What can be called, with the result that one thread alone gave."""

    def __init__(self, rng):
        robots = [random_robot(rng, (2, 3)), random_robot(rng, (5, 5)), px.robots.planar(2)]
        self.made = []
        for robot in robots:
            batch = np.random.default_rng(rng.randrange(2**32)).uniform(-2, 2, (3, COUNT, robot.n))
            self._functions(robot, *batch)
            self._kernels(robot, *batch)
            self._simulations(robot, *batch)
            self._programs(robot)
        self.expected = [call(None) for call in self.made]

    def _functions(self, robot, q, qd, qdd):
        for function, arrays in (
            (px.inverse_dynamics, (q, qd, qdd)),
            (px.forward_dynamics, (q, qd, qdd)),
            (px.mass_matrix, (q,)),
            (px.potential_energy, (q,)),
        ):

            def call(rng, function=function, arrays=arrays):
                if rng is None:
                    return function(robot, *arrays)
                given = [another_layout(rng, array) for array in arrays]
                if rng.random() < 0.5:
                    return function(robot, *given)
                out = np.empty_like(function(robot, *arrays))
                return function(robot, *given, out=out)

            def one_state(rng, function=function, arrays=arrays):
                rows = [array[7] for array in arrays]
                return np.array([function(robot, *rows) for _ in range(20)])

            self.made += [call, one_state]

    def _kernels(self, robot, q, qd, qdd):
        program = px.program(robot)
        many = [np.concatenate([array] * 40) for array in (q, qd, qdd)]
        for threads in (1, 2, 3):
            kernel = program.compile(threads=threads)
            self.made.append(lambda rng, kernel=kernel: kernel(*many))
        single = program.compile(dtype="float32")
        few = [array.astype(np.float32) for array in (q, qd, qdd)]
        self.made.append(lambda rng: single(*few))

    def _simulations(self, robot, q, qd, qdd):
        def controller(t, q, qd):
            return [-3.0 * a - b for a, b in zip(q, qd, strict=True)]

        def fall(rng):
            return px.simulate(robot, q[:9], qd[:9], dt=1e-3, steps=20).q

        def held(rng):
            return px.simulate(robot, q[:5], qd[:5], controller=controller, dt=1e-3, steps=10).q

        def pushed(rng):
            return px.simulate(
                robot, q[:3], qd[:3], qdd[:3], dt=1e-3, steps=10, method="adaptive"
            ).q

        self.made += [fall, held, pushed]

    def _programs(self, robot):
        """Traced, differentiated and compiled anew in the thread that calls."""

        def traced(rng):
            program = px.trace(lambda q: {"x": px.gravity_torques(robot, q)}, q=robot.n)
            return program.jacobian("x", "q").compile()(np.linspace(-1, 1, robot.n))

        def printed(rng):
            text = px.program(robot, algorithm="newton_euler").text()
            values = {name: np.ones(shape) for name, shape in px.parse(text).inputs.items()}
            return px.parse(text).evaluate(**values)

        def refused(rng):
            try:
                return px.inverse_dynamics(robot, np.ones(robot.n + 1), 0.0, 0.0)
            except px.ArgumentError as error:
                return np.frombuffer(str(error).encode(), np.uint8).copy()

        self.made += [traced, printed, refused]


def another_layout(rng, array):
    """The same values: rows, columns, every other row of a larger array, or backwards."""
    match rng.randrange(4):
        case 0:
            return array
        case 1:
            return np.asfortranarray(array)
        case 2:
            return np.repeat(array, 2, axis=0)[::2]
        case _:
            return np.ascontiguousarray(array[::-1])[::-1]


def test_mixed_calls_from_four_threads(record_property):
    rng = source("threads")
    calls = Calls(rng)
    begin, counts, wrong, sizes = time.monotonic(), [0] * 4, [], []

    def work(number):
        own = source("threads", number)
        while time.monotonic() < begin + SECONDS and not wrong:
            k = own.randrange(len(calls.made))
            try:
                found = calls.made[k](own)
                if not same_bits_or_nan(found, calls.expected[k]):
                    wrong.append((calls.made[k].__qualname__, "other bits"))
            except BaseException as error:
                wrong.append((calls.made[k].__qualname__, error))
                raise
            counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
        if time.monotonic() > begin + WARM * SECONDS:
            sizes.append(resident_bytes())
        assert time.monotonic() < begin + SECONDS + 300, "a thread hangs"
    assert not wrong
    grown = (sizes[-1] - sizes[0]) / 2**20
    assert grown < GROWTH, f"{grown:.0f} MiB more than after {WARM:.0%} of the time"
    report(record_property, sum(counts), "mixed calls from four threads")

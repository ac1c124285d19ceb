"""Exceptions that arrive from outside, as Ctrl-C: at any instruction, and in every long call."""

import signal

import numpy as np
import pytest
from support.processes import script

import paraxis as px
from paraxis.targets.cpu import iterate as iterate_kernel
from paraxis.targets.cpu import map as kernel
from paraxis.targets.cpu import pieces
from paraxis.targets.cpu import sweep as sweep_kernel

# Who starts the tests in the background may have them ignore Ctrl-C, which children inherit.
LISTENS = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
ROUNDS = 60  # sines of sines: a state takes long


def test_an_interrupt_at_any_instruction_leaves_nobody_at_work():
    """Neither in a batch, nor while threads are started, nor in a team, nor in what runs aside.

    One process for all of them, for the sake of time. A second one would be needed anyway: threads
    that wait for work stay.
    """
    text = """
    import sys, time
    from _thread import allocate_lock
    import numpy as np, paraxis as px
    from paraxis.targets.cpu import aside, map as kernels, pieces, sweep as sweeps
    from paraxis.targets.cpu import team as teams, threads, together, workers as native

    traced = kernels, sweeps, native, together, aside, pieces, teams, threads
    files = {each.__file__ for each in traced}

    class Interrupt(BaseException):
        pass

    def instructions(call, kind="opcode"):
        "Call it again and again, interrupted at each of its instructions, or lines, in turn."
        at = 0
        while True:
            left = at

            def trace(frame, event, _):
                nonlocal left
                if frame.f_code.co_filename not in files:
                    return None
                frame.f_trace_opcodes = kind == "opcode"
                if event == kind:
                    if not left:
                        raise Interrupt
                    left -= 1
                return trace

            sys.settrace(trace)
            try:
                call()
            except Interrupt:
                yield at
            else:
                return
            finally:
                sys.settrace(None)
            at += 1

    def soon(what):
        limit = time.monotonic() + 20
        while not what() and time.monotonic() < limit:
            time.sleep(0.001)
        return what()

    def sines(x):
        for _ in range(60):
            x = px.math.sin(x)
        return x

    kernels.THREAD_WORK = pieces.PIECE_WORK = 10_000  # threads, and several pieces
    kernel = px.trace(sines, x=()).compile(threads=3)
    x = np.random.default_rng(0).normal(size=1024)
    right, out = px.trace(sines, x=()).compile(threads=1).general(x), np.empty_like(x)

    def batch():
        kernel.general(x, out=out)

    batch()
    pool, count = threads.workers, 0
    for count in instructions(batch):
        assert pool.idle() == len(pool) == 2, (count, pool.idle(), len(pool))
        out[...] = 0
    assert count > 200 and out.tobytes() == right.tobytes()
    print("batch")

    native.workers, count = threads.Workers(), 0
    made, pieces.PIECE_WORK = [], 10**9
    for count in instructions(batch):
        pool = native.workers
        assert soon(lambda: pool.idle() == len(pool) <= 2)  # one may be on its way to its desk
        made.append(pool)
        native.workers = threads.Workers()  # so that the next call starts threads
    batch()
    assert count > 200 and out.tobytes() == right.tobytes()
    print("new threads")

    made, member = [teams.Team()], together.member()
    for count in instructions(lambda: made[-1].ready(3, member), "line"):
        team = made[-1]
        assert soon(lambda: team._words[teams.MEMBERS] == len(team._threads) <= 2)
        made.append(teams.Team())
    assert count > 20
    print("new members")

    sweeps.THREAD_WORK, sweeps.PIECE_WORK = 1, 30
    glue = px.trace(lambda left_x, right_x: {"x": left_x * 0.5 + right_x}, left_x=(), right_x=())
    scan, links = glue.compile_scan("odd_even_reduction", threads=2), np.linspace(0, 1, 40)
    right = scan(links)
    for count in instructions(lambda: scan(links), "line"):
        assert teams.team._words[teams.BUSY] == 0
    assert count > 100 and scan(links).tobytes() == right.tobytes()
    print("team")

    begun, ended = [], []

    def stoppable():
        stopped = allocate_lock()
        stopped.acquire()

        def call():
            begun.append(1)
            assert stopped.acquire(timeout=20)
            ended.append(1)

        if finishes:
            stopped.release()
        aside.aside(call, None if finishes else stopped.release)

    finishes, last = True, 0
    for last in instructions(stoppable):
        pass
    finishes = False
    for at in instructions(stoppable):
        if at >= last - 20:  # by then it waits, and would wait for ever
            break
    assert soon(lambda: len(begun) == len(ended) > 0)
    print("aside")
    """
    assert script(text, before=LISTENS).split() == [
        "batch",
        "new",
        "threads",
        "new",
        "members",
        "team",
        "aside",
    ]


# -- in pieces -------------------------------------------------------------------------------------


def test_pieces_give_the_same_bits(monkeypatch):
    """A long job is cut where it is about to take long; here that is everywhere."""
    arm = px.robots.planar(2)
    program = px.program(arm)
    q = np.random.default_rng(0).normal(size=(3, 501, 2))

    def step(x, v):
        return {"x_next": x + 0.01 * v, "v_next": v - 0.01 * px.math.sin(x)}

    carry = {"x": "x_next", "v": "v_next"}
    x = np.linspace(0, 1, 37)
    chain, links = px.robots.chain(500), np.linspace(0, 1, 500)
    glue = px.trace(lambda left_x, right_x: {"x": left_x * 0.5 + right_x}, left_x=(), right_x=())

    def results():
        loop = px.trace(step, x=(), v=()).compile_iterate(carry, record=["x"])
        state, record = loop(steps=101, every=5, x=x, v=0.0)
        yield from (program.compile(threads=n).general(q, q, q) for n in (1, 2))
        yield from (*state.values(), *record.values())
        yield px.forward_dynamics(chain, links, links, links)
        for order in ("serial", "p_fold", "odd_even_reduction"):
            yield glue.compile_scan(order=order)(links)

    whole = list(results())
    for module in (pieces, kernel, iterate_kernel, sweep_kernel):
        monkeypatch.setattr(module, "PIECE_WORK", 300)
    chain = px.robots.chain(500)  # which has not planned its sweeps yet
    for one, other in zip(whole, results(), strict=True):
        assert one.tobytes() == other.tobytes()


# -- long calls ------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals are others here")
def test_every_long_call_ends_with_a_keyboard_interrupt():
    """Some tenths of a second after Ctrl-C; here with a very generous limit, for busy machines."""
    text = """
    import ctypes, os, random, signal, sys, threading, time
    import numpy as np, paraxis as px
    from paraxis.targets.cpu import host
    from paraxis.parallel.methods.optimal import search
    import ortools.sat.python.cp_model  # an import that is interrupted fails as if it were missing

    def interrupted(call, after=0.15):
        call_begins = time.monotonic()
        timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.daemon = True
        timer.start()
        try:
            call()
        except KeyboardInterrupt as error:
            took = time.monotonic() - call_begins - after
            where = f"line {call.__code__.co_firstlineno}: {took:.2f} s"
            assert took < 5, where
            print(where, file=sys.stderr)
            return error
        raise SystemExit(f"line {call.__code__.co_firstlineno} went on to its end")

    def sines(x):
        for _ in range(60):
            x = px.math.sin(x)
        return x

    def step(x):
        return {"x_next": px.math.sin(x)}

    arm = px.robots.planar(2)
    x, rest = np.zeros(60_000_000), np.zeros(2)
    heavy = px.trace(sines, x=())
    for threads in (1, 2):  # a batch
        kernel = heavy.compile(threads=threads)
        kernel.general(x[:1])
        interrupted(lambda: kernel.general(x, out=x))

    loop = px.trace(step, x=()).compile_iterate({"x": "x_next"})
    loop(steps=2, x=1.0)
    interrupted(lambda: loop(steps=10**11, x=1.0))

    options = {"dt": 1e-3, "every": 10**6}
    px.simulate(arm, rest, rest, dt=1e-3, steps=2)
    error = interrupted(lambda: px.simulate(arm, rest, rest, steps=10**9, **options))
    assert error.partial.interrupted

    poses = np.tile(np.eye(4), (400_000, 1, 1))
    poses[:, 0, 3] = 1e3  # out of reach, so that every start is tried
    px.inverse_kinematics(arm, poses[:1])
    interrupted(lambda: px.inverse_kinematics(arm, poses))

    scheme = px.control.unsynchronised(px.robots.chain(4))
    still = np.zeros((100_000, 4))
    interrupted(lambda: scheme(still, still, still, period=1e-3))
    scheme(still[:2], still[:2], still[:2], period=1e-4)  # nobody is still at it

    wait = ctypes.CDLL(None).usleep
    compiled, host._compiled = host._compiled, lambda *_: wait(1_500_000)  # LLVM takes its time
    interrupted(lambda: px.trace(lambda x: px.math.sin(x) + 0.123, x=()).compile())
    host._compiled = compiled
    assert px.trace(lambda x: px.math.sin(x) + 0.125, x=()).compile()(np.array(0.0)) == 0.125

    dice = random.Random(1)
    weights = {k: dice.randint(1, 1000) for k in range(120)}  # not done in a second anywhere
    before = {b: dice.sample(range(max(0, b - 20), b), min(b, 2)) for b in range(120)}
    tasks = px.TaskGraph(weights, [(a, b) for b in range(120) for a in before[b]])
    search.best_of_restarts = lambda tasks, processors, best, *_: best  # straight to the solver
    interrupted(lambda: px.schedule(tasks, 4, "optimal", time_limit=40), after=1.0)
    print("done")
    """
    assert script(text, before=LISTENS).strip() == "done"

"""Threads that wait in native code keep it loaded."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import paraxis as px


def test_a_worker_stays_in_its_code_when_others_load_the_same():
    """Python threads that compute for the first time at once each load what workers run, and one
    copy is remembered. Workers of the others are called all the same."""
    source = """
        import numpy as np, paraxis as px
        from paraxis.targets.cpu import host, map, workers as native_workers
        from paraxis.targets.cpu.threads import workers

        mine = native_workers._native.__wrapped__()
        workers.hire(1, mine.sit_down, mine.work)
        del mine
        host._by_llvm(lambda: None)  # which frees what nobody needs
        map.THREAD_WORK = 1
        kernel = px.program(px.load("planar3")).compile(threads=2)
        q = np.random.default_rng(0).normal(size=(3000, 3))
        alone = np.array([kernel(*[row] * 3) for row in q])
        print((kernel.general(q, q, q) == alone).all(), len(workers))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(px.__file__).parent.parent)},
        timeout=60,
    )
    assert done.stdout == "True 1\n", done.stderr

"""Lathrop's robot chip as hardware against its model, bit by bit: in Amaranth and in Icarus.

Words that come out are compared with those of Chip.run, and so is the valid bit. Needs the extra
hdl and Icarus Verilog.

    python benchmarks/chip_bits.py [--states 40] [--json FILE]

`make hardware` writes what `paraxis report systolic` reads.
"""

import argparse
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import peers

import paraxis as px
from paraxis.hardware.rtl.icarus import run_test_bench


def chips():
    puma = px.load("puma560")
    return {
        "planar arm, 2 joints, linear": px.hardware.inverse_dynamics_chip(px.robots.planar(2)),
        "PUMA, linear": px.hardware.inverse_dynamics_chip(puma),
        "PUMA, linear, a state every 4 clocks": px.hardware.inverse_dynamics_chip(puma, interval=4),
        "PUMA, logarithmic": px.hardware.inverse_dynamics_chip(puma, form="logarithmic"),
    }


def in_amaranth(chip, states):
    """How many states have the words and the valid bit of the model, and how many are valid."""
    words = chip.sample(states)
    found, (right, valid) = chip.simulate(words), chip.run(words)
    same = (found.valid == valid) & np.all(
        [np.asarray(found.words[key]) == right[key] for key in right], axis=0
    )
    return int(same.sum()), int(np.sum(valid))


def in_icarus(chip, states):
    """The same for Verilog; an error where its test bench finds a word that differs."""
    with tempfile.TemporaryDirectory() as folder:
        chip.export(folder, states)
        run_test_bench(folder)
    return states, int(np.sum(chip.run(chip.sample(states))[1]))


SIMULATORS = {"Amaranth": in_amaranth, "Icarus": in_icarus}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=40, help="through each (default 40)")
    parser.add_argument("--json", type=Path, help="write what was found there")
    options = parser.parse_args()
    rows = []
    for name, chip in chips().items():
        for simulator, compared in SIMULATORS.items():
            begin = time.perf_counter()
            same, valid = compared(chip, options.states)
            row = {"chip": name, "simulator": simulator, "word": chip.word}
            row |= {"interval": chip.interval, "latency": chip.latency}
            rows.append(row | {"states": options.states, "same": same, "valid": valid})
            seconds = time.perf_counter() - begin
            print(f"{name}, {simulator}: {same} of {options.states}, {seconds:.0f} s", flush=True)
            kept = {"date": time.strftime("%Y-%m-%d"), "amaranth": version("amaranth")}
            peers.keep(kept | {"rows": rows}, options.json)


if __name__ == "__main__":
    main()

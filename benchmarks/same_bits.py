"""Circuits as hardware against their model, bit by bit: in Amaranth's simulator and in Icarus.

Words that come out are compared with those of Circuit.run, and so is the valid bit. Needs the extra
hdl and Icarus Verilog.

    python benchmarks/same_bits.py [--items 2000] [--json FILE]

`make hardware` writes what `paraxis report cordic` reads.
"""

import argparse
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import peers

import paraxis as px
from paraxis.hardware.rtl.design import ARCHITECTURES, Design
from paraxis.hardware.rtl.icarus import run_test_bench
from paraxis.hardware.rtl.simulate import simulate

ICARUS_SHARE = 4  # of the items, every so many also go through Icarus


def circuits():
    puma, planar = px.load("puma560"), px.load("planar3")
    return {
        "PUMA, inverse kinematics": px.hardware.inverse_kinematics_circuit(puma),
        "planar arm, inverse dynamics": px.hardware.inverse_dynamics_circuit(planar),
        "PUMA, 3 joints, inverse dynamics": px.hardware.inverse_dynamics_circuit(
            puma.subchain("link3", drop_rest=True)
        ),
    }


def in_amaranth(circuit, architecture, items):
    """How many items have the words and the valid bit of the model, and how many are valid."""
    words = circuit.sample(items)
    found, (right, valid) = simulate(Design(circuit, architecture), words), circuit.run(words)
    same = (found.valid == valid) & np.all(
        [np.asarray(found.words[key]) == right[key] for key in right], axis=0
    )
    return int(same.sum()), int(np.sum(valid))


def in_icarus(circuit, architecture, items):
    """The same for Verilog; an error where its test bench finds a word that differs."""
    with tempfile.TemporaryDirectory() as folder:
        circuit.export(folder, architecture, items)
        run_test_bench(folder)
    return items, int(np.sum(circuit.run(circuit.sample(items))[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=2000, help="through Amaranth (default 2000)")
    parser.add_argument("--json", type=Path, help="write what was found there")
    options = parser.parse_args()
    simulators = {
        "Amaranth": (in_amaranth, options.items),
        "Icarus": (in_icarus, options.items // ICARUS_SHARE),
    }
    rows = []
    for name, circuit in circuits().items():
        for architecture in ARCHITECTURES:
            for simulator, (compared, items) in simulators.items():
                begin = time.perf_counter()
                same, valid = compared(circuit, architecture, items)
                row = {"circuit": name, "architecture": architecture, "simulator": simulator}
                rows.append(row | {"items": items, "same": same, "valid": valid})
                seconds = time.perf_counter() - begin
                print(f"{name}, {architecture}, {simulator}: {same} of {items}, {seconds:.0f} s")
    versions = {"amaranth": version("amaranth")}
    peers.keep({"date": time.strftime("%Y-%m-%d"), **versions, "rows": rows}, options.json)


if __name__ == "__main__":
    main()

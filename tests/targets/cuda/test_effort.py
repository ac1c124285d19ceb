"""With how much effort ptxas compiles: less where it gives up otherwise. Needs no GPU."""

import pytest

from paraxis.drivers.row import made_row
from paraxis.targets.cuda import device
from paraxis.targets.cuda.device import compile_text, gave_up, spilled_bytes
from paraxis.targets.cuda.text.iterate import iterate_text

# What ptxas 13 says of the backward pass of a seven-joint arm: in float64, at a lower level, and
# in float32
GIVEN_UP = """
ptxas         .     34808 bytes stack frame, 62812 bytes spill stores, 108796 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 34808 bytes cumulative stack size
"""
WITH_LESS_EFFORT = """
ptxas         .     8720 bytes stack frame, 13808 bytes spill stores, 27888 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 8720 bytes cumulative stack size
"""
FULL = """
ptxas         .     2224 bytes stack frame, 3152 bytes spill stores, 4108 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 2224 bytes cumulative stack size
"""
SMALL = """
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 0 barriers
"""


def test_who_gave_up():
    assert [gave_up(log) for log in (GIVEN_UP, FULL, SMALL, "")] == [True, False, False, False]
    assert spilled_bytes(FULL) == 3152 + 4108


@pytest.mark.parametrize(
    ("said", "size", "taken", "times"),
    [
        ((GIVEN_UP, WITH_LESS_EFFORT), "usual", 1, 2),
        ((GIVEN_UP, GIVEN_UP), "usual", 0, 2),  # no better
        ((FULL,), "usual", 0, 1),
        ((SMALL,), "wide", 0, 1),
        ((WITH_LESS_EFFORT,), "long", 0, 1),
    ],
)
def test_what_is_taken(monkeypatch, said, size, taken, times):
    asked = []

    def compiled(text, options):
        asked.append("--ptxas-options=-O1" in options)
        return len(asked) - 1, said[len(asked) - 1]

    monkeypatch.setattr(device, "_compiled", compiled)
    if size == "wide":
        pytest.importorskip("cupy", exc_type=ImportError)
    assert compile_text("", "sm_90", size=size) == taken
    assert asked == ([True] if size == "long" else [False, True][:times])


def test_a_kernel_and_what_ptxas_says_of_it():
    pytest.importorskip("cupy", exc_type=ImportError)
    text = 'extern "C" __global__ void twice(double *x) { x[threadIdx.x] *= 2; }'
    made, log = device._compiled(text, ("--gpu-architecture=sm_90", *device.VERBOSE))
    assert made and "Used" in log and "spill" in log and not gave_up(log)
    assert compile_text(text, "sm_90")[:4] == b"\x7fELF"
    assert b".version" in compile_text(text, "compute_90")
    with pytest.raises(RuntimeError, match="NVRTC"):
        compile_text("nonsense", "sm_90")


@pytest.mark.long
def test_the_pass_backward_of_an_arm_keeps_its_values_in_registers():
    pytest.importorskip("cupy", exc_type=ImportError)
    gpu_optimal = pytest.importorskip("gpu_optimal")
    body, plan = gpu_optimal.solver_of(gpu_optimal.arm(), "float64", False, 64).problem.backward
    text = iterate_text(made_row(body), plan, "float64")
    assert text.size == "usual"
    usual, log = device._compiled(text.text, ("--gpu-architecture=sm_90", *device.VERBOSE))
    assert gave_up(log)
    assert len(compile_text(text.text, "sm_90")) < 0.6 * len(usual)

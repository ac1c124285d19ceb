"""The benchmark of long chains: its reference is right, its peer computes what it always does."""

import io

import numpy as np
import pytest
from support.robots import random_chain, states

import paraxis as px
from paraxis.chains.links import links

chains = pytest.importorskip("chains")  # of benchmarks/, with Pinocchio
reference = chains.reference
console = pytest.importorskip("rich.console")

needs_gcc = pytest.mark.skipif(not reference.can_compile(), reason="needs gcc on x86")


@pytest.mark.parametrize("seed", range(5))
def test_the_reference_is_the_dynamics_of_the_robot(seed):
    robot = random_chain(seed)
    arm, (q, qd, qdd) = links(robot), (array[1] for array in states(robot))
    tau, load = reference.plain_inverse_dynamics(arm, q, qd, qdd)
    assert chains.error(px.inverse_dynamics(robot, q, qd, qdd), tau) < 1e-13
    assert (load >= abs(tau - arm.rotor * qdd)).all()
    back = reference.plain_forward_dynamics(arm, q, qd, tau)
    assert chains.error(back, qdd) < 1e-15  # which float64 could not


@needs_gcc
@pytest.mark.parametrize("sliding", (0.0, 0.3))
def test_it_has_the_digits_it_claims(sliding):
    """C in long double and NumPy's against quadruple precision, which has twice as many."""
    robot = chains.general_chain(64, sliding)
    arm, (q, qd, qdd, tau) = links(robot), chains.state_of(robot)
    exact = reference.forward_dynamics(arm, q, qd, tau, quad=True)
    assert chains.error(reference.forward_dynamics(arm, q, qd, tau), exact) < 1e-16
    assert chains.error(reference.plain_forward_dynamics(arm, q, qd, tau), exact) < 1e-16
    exact, load = reference.inverse_dynamics(arm, q, qd, qdd, quad=True)
    for found in (reference.inverse_dynamics, reference.plain_inverse_dynamics):
        torques, loads = found(arm, q, qd, qdd)
        assert chains.error(torques, exact) < 1e-17 and chains.error(loads, load) < 1e-17


def test_pinocchio_with_little_memory_gives_the_same_bits():
    import pinocchio as pin

    robot = chains.general_chain(20, 0.3)
    peer, (q, qd, qdd, tau) = chains.PinocchioChain(links(robot)), chains.state_of(robot)
    full = peer.model.createData()
    for ours, theirs in (
        (peer.forward_dynamics(q, qd, tau), pin.aba(peer.model, full, q, qd, tau)),
        (peer.inverse_dynamics(q, qd, qdd), pin.rnea(peer.model, full, q, qd, qdd)),
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.long
def test_a_chain_is_measured_and_shown():
    row = chains.measure(64, 0.0, rounds=1)
    row["memory_mib"] = {}
    for function in chains.FUNCTIONS:
        names = (chains.PINOCCHIO, *chains.ALGORITHMS)
        assert all(row[function]["ns_a_link"][name] > 0 for name in names)
        assert all(row[function]["error"][name] < 1e-11 for name in names)
    page = io.StringIO()
    results = {"rows": [row], "crossovers": chains.crossovers([row])}
    chains.show(results, console.Console(file=page, width=160))
    assert "forward dynamics of one chain" in page.getvalue()


def test_a_crossover_is_where_one_stays_faster():
    def row(n, ratio):
        times = {"serial": ratio, "scan": 1.0}
        return {"n": n, "inverse_dynamics": {"ns_a_link": times}}

    def start(*ratios):
        rows = [row(2**k, ratio) for k, ratio in enumerate(ratios)]
        return chains.crossover(rows, "inverse_dynamics", "scan", "serial")["from"]

    assert start(0.5, 2.0, 0.9, 1.5, 3.0) == 8
    assert start(1.1, 2.0) == 1
    assert start(2.0, 0.9) is None

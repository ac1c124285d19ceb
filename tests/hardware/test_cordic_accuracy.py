"""How far circuits of the inverse kinematics are from float64, by how near a singularity is."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import paraxis as px
from paraxis import hardware
from paraxis.hardware.circuits.accuracy import reachable_poses
from paraxis.kinematics.puma_solutions import WRISTS
from paraxis.robots.puma_geometry import puma_geometry

PUMA = px.load("puma560")


@pytest.fixture(scope="module")
def workspace():
    return reachable_poses(PUMA, 5_000, seed=8)


def test_every_solution_leads_to_its_pose(workspace):
    assert workspace.q.shape == (5_000, 8, 6)
    reached = px.forward_kinematics(PUMA, workspace.q)
    np.testing.assert_allclose(reached, workspace.pose[:, None].repeat(8, 1), atol=1e-8)


def test_margins_are_the_least_of_three_distances(workspace):
    """Out of the pose and the angles alone, without the formulas that are used."""
    geometry, k = puma_geometry(PUMA, PUMA.tool()), WRISTS.index((-1, 1, -1))
    place, q = workspace.pose[:, :3, 3], workspace.q[:, k]
    beside = np.sqrt(np.hypot(place[:, 0], place[:, 1]) ** 2 - geometry.d2**2)
    arm = geometry.a2 + geometry.forearm
    shoulder = np.hypot(beside, place[:, 2])  # from axis 2 to the wrist's centre
    cosine = (geometry.a2**2 + geometry.forearm**2 - shoulder**2) / (
        2 * geometry.a2 * geometry.forearm
    )
    sine = np.sqrt(1 - np.clip(cosine, -1, 1) ** 2)
    least = np.minimum(np.minimum(beside / arm, sine), abs(np.sin(q[:, 4])))
    np.testing.assert_allclose(workspace.margin[:, k], least, atol=1e-6)


def test_away_from_singularities_24_bits_are_within_2e_5(workspace):
    for choice in ((1, 1, 1), (-1, -1, 1), (-1, 1, -1)):
        found = workspace.accuracy(hardware.inverse_kinematics_circuit(PUMA, *choice), *choice)
        assert 0.6 < found.share(1 / 6) < 0.7
        assert found.valid[found.margin > 1 / 128].all()
        assert found.worst(1 / 6) < 2e-5 < found.worst()
        assert found.worst_rounding(1 / 6) < found.worst(1 / 6) < 4 * found.worst_rounding(1 / 6)


def test_a_circuit_of_other_signs_is_elsewhere(workspace):
    found = workspace.accuracy(hardware.inverse_kinematics_circuit(PUMA, arm=-1), arm=1)
    assert found.median() > 0.1


def test_longer_words_are_nearer(workspace):
    errors = [
        workspace.accuracy(hardware.inverse_kinematics_circuit(PUMA, word=word)).median()
        for word in (16, 20, 24)
    ]
    assert all(8 < a / b < 32 for a, b in pairwise(errors))


def test_without_words_there_is_no_rounding(workspace):
    """Poses that words hold exactly cost nothing before the circuit begins."""
    circuit = hardware.inverse_kinematics_circuit(PUMA, word=24)
    held = replace(workspace, pose=np.round(workspace.pose * 2.0**22) / 2.0**22)
    exact = np.stack([circuit.tasks.evaluate(pose=held.pose)["q"]] * 8, axis=1)
    found = replace(held, q=exact).accuracy(circuit)
    assert found.worst_rounding() < 1e-12 < found.worst()


def test_what_is_not_valid_has_no_error(workspace):
    found = workspace.accuracy(hardware.inverse_kinematics_circuit(PUMA, near=1 / 8))
    assert not found.valid.all()
    assert np.isnan(found.error[~found.valid]).all() and np.isfinite(found.error[found.valid]).all()
    assert math.isnan(found.worst(margin=2))


def test_bad_signs_and_counts_are_named():
    with pytest.raises(px.ArgumentError, match=r"arm, elbow, wrist: expected 1 or -1 each"):
        reachable_poses(PUMA, 2).accuracy(hardware.inverse_kinematics_circuit(PUMA), arm=2)
    with pytest.raises(px.ArgumentError, match="count"):
        reachable_poses(PUMA, 0)
    with pytest.raises(px.RobotError):
        reachable_poses(px.load("planar3"))

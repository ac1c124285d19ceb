"""`paraxis report cordic`: its numbers come from runs, and what it says follows from them."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from paraxis_papers.cordic import (
    adders,
    circuits,
    dynamics,
    graph,
    hardware,
    joint_errors,
    same_bits,
    scale_factors,
    sizes,
    valid_bit,
    verdicts,
    word_lengths,
)
from paraxis_papers.cordic.report import LEAD, RULE
from paraxis_papers.document import CONFIRMED, DEPENDS, REFUTED, Report, agrees, as_json, markdown
from paraxis_papers.page import report_page
from paraxis_papers.printed import printed

from paraxis.hardware.cordic import integers

PRINTED = printed("lee_chang")["cordic"]


def rows(table):
    return {row.quantity: row for row in table.rows}


@pytest.fixture
def few_poses(monkeypatch):
    """A moment's worth of poses, in all tables."""
    cached = (circuits.workspace, circuits.accuracy, word_lengths.errors_with)
    for each in cached:
        each.cache_clear()
    few = circuits.workspace(2_000)
    for module in (circuits, joint_errors, same_bits, word_lengths):
        monkeypatch.setattr(module, "workspace", lambda *count: few)
    yield few
    for each in cached:
        each.cache_clear()


# -- the paper's pipeline, and the shorter one -----------------------------------------------------


def test_the_printed_equations_give_the_printed_pipeline():
    table, _ = sizes.sizes_tables()
    found = rows(table)
    for name in ("processors", "stages", "buffer stages", "tapped delay lines", "delay lines"):
        assert agrees(found[name]), name
    assert found["µs from a pose to its joint angles"].measured == 18 * PRINTED["stage_us"] == 720
    listed = found["all of these together"]
    assert (listed.printed, listed.measured) == (193, 141)
    assert "8, 10, 12, 12, 15, 15 long there, 3, 3, 3, 3, 3, 5 here" in listed.note


def test_ours_is_smaller_in_every_row():
    _, table = sizes.sizes_tables()
    for row in table.rows:
        if row.printed is not None and "next" not in row.quantity:
            assert row.measured < row.printed, row.quantity
    assert rows(table)["processors"].measured == len(circuits.circuit().units)


def test_sizes_are_those_of_the_tasks(monkeypatch):
    """With the tasks of the other equations the first table is another one."""
    monkeypatch.setattr(sizes, "printed_tasks", lambda identities=False: circuits.circuit().tasks)
    found = rows(sizes.sizes_tables()[0])
    assert found["processors"].measured == 19 and not agrees(found["buffer stages"])


def test_the_table_of_tasks_has_each_in_its_stage():
    table = graph.tasks_table()
    made = circuits.circuit()
    assert [row.measured for row in table.rows] == made.stage
    assert [row.quantity.split(": ")[1].split(",")[0] for row in table.rows] == [
        task.kind for task in made.tasks.tasks
    ]
    assert sum("gives q[" in row.note for row in table.rows) == 6


def test_diagrams_show_every_task_and_register():
    for diagram, pipeline in zip(
        graph.diagrams(),
        (circuits.balanced(circuits.printed_tasks()), circuits.circuit().pipeline),
        strict=True,
    ):
        assert diagram.html.count('class="register') == pipeline.buffers
        assert diagram.html.count('class="task"') == pipeline.processors
        tasks = re.findall(r"T\d+ (?:CIRC|LIN|HYPE)\d", diagram.text)
        assert len(tasks) == len(set(tasks)) == pipeline.processors
        lengths = diagram.text.split("delay lines:")[1].replace("\n", " ").split(",")
        text = ",".join(lengths)
        assert sum(int(n) for n in re.findall(r" (\d+)(?=,|$)", text)) == pipeline.buffers


def test_diagrams_are_in_all_forms_of_a_report():
    one = graph.diagrams()[1]
    report = Report("x", "X", "Lead.", [], [one], "Rule.")
    assert f"```text\n{one.text}\n```" in markdown(report)
    page = report_page(report, "1.0")
    assert "Point at an element" in page and "Point at an element" not in markdown(report)
    assert one.html in page and page.count(one.style) == 1
    assert json.loads(json.dumps(as_json(report))) == [{"diagram": one.title, "text": one.text}]


# -- numbers ---------------------------------------------------------------------------------------


def test_scale_factors_beside_the_exact_ones():
    found = rows(scale_factors.scale_factors())
    product = np.prod(np.sqrt(1 + 4.0 ** -np.arange(24)))
    assert found["k, circular"].measured == round(1 / product, 4)
    assert agrees(found["k, linear"])
    assert found["k, hyperbolic"].measured == 1.2075
    assert "1.2051 if no iteration came twice" in found["k, hyperbolic"].note
    for row in list(found.values())[-3:]:
        proved = float(re.search(r"below ([\d.]+)", row.note)[1])
        assert 0.5 < row.measured < proved < 4


def test_a_serial_multiplier_multiplies():
    made, random = adders.unit("serial"), np.random.default_rng(3)
    half = 1 << 23
    x, z = random.integers(-half, half, (2, 500))
    x[:4], z[:4] = [-half, half - 1, -half, 0], [-half, -half, half - 1, -1]
    found, right = made(integers, {"x": x, "z": z})
    product = (x.astype(object) * z + (1 << 20)) >> 21
    fits = np.array([-half <= each < half for each in product])
    assert (right == fits).all() and (found["Y"][fits] == product[fits]).all() and fits.sum() > 200


def test_adders_and_their_chains():
    """Five modules as printed; but a digit has to wait for its micro-rotation."""
    assert adders.additions(adders.unit("interleaved")) == (5, 2)
    assert adders.additions(adders.unit("after")) == (3, 1)
    assert adders.additions(adders.unit("multiply")) == (3, 1)
    assert adders.additions(adders.unit("product")) == (2, 1)
    assert adders.additions(adders.unit("serial")) == (1, 1)
    found = rows(adders.adders_table())
    five = found["a rotation, digits between micro-rotations (eq. 11): adders"]
    assert agrees(five) and five.measured == PRINTED["shift_and_add_modules"]
    fewer = found["a rotation, digits after all of them (eq. 10): clocks"]
    assert fewer.measured == 24 + len(adders.unit("after").scalings) == 31
    for way in adders.WAYS:
        (row,) = [row for row in adders.synthesised()["rows"] if row["way"] == way]
        assert row["clocks"] == adders.unit(way).clocks, "run benchmarks/processors.py again"


def test_verdicts_say_what_was_found(few_poses):
    found = {verdict.claim.split(" of ")[0]: verdict for verdict in verdicts.verdicts()}
    outcomes = [verdict.outcome for verdict in verdicts.verdicts()]
    assert outcomes == [DEPENDS, DEPENDS, CONFIRMED, DEPENDS, REFUTED, CONFIRMED, REFUTED]
    assert "18 stages, which is 28 times faster" in found["a speed-up"].evidence
    (slower,) = [each for name, each in found.items() if "serial multiplier" in name]
    assert "2 additions in a row, 48 for 24 in all" in slower.evidence
    assert "3 adders take 31" in slower.evidence


def test_a_verdict_follows_from_the_numbers(monkeypatch, few_poses):
    """With one addition in an iteration five modules would be no slower than the multiplier."""
    monkeypatch.setattr(verdicts, "additions", lambda made: (5, 1))
    monkeypatch.setattr(verdicts, "synthesised", lambda: {"rows": []})
    (found,) = [each for each in verdicts.verdicts() if "serial multiplier" in each.claim]
    assert found.outcome == CONFIRMED


def test_errors_are_those_of_the_circuits(few_poses, monkeypatch):
    found = rows(joint_errors.joint_errors_table())
    far = few_poses.accuracy(circuits.circuit())
    assert found["margin over 1/6"].measured == joint_errors.rounded(far.worst(1 / 6))
    by_joint = [row.measured for name, row in found.items() if name.startswith("θ")]
    assert len(by_joint) == 6 and max(by_joint) == found["margin over 1/6"].measured
    assert 0.03 < found["the largest margin with an error over 2e−05"].measured < joint_errors.FAR
    circuits.accuracy.cache_clear()
    monkeypatch.setattr(circuits, "circuit", lambda *signs, f=circuits.circuit: f(*signs, word=20))
    shorter = rows(joint_errors.joint_errors_table())
    assert shorter["margin over 1/6"].measured > 6 * found["margin over 1/6"].measured


def test_thirteen_iterations_are_not_enough_for_24_bits(few_poses):
    found = rows(word_lengths.word_length_table())
    assert found["iterations that are used for 24 bits"].measured in (22, 23, 24)
    least = found["the least iterations for 24 bits"]
    assert least.printed == 13 < least.measured <= 24
    assert 21 <= found["bits for errors within 2e−05"].measured <= 24


def test_each_bit_halves_the_error(few_poses):
    figure = word_lengths.word_length_figure()
    points = dict(figure.curves["half of all are below"])
    assert list(points) == list(range(12, 33))
    slope = np.polyfit(list(points), np.log2(list(points.values())), 1)[0]
    assert slope == pytest.approx(-1, abs=0.03)
    assert dict(figure.curves["largest"])[32] < 2e-7


def test_valid_bits_are_counted(few_poses, monkeypatch):
    monkeypatch.setattr(valid_bit, "accuracy", lambda *signs: few_poses.accuracy(made()))
    made = circuits.circuit
    for row in valid_bit.valid_bit_table().rows:
        assert re.match(r"of ([\d,]+);", row.note)[1] == f"{row.measured:,}", row.quantity
    found = few_poses.accuracy(made())
    silent = replace(found, valid=np.ones_like(found.valid))
    monkeypatch.setattr(valid_bit, "accuracy", lambda *signs: silent)
    assert rows(valid_bit.valid_bit_table())["margin below half of 1/256, not valid"].measured == 0


def test_words_from_the_stream_are_compared(few_poses, monkeypatch):
    monkeypatch.setattr(same_bits, "STREAMED", 20)
    row = same_bits._stream_row()
    assert row.measured == 20

    class Wrong:
        """A circuit whose stream gives one wrong word."""

        def __getattr__(self, name):
            return getattr(circuits.circuit(), name)

        def stream(self, words):
            found, valid = circuits.circuit().stream(words)
            found["q", 5][7] ^= 1
            return found, valid

    monkeypatch.setattr(same_bits, "circuit", Wrong)
    assert same_bits._stream_row().measured == 19


def test_torques_of_the_dynamics(monkeypatch):
    monkeypatch.setattr(dynamics, "STATES", 200)
    found = rows(dynamics.dynamics_table())
    assert found["planar arm, 3 joints: tasks"].measured < found["PUMA, 6 joints: tasks"].measured
    for name in ("planar arm, 3 joints", "PUMA, 3 joints", "PUMA, 6 joints"):
        assert 1e-6 < found[f"{name}: largest error, N m"].measured < 1e-3
        assert "200 of 200 valid" in found[f"{name}: largest error, N m"].note


# -- what was measured once ------------------------------------------------------------------------

CASE = {
    "circuit": "arm",
    "word": 24,
    "architecture": "iterative",
    "target": "ecp5",
    "latency_clocks": 288,
    "interval_clocks": 24,
    "total": {"luts": 100, "carries": 20, "wide_muxes": 3, "flip_flops": 50, "longest_path": 9},
    "modules": {"arm": {"flip_flops": 11}},
    "yosys": "Yosys 0.1",
}


def test_gates_are_those_of_the_file(monkeypatch):
    monkeypatch.setattr(hardware, "results", lambda: {"rows": [CASE]})
    table = hardware.hardware_table()
    cells, flip_flops, path = table.rows
    assert "Yosys 0.1" in table.lead
    assert cells.measured == 123 and cells.quantity.startswith("24 bits, iterative, an ECP5 FPGA")
    assert flip_flops.measured == 50 and flip_flops.note.startswith("11 of them")
    assert path.measured == 9 and path.note == "288 clocks to a solution, one every 24"


def test_what_was_not_measured_says_what_to_run(monkeypatch, few_poses):
    for module in (hardware, same_bits):
        monkeypatch.setattr(module, "results", lambda: None)
    monkeypatch.setattr(same_bits, "STREAMED", 5)
    for table, script in (
        (hardware.hardware_table(), "benchmarks/synthesis.py"),
        (same_bits.same_bits_table(), "benchmarks/same_bits.py"),
    ):
        assert f"run python {script} --json papers/paraxis_papers/cordic/" in table.lead
    assert "synthesised" not in RULE + LEAD


def test_hardware_that_differs_shows(monkeypatch, few_poses):
    row = {"circuit": "arm", "architecture": "pipelined", "simulator": "Icarus"}
    found = {"date": "1988-01-01", "amaranth": "0.5"}
    found["rows"] = [row | {"items": 500, "same": 499, "valid": 490}]
    monkeypatch.setattr(same_bits, "results", lambda: found)
    monkeypatch.setattr(same_bits, "STREAMED", 5)
    shown = rows(same_bits.same_bits_table())["arm, pipelined, Icarus"]
    assert shown.measured == 499 and shown.note == "of 500; 490 of them valid"

"""The report `schedules`: what the thesis prints is read right, explained and proved."""

import re

import paraxis_papers
import pytest
from paraxis_papers.counts.plain_count import general_chain, plain_count
from paraxis_papers.printed import printed
from paraxis_papers.schedules.arms import (
    six_links,
    stanford,
    stanford_by_lists,
    stanford_of_table_4_7,
)
from paraxis_papers.schedules.differences import differences
from paraxis_papers.schedules.nine_tasks import nine_tasks, tasks_of_1980
from paraxis_papers.schedules.printed_schedules import SIX_LINKS, STANFORD, printed_schedules

from paraxis.parallel.schedules.schedule import violations
from paraxis.parallel.streamlined.table import MAKES
from paraxis.physics import INVERSE_DYNAMICS

PRINTED = printed_schedules()
TOLD = printed("dhanaraj")["streamlining"]


@pytest.fixture(scope="module")
def report():
    return paraxis_papers.report("schedules")


def rows(report, title):
    (table,) = [table for table in report.tables if table.title == title]
    return {row.quantity: row for row in table.rows}


@pytest.mark.parametrize("table", [name for name in PRINTED if name.startswith("C")])
def test_printed_schedules_have_the_levels_that_are_printed(table):
    each = PRINTED[table]
    arm = "six links" if each.kinds == SIX_LINKS else "Stanford arm"
    assert len(each.levels) == TOLD["levels"][arm][str(each.processors)]
    assert {len(level) for level in each.levels} == {each.processors}
    for task in set(each.places) - set(each.unknown):
        assert re.fullmatch("[1-6][0-9]{2}", task) and int(task[1:]) in MAKES


def test_tables_of_layers_are_read_whole():
    assert len(PRINTED["4.3"].tasks) == 240
    assert len(PRINTED["4.7"].tasks) == TOLD["subtasks"]["Stanford arm"]
    assert max(sum(t != "0" for t in level) for level in PRINTED["4.3"].levels) == 13
    assert max(sum(t != "0" for t in level) for level in PRINTED["4.7"].levels) == 9


@pytest.mark.parametrize("table", PRINTED)
def test_what_is_broken_is_what_a_checked_schedule_would_refuse(table):
    each = PRINTED[table]
    wrong = violations(each.tasks, each.processors, each.starts, each.processor_of)
    assert len(wrong) == len(each.broken)
    for first, then in each.broken:
        assert any(f"task {then} " in line and f" needs {first}," in line for line in wrong)
    assert wrong  # there is none that is right


def test_remarks_on_misprints_hold():
    levels = PRINTED["C.1"].levels
    assert [level[1] for level in levels[:16]] == [level[0] for level in levels[100:116]]
    assert PRINTED["C.15"].unknown == ["245"]
    assert levels_of("C.15", "242") == levels_of("C.15", "245")


def levels_of(table, task):
    return PRINTED[table].places[task][0]


def test_154_156_and_fewer_are_explained_task_by_task():
    table = differences()
    assert not [row for row in table.rows if row.note == "not explained"]
    counts = [row.measured for row in table.rows]
    lists, fitted, again, own = (
        next(k for k, row in enumerate(table.rows) if row.quantity == quantity)
        for quantity in (
            "by the lists",
            "in Table 4.7",
            "by the lists, once more",
            "that do something",
        )
    )
    assert counts[lists] == counts[again] == len(stanford_by_lists()) == 154
    assert sum(counts[lists:fitted]) == counts[fitted] == len(stanford_of_table_4_7()) == 156
    assert sum(counts[again:own]) == counts[own] == len(stanford())


def test_levels_are_no_worse_than_the_printed_ones_and_proved(report):
    for table in report.tables:
        if table.title.startswith("Levels"):
            for row in table.rows:
                assert row.printed is None or row.measured <= row.printed, (table.title, row)
                assert "fewer are impossible" in row.note, (table.title, row)


def test_conclusions_on_efficiency(report):
    found = rows(report, "Conclusions on efficiency")
    assert found["six links: processors, at most, over 98% busy"].measured == 6
    assert found["Stanford arm, Table 4.7: processors, at most, over 98% busy"].measured == 4
    assert found["six links: efficiency on 13 processors, %"].measured == 65.81


def test_times_are_levels_and_said_to_be(report):
    title = "Table 4.8: times on an 8086, computed"
    found = rows(report, title)
    assert found["Dhanaraj 1990: 1 processor, ms"].measured == round(0.135 * 156, 2)
    (table,) = [table for table in report.tables if table.title == title]
    assert "No 8086 was run" in table.conventions[0]
    assert "his levels at that, all" in table.conventions[1]


def test_table_4_8_is_rebuilt_by_each_authors_method(report):
    found = rows(report, "Table 4.8: times on an 8086, computed")
    for paper, column in TOLD["table_4_8"].items():
        for p in column:
            number = f"{p} {'processor' if p == '1' else 'processors'}"
            assert found[f"{paper}: {number}, ms"].measured is not None
    assert found["Kasahara and Narita 1985: 2 processors, ms"].measured == 12.42
    assert found["Chen, Lee and Hou 1988: 6 processors, ms"].measured == 5.69


def test_nine_tasks_per_link_are_the_whole_recursion():
    tasks = nine_tasks()
    ledger, _ = plain_count(INVERSE_DYNAMICS["newton_euler"], general_chain(list(STANFORD)))
    assert len(tasks) == 54 and tasks.work == sum(ledger.total().pair)
    assert tasks_of_1980(True).work == 852 + 738 and len(tasks_of_1980(True)) == 66
    first, last = tasks.index["ω1"], tasks.index["τ1"]
    assert not tasks.predecessors[first] and not tasks.successors[last]


def test_a_processor_per_link_is_not_what_luh_and_lin_print(report):
    found = rows(report, "Luh and Lin: a processor per link")
    speedups = [row.measured for quantity, row in found.items() if "tasks per link" in quantity]
    assert all(row.printed == 2.64 for row in found.values())
    assert speedups == sorted(speedups) and speedups[0] > 2.2 and 2.64 not in speedups
    (verdict,) = [each for each in report.verdicts if each.paper == "Luh and Lin 1982"]
    assert verdict.outcome == "not reproduced"


def test_an_inferred_graph_refutes_nothing(report):
    """robot.stg is taken for Kasahara and Narita's; no paper says that it is."""
    nine, longest = (each for each in report.verdicts if "robot.stg" in each.evidence[:40])
    assert "88 tasks, not 54" in nine.evidence and "5.69 ms, which 5" in longest.evidence
    for each in (nine, longest):
        assert each.outcome == "not reproduced"
        assert "is inferred" in each.evidence and "on 1, 2 and 3 processors" in each.evidence


def test_verdicts_name_their_thresholds(report):
    found = {each.claim: each for each in report.verdicts}
    ideal = found["six processors are ideal for six links, four for the Stanford arm"]
    assert ideal.outcome == "depends" and "over 98% busy, which is what decides" in ideal.evidence
    assert found["n links take 4n + 3 layers of subtasks"].outcome == "confirmed"
    fewest = found["his packing of layers gives the fewest levels"]
    assert fewest.outcome == "depends" and "77 instead of 78 on 3" in fewest.evidence


def test_tables_of_the_arms_are_named_right():
    (row,) = [row for row in differences().rows if row.quantity.startswith("522")]
    assert "(Table 2.7)" in row.note  # the centres of mass; Table 2.8 has the inertias


def test_figures_start_with_one_processor(report):
    speedup, efficiency, _ = report.figures
    for points in (*speedup.curves.values(), *efficiency.curves.values()):
        assert all(y > 0 for _, y in points)
    assert dict(speedup.curves["six links"])[1] == dict(efficiency.curves["six links"])[1] == 1
    assert dict(speedup.curves["six links"])[13] == six_links().work / six_links().span

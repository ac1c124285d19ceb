"""The report `speculation`: what is claimed of stale data, put to many conditions."""

from ..document import Report
from .against_period import slope_figure, slope_table
from .answers import answer_table
from .best_cuts import best_table
from .boundaries import boundary_table
from .buffering import buffering_table
from .claims import verdicts
from .equal_hardware import hardware_figures, hardware_table, loop_table, slowest_table
from .figures_6_and_7 import example_figures, lost_figure, lost_table, region_table
from .flow_diagrams import flow_diagrams
from .frozen_posture import coupling_table, marginal_table, posture_table
from .pipelines import pipeline_table
from .speeds import torque_table, tracking_table
from .time_steps import time_step_table

TITLE = "Speculative control: the claims, tested"
LEAD = (
    "Hamilton, Walker and Bennett (1996) let a computed-torque controller use values of the "
    "previous control step, so that links need not wait for one another. They compare their scheme "
    "with Binder and Herzog's and report others'. The conditions of their figures are not printed: "
    "here they are random, and each claim is tested: where it holds, and where it does not. "
    "A claim is put to every case of a table: confirmed means that it holds in all of them, "
    "refuted that it holds in none, depends that it holds in some."
)
RULE = (
    "Everything is computed when the report is made; random numbers come from fixed seeds. Plants "
    "are exact and integrated by RK4; torques are held from sample to sample. "
    "Predictions are of the linear loop (`px.control.safe_period`), all else is simulated "
    "(`px.control.closed_loop`). `vuskovic` with values of one age is `binder_herzog` and is not "
    "repeated."
)
QUOTED = "Fernandez and Bussell 1973", "Papadimitriou and Yannakakis 1990"


def speculation():
    """The report."""
    parts = [
        time_step_table(),
        *flow_diagrams(),
        lost_table(),
        region_table(),
        lost_figure(),
        *example_figures(),
        slope_table(),
        slope_figure(),
        torque_table(),
        tracking_table(),
        posture_table(),
        coupling_table(),
        marginal_table(),
        boundary_table(),
        buffering_table(),
        pipeline_table(),
        loop_table(),
        hardware_table(),
        *hardware_figures(),
        slowest_table(),
        answer_table(),
        best_table(),
    ]
    return Report("speculation", TITLE, LEAD, verdicts(), parts, RULE, QUOTED)

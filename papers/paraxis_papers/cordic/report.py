"""The report `cordic`: Lee and Chang's pipeline for the PUMA, from its equations to gates."""

from ..document import Report
from .adders import adders_table
from .dynamics import dynamics_table
from .graph import diagrams, tasks_table
from .hardware import hardware_table
from .joint_errors import joint_errors_table
from .same_bits import same_bits_table
from .scale_factors import scale_factors
from .sizes import sizes_tables
from .valid_bit import valid_bit_table
from .verdicts import verdicts
from .word_lengths import iterations_figure, word_length_figure, word_length_table

TITLE = "CORDIC inverse kinematics beside Lee and Chang's"
LEAD = (
    "Lee and Chang (1988) solve a PUMA's inverse kinematics on 25 CORDIC processors in a balanced "
    "pipeline, a solution every stage. Their task graph is not in the paper's text. Here it is "
    "made of their equations, beside one of shorter equations; and that one is followed down to "
    "bits and gates."
)
RULE = (
    "Tasks, pipelines, errors and comparisons are made with the report, by the model that computes "
    "with the words of the circuit, bit by bit. An error is an absolute difference from float64. "
    "Hardware is not measured with the report; a table that has numbers of it says whence they are."
)
QUOTED = ("Haviland and Tuszynski 1980",)


def cordic():
    """The report."""
    parts = [
        *sizes_tables(),
        *diagrams(),
        tasks_table(),
        scale_factors(),
        adders_table(),
        joint_errors_table(),
        word_length_table(),
        word_length_figure(),
        iterations_figure(),
        valid_bit_table(),
        dynamics_table(),
        same_bits_table(),
        hardware_table(),
    ]
    return Report("cordic", TITLE, LEAD, verdicts(), parts, RULE, QUOTED)

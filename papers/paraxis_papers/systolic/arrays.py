"""The arrays that the tables are about, each built once."""

from functools import cache

from paraxis.parallel import systolic_array
from paraxis.robots import chain

PAPER = "Lathrop 1985"
LINKS = 6  # of his tables
SIZES = (1, 2, 3, 6, 7, 16, 32, 64)
FORMS = ("linear", "logarithmic")
NAMES = {
    ("linear", "systolic"): "linear, systolic",
    ("linear", "single_device"): "linear, single device",
    ("logarithmic", "systolic"): "logarithmic, systolic",
    ("logarithmic", "single_device"): "logarithmic, one tier",
}


@cache
def array(form, machine, n=LINKS, fewest_buffers=False):
    """For a chain of revolute joints without rotors."""
    return systolic_array(chain(n), form, machine, fewest_buffers)

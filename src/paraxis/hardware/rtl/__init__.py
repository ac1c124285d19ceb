"""Circuits of CORDIC units as hardware: Amaranth, Verilog, simulation, synthesis by yosys."""

from ...errors import MissingPackageError

try:
    import amaranth  # noqa: F401
except ImportError as error:
    raise MissingPackageError(
        "hardware needs the package amaranth: pip install 'paraxis[hdl]'"
    ) from error

"""Names of modules and ports, which must be Verilog's."""

import re

from ...errors import ArgumentError

KEYWORDS = """
    always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign
    default defparam design disable edge else end endcase endconfig endfunction endgenerate
    endmodule endprimitive endspecify endtable endtask event for force forever fork function
    generate genvar highz0 highz1 if ifnone incdir include initial inout input instance integer
    join large liblist library localparam macromodule medium module nand negedge nmos nor
    noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1
    pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat
    rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled signed small specify specparam
    strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand
    trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor
"""


def module_name(circuit):
    """A circuit's name as that of a module."""
    name = re.sub(r"\W", "_", circuit.name, flags=re.ASCII)
    return name if _is_name(name) else f"circuit_{name}"


def port_name(name, shape, index):
    """An entry of an array as an identifier: pose_0_3."""
    places = []
    for size in reversed(shape):
        index, place = divmod(index, size)
        places.append(str(place))
    return "_".join([name, *reversed(places)])


def require_port_names(owner, names):
    """Names that ports can have, each once, besides those of clock and reset."""
    seen = {"clk", "rst"}
    for name in names:
        if name in seen or not _is_name(name):
            raise ArgumentError(
                f"{owner}: expected inputs and outputs whose names can be those of ports in "
                f"Verilog, each once, found {name}"
            )
        seen.add(name)


def _is_name(name):
    return re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and name not in KEYWORDS.split()

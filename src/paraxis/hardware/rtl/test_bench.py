"""A test bench in plain Verilog that feeds a design and compares its outputs, clock by clock.

A turn is a clock in which an item can be accepted; in some, before the items in GAPS, none is sent.
Stimulus and expected words have one row per turn: whether there is an item, whether it is valid,
and its words, the first in the lowest bits. They are followed by items that a reset must clear.
(These come last, as a simulator may initialise some logic late: the first item must be correct by
itself.)
"""

import numpy as np

GAPS = (1, 4, 5)


def test_bench(design, name, items):
    """The text. It prints one line that begins with PASS or FAIL."""
    turns = items + sum(gap < items for gap in GAPS)
    into, out = list(design.inputs.values()), list(design.outputs.values())
    in_bits, out_bits = sum(map(len, into)), sum(map(len, out))
    ports = [".clk(clk)", ".rst(rst)", ".start(start)", ".done(done)", ".valid(valid)"]
    ports += _slices(into, "words_in") + _slices(out, "words_out")
    ready_wire, ready_check = "", ""
    if design.ready is not None:
        ports.append(".ready(ready)")
        ready_wire = "\n  wire ready;"
        ready_check = READY
    return TEXT.format(
        name=name,
        items=items,
        turns=turns,
        latency=design.latency,
        interval=design.interval,
        in_bits=in_bits,
        out_bits=out_bits,
        ready_wire=ready_wire,
        ready_check=ready_check,
        ports=",\n    ".join(ports),
    )


def stimulus_rows(design, words):
    """One row per turn: start, words."""
    return _rows(list(design.inputs.values()), [words[source] for source in design.inputs])


def expected_rows(design, words, valid):
    """One row per turn: done, valid, words."""
    signals = [*design.outputs.values(), design.valid]
    return _rows(signals, [*(words[key] for key in design.outputs), valid])


def _rows(signals, columns):
    bits = sum(map(len, signals)) + 1
    digits, rows = -(-bits // 4), []
    for number, row in enumerate(zip(*(np.asarray(c).tolist() for c in columns), strict=True)):
        rows += ["0" * digits] * (number in GAPS)
        packed, place = 0, 0
        for signal, word in zip(signals, row, strict=True):
            packed |= (int(word) & ((1 << len(signal)) - 1)) << place
            place += len(signal)
        rows.append(f"{packed | 1 << place:0{digits}x}")
    return "\n".join(rows) + "\n"


def _slices(signals, vector):
    """Connections of ports to parts of a vector, the first in its lowest bits."""
    ports, place = [], 0
    for signal in signals:
        ports.append(f".{signal.name}({vector}[{place + len(signal) - 1}:{place}])")
        place += len(signal)
    return ports


READY = """
      if (ready !== (clock % INTERVAL == 0)) begin
        wrong = wrong + 1;
        if (wrong <= SHOWN) $display("clock %0d after a reset: ready is %b", clock, ready);
      end"""

TEXT = """// Sends the items of {name}_stimulus.hex through the circuit and compares its outputs
// with {name}_expected.hex in every clock; then sends some that a reset must clear.
// Finally prints one line that begins with PASS or FAIL.

`timescale 1ns / 1ns

module {name}_test;
  localparam ITEMS = {items}, TURNS = {turns}, LATENCY = {latency}, INTERVAL = {interval};
  localparam IN = {in_bits}, OUT = {out_bits}, SHOWN = 10;

  reg clk = 1, rst = 1, start = 0;
  reg [IN-1:0] words_in;
  wire done, valid;{ready_wire}
  wire [OUT-1:0] words_out;
  reg [IN:0] stimulus [0:TURNS-1];    // start, words
  reg [OUT+1:0] expected [0:TURNS-1]; // done, valid, words
  reg [OUT+1:0] row;
  integer clock, turn, wrong, seen;

  {name} circuit (
    {ports}
  );

  always #5 clk = ~clk;

  // Compares the outputs with row, shortly before the edge that ends the clock.
  task compare;
    begin
      #4;{ready_check}
      // The words of an invalid item are meaningless.
      if (done !== row[OUT+1] || valid !== row[OUT] || (row[OUT] && words_out !== row[OUT-1:0]))
      begin
        wrong = wrong + 1;
        if (wrong <= SHOWN)
          $display("clock %0d after a reset: expected %b %b %h, found %b %b %h", clock,
                   row[OUT+1], row[OUT], row[OUT-1:0], done, valid, words_out);
      end
    end
  endtask

  initial begin
    $readmemh("{name}_stimulus.hex", stimulus);
    $readmemh("{name}_expected.hex", expected);
    wrong = 0;
    seen = 0;
    repeat (3) @(negedge clk);
    rst = 0;
    for (clock = 0; clock < LATENCY + TURNS * INTERVAL; clock = clock + 1) begin
      // Inputs are unknown if no item is sent: they must have no effect.
      start = 0;
      words_in = {{IN{{1'bx}}}};
      turn = clock / INTERVAL;
      if (clock % INTERVAL == 0 && turn < TURNS) begin
        start = stimulus[turn][IN];
        if (start) words_in = stimulus[turn][IN-1:0];
      end
      row = 0;
      turn = (clock - LATENCY) / INTERVAL;
      if (clock >= LATENCY && (clock - LATENCY) % INTERVAL == 0) row = expected[turn];
      compare;
      if (done === 1'b1) seen = seen + 1;
      @(negedge clk);
    end

    // Items in all stages, and a reset in the middle of a stage: none may come out.
    start = 1;
    repeat (LATENCY + 1) @(negedge clk);
    rst = 1;
    @(negedge clk);
    rst = 0;
    start = 0;
    row = 0;
    for (clock = 0; clock < LATENCY; clock = clock + 1) begin
      compare;
      @(negedge clk);
    end

    if (wrong == 0 && seen == ITEMS)
      $display("PASS: %0d items, latency %0d clocks, one every %0d clocks",
               ITEMS, LATENCY, INTERVAL);
    else
    begin
      $display("FAIL: %0d clocks are wrong, %0d of %0d items came out", wrong, seen, ITEMS);
      $stop;
    end
    $finish;
  end
endmodule
"""

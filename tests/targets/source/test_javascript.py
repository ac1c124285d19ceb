"""What only JavaScript has: lengths that are checked, results that may be left out, types."""

import json
import re

import pytest
from support.exported import needs, program_of, shell

import paraxis as px


@pytest.fixture
def node(tmp_path):
    """Run JavaScript beside the module `f.mjs` of a Program; what the last expression printed."""
    needs("javascript")

    def run(program, script, *flags):
        (tmp_path / "f.mjs").write_text(program.to_javascript("f"))
        text = f'import {{ f, f_batch }} from "./f.mjs";\n{script}'
        (tmp_path / "run.mjs").write_text(text)
        return shell(["node", *flags, "run.mjs"], folder=tmp_path).strip()

    return run


def swap():
    return px.trace(lambda x, k: {"y": [x[1] * k, x[0]], "z": x[0] + k}, x=2, k=())


def test_results_may_be_left_out_or_given(node):
    said = node(
        swap(),
        """
const y = new Float64Array(2), z = new Float64Array(1);
const made = f([3, 4], [2]), kept = f([3, 4], [2], y, z);
const many = f_batch(2, [3, 4, 5, 6], [2, 10]);
console.log(JSON.stringify([made, many].map(({ y, z }) => [...y, ...z])));
console.log(kept.y === y && kept.z === z && y[0] === 8);
console.log(f_batch(0, [], []).y.length);
""",
    ).splitlines()
    assert json.loads(said[0]) == [[8, 3, 5], [8, 3, 60, 5, 5, 15]]
    assert said[1:] == ["true", "0"]


def test_results_may_go_where_inputs_lie(node):
    program = px.trace(lambda x: [x[1] + x[0], x[0], x[1]], x=3)
    said = node(
        program, "const x = Float64Array.of(1, 2, 3, 4, 5, 6); console.log(f_batch(2, x, x)[3], x);"
    )
    assert said == "9 Float64Array(6) [ 3, 1, 2, 9, 4, 5 ]"


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("f([1, 2, 3], [1])", "x: expected 2 numbers, found 3"),
        ("f([1, 2])", "k: expected 1 numbers, found undefined"),
        ("f([1, 2], [1], [0])", "y: expected 2 numbers, found 1"),
        ("f_batch(3, [1, 2], [1])", "x: expected 6 numbers, found 2"),
        ("f_batch(1.5, [1, 2, 3], [1])", "states: expected an integer >= 0, found 1.5"),
        ("f_batch([1, 2], [1])", "states: expected an integer >= 0, found 1,2"),
    ],
)
def test_a_wrong_length_gives_no_number(call, problem, node):
    said = node(swap(), f"try {{ console.log({call}); }} catch (e) {{ console.log(String(e)); }}")
    assert said == f"RangeError: {problem}"


def test_what_is_no_number_gives_none(node):
    """Text that looks like a number is one, as everywhere in JavaScript; it is not joined."""
    said = node(swap(), 'console.log(f(["1", "2"], ["3"]).z[0], f([{}, 2], [3]).z[0]);')
    assert said == "4 NaN"


def test_the_text_is_a_module_that_evaluates_nothing(node):
    """It runs where code from strings is not allowed, as under a strict content security policy."""
    text = program_of("ur5").to_javascript("f")
    assert not re.search(r"\beval\b|\bFunction\b|\bimport\b|\brequire\b", text.split("*/")[1])
    script = (
        "console.log(f([1, 2], [3]).z[0]); try { eval('1'); } catch (e) { console.log(e.name); }"
    )
    said = node(swap(), script, "--disallow-code-generation-from-strings")
    assert said.split() == ["4", "EvalError"]
    assert re.findall(r"^export function (\w+)", text, re.M) == ["f", "f_batch"]


def test_types(tmp_path):
    swap().export(tmp_path, "javascript", name="f")
    text = (tmp_path / "f.d.ts").read_text()
    text = " ".join(text[text.index("export") :].split())
    given = "x: ArrayLike<number>, k: ArrayLike<number>, y?: Float64Array, z?: Float64Array"
    kind = "{ y: Float64Array; z: Float64Array }"
    assert text == (
        f"export function f({given}): {kind}; "
        f"export function f_batch(states: number, {given}): {kind};"
    )


def test_the_self_test_runs_in_a_folder_of_commonjs(tmp_path):
    needs("javascript")
    (tmp_path / "package.json").write_text('{"type": "commonjs"}')
    done = swap().export(tmp_path, "javascript", name="f")
    assert "error 0.0e+0 over 9 states" in shell(done.test)


def test_a_long_body_stays_fast_enough_to_optimise():
    """V8 gives up on functions of more than 60 kB of bytecode."""
    robot = px.robots.chain(30)
    program = px.program(robot, "forward_dynamics", algorithm="articulated_body")
    text = program.to_javascript("f")
    parts = re.findall(r"^function f_part\d+\(.*?^}", text, re.M | re.S)
    assert len(parts) > 2 and max(part.count("\n") for part in parts) < 3000
    assert "const frame = new Float64Array(" in text

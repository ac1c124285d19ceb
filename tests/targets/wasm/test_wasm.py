"""WebAssembly against the interpreter and the CPU's kernels: in wasmtime, and in Node."""

import itertools
import json
import math
import shutil
import subprocess

import numpy as np
import pytest
from support.operations import LOSES_ZERO_SIGN, OPERATIONS, ROUNDS_APART, SPECIAL, WITHIN_TWO_ULP
from support.robots import random_robot

import paraxis as px

pytest.importorskip("wasmtime")
from support.wasm import Instance, computed

VALUES = np.array(SPECIAL["float64"])
PAIRS = np.array(list(itertools.product(VALUES, repeat=2)))


@pytest.fixture
def node(tmp_path):
    """Run JavaScript that finds what was exported to tmp_path; what it prints, as JSON."""
    if shutil.which("node") is None:
        pytest.skip("there is no Node here")

    def run(text):
        path = tmp_path / "run.mjs"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(["node", path], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_every_operation_on_every_kind_of_number():
    def all_of_them(a, b):
        return {f"y{k}": OPERATIONS[op](a, b) for k, op in enumerate(OPERATIONS)} | {"ab": [a, b]}

    program = px.trace(all_of_them, a=(), b=())
    a, b = PAIRS.T
    *found, _ = computed(program, a, b)
    with np.errstate(all="ignore"):
        *expected, _ = program.evaluate(a=a, b=b).values()
    for op, xs, ys in zip(OPERATIONS, found, expected, strict=True):
        for (p, q), x, y in zip(PAIRS, xs, ys, strict=True):
            where = f"{op}({p!r}, {q!r}) = {x!r}, expected {y!r}"
            if math.isnan(y) or math.isinf(y):
                assert x == y or (math.isnan(x) and math.isnan(y)), where
            elif op in WITHIN_TWO_ULP:
                assert abs(x - y) <= 2 * np.spacing(abs(y)), where
            elif op in ROUNDS_APART:
                assert math.isclose(x, y, rel_tol=1e-14, abs_tol=1e-14), where
            else:
                assert x == y, where
                assert op in LOSES_ZERO_SIGN or math.copysign(1, x) == math.copysign(1, y), where


def test_sines_without_a_fused_multiply_add_are_within_two_ulp():
    rng, ulps = np.random.default_rng(0), []
    both = px.trace(lambda x: {"s": px.math.sin(x), "c": px.math.cos(x)}, x=())
    quarter = np.arange(1, 20_000) * (math.pi / 2)
    for x in (rng.uniform(-4, 4, 20_000), rng.uniform(-131072, 131072, 20_000), quarter):
        for found, exact in zip(computed(both, x), (np.sin, np.cos), strict=True):
            expected = exact(x.astype(np.longdouble))
            ulps.append(np.max(abs(found - expected) / np.spacing(abs(expected.astype(float)))))
    assert max(ulps) < 1.5


@pytest.mark.parametrize("seed", range(3))
def test_random_robots(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, (4, 6))
    for function in ("inverse_dynamics", "forward_dynamics"):
        program = px.program(robot, function)
        given = {key: rng.normal(size=(7, *shape)) for key, shape in program.inputs.items()}
        (found,) = computed(program, *given.values())
        np.testing.assert_allclose(found, program.evaluate(**given), rtol=1e-9, atol=1e-9)


def test_what_does_not_fit_on_the_stack_is_in_memory_of_the_module():
    program = px.trace(lambda x: [value * value for value in x], x=1500)
    x = np.random.default_rng(1).normal(size=(5, 1500))
    (found,) = computed(program, x)
    assert (found == x * x).all()


def test_only_what_is_needed_is_asked_of_the_host():
    robot = px.robots.planar(2)
    assert sorted(Instance(px.program(robot).to_wasm()).asked_for) == ["cos", "sin"]
    assert Instance(px.trace(lambda x: x + 1.0, x=()).to_wasm()).asked_for == []
    assert Instance(px.trace(lambda x: px.math.exp(x), x=()).to_wasm()).asked_for == ["exp"]


def test_the_same_bits_anywhere_in_a_batch_and_alone():
    program = px.program(px.load("ur5"), "forward_dynamics")
    given = np.random.default_rng(2).normal(size=(3, 6, 6))
    batch = np.repeat(given[:, :1], 7, axis=1)
    (found,) = computed(program, *batch)
    assert (found == found[0]).all()
    (alone,) = computed(program, *batch[:, :1])
    assert (alone == found[:1]).all()


def swing(x, v, u, dt):
    return {"x_next": x + dt * v, "v_next": v + dt * (u - px.math.sin(x)), "u_kept": 2.0 * u}


def test_a_step_that_is_repeated():
    program = px.trace(swing, x=(), v=(), u=(), dt=())
    plan = dict(carry={"x": "x_next", "v": "v_next"}, per_step=("u",), record=("x", "u_kept"))
    states, steps, every = 5, 12, 3
    rng = np.random.default_rng(3)
    x, v, u = rng.normal(size=states), rng.normal(size=states), rng.normal(size=(steps, states))
    state, records = program.compile_iterate(**plan)(steps, every, x=x, v=v, u=u, dt=0.1)
    for given, row in ((u, 8), (u[:, 0], 0)):
        instance = Instance(program.to_wasm("swing", **plan))
        at_x, at_v, at_u = (instance.put(each) for each in (x, v, given))
        at_dt, of_x, of_u = (instance.put(each) for each in (0.1, np.zeros(20), np.zeros(20)))
        inputs = at_x, 8, at_v, 8, at_u, row, at_dt, 0
        instance.call("swing_iterate", states, steps, every, 0, *inputs, of_x, of_u)
        if row == 0:
            shared = np.broadcast_to(u[:, :1], u.shape)
            state, records = program.compile_iterate(**plan)(
                steps, every, x=x, v=v, u=shared, dt=0.1
            )
        np.testing.assert_allclose(instance.get(at_x, (states,)), state["x"], rtol=1e-13)
        np.testing.assert_allclose(instance.get(of_x, (4, states)), records["x"], rtol=1e-13)
        np.testing.assert_allclose(instance.get(of_u, (4, states)), records["u_kept"], rtol=1e-13)


def test_states_that_end_early():
    def halve(x):
        return {"x_next": x / 2, "over": px.math.less(x, 1.0)}

    program = px.trace(halve, x=())
    plan = dict(carry={"x": "x_next"}, until="over")
    instance, x = Instance(program.to_wasm("halve", **plan)), np.array([8.0, 1.0, 1e9])
    at, done = instance.put(x), instance.put(np.zeros(3))
    instance.call("halve_iterate", 3, 10, 1, 0, at, 8, done)
    state, _ = program.compile_iterate(**plan)(10, x=x)
    assert instance.get(at, (3,)).tolist() == state["x"].tolist()
    assert (instance.get(done, (3,)) != 0).tolist() == [True, True, False]


def test_a_self_test_in_node(tmp_path, node):
    exported = px.program(px.load("ur5"), "mass_matrix").export(tmp_path, "wasm", name="mass")
    done = subprocess.run(exported.test.split(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "mass: error" in done.stdout
    module = tmp_path / "mass_test.mjs"
    text = module.read_text()
    for wrong in ("1.5", "NaN"):
        module.write_text(text.replace('"values": [', f'"values": [{wrong}, ', 1))
        failed = subprocess.run(exported.test.split(), capture_output=True, timeout=120)
        assert failed.returncode == 1


def test_the_loader_in_node(tmp_path, node):
    program = px.trace(lambda x, k: {"y": [k * x[0], px.math.exp(x[1])], "run": k}, x=2, k=())
    program.export(tmp_path, "wasm", name="scaled")
    assert node("""
        import { load } from "./scaled.js";
        const kernel = await load(), out = [];
        out.push(Object.values(kernel.compute({ x: [3, 0], k: 2 })).map((a) => [...a]));
        out.push([...kernel.compute({ x: [[1, 0], [2, 0], [3, 0]], k: [1, 2, 3] }).y]);
        out.push([...kernel.compute({ x: [1, 0, 2, 0], k: 10 }).y]);
        const batch = kernel.batch(100000);
        kernel.batch(300000); // the memory grows
        batch.arrays.x.fill(0);
        batch.arrays.k.fill(5);
        out.push([batch.run().arrays.run.every((k) => k === 5), batch.arrays.y[199999]]);
        const refused = (call) => { try { call(); } catch (error) { return error.message; } };
        out.push(refused(() => kernel.compute({ x: [1, 0] })));
        out.push(refused(() => kernel.compute({ x: [1, 0, 3], k: 1 })));
        out.push(refused(() => kernel.compute({ x: [1, 0], k: 1, z: 1 })));
        out.push(refused(() => kernel.compute({ x: [1, 0, 1, 0], k: [1, 2, 3] })));
        out.push(refused(() => kernel.compute({ x: ["1", 0], k: 1 })));
        out.push(refused(() => kernel.batch(0)));
        console.log(JSON.stringify(out));
    """) == [
        [[6, 1], [2]],
        [1, 1, 4, 1, 9, 1],
        [10, 1, 20, 1],
        [True, 1],
        "scaled: input k is missing",
        "x: expected a multiple of 2 numbers, found 3",
        "scaled: z is not an input; its inputs are x, k",
        "x: expected 6 numbers, or those of one state, found 4",
        "x: expected numbers, found string",
        "states: expected an integer >= 1, found 0",
    ]


def test_the_loader_of_a_repeated_step_in_node(tmp_path, node):
    program = px.trace(swing, x=(), v=(), u=(), dt=())
    plan = dict(carry={"x": "x_next", "v": "v_next"}, per_step=("u",), record=("x",))
    paths = program.export_iterate(tmp_path, **plan, name="swing")
    assert [path.rsplit(".", 2)[-1] for path in paths] == ["wasm", "js", "ts"]
    u = [0.5, -0.5, 0.25, 1.0]
    ends, records = program.compile_iterate(**plan)(
        4, 2, x=[0.1, 0.2], v=0.0, u=np.array(u), dt=0.1
    )
    state, recorded, done, again = node(f"""
        import {{ load }} from "./swing.js";
        const swing = (await load(undefined, 2)).set({{ x: [0.1, 0.2], v: 0, dt: 0.1 }});
        const recorded = [...swing.advance(4, 2, {{ u: {u} }}).x];
        const state = [...swing.arrays.x, ...swing.arrays.v];
        swing.set({{ x: [0.1, 0.2], v: 0 }}).advance(2, 2, {{ u: {u[:2]} }});
        swing.advance(2, 2, {{ u: {u[2:]} }});
        const again = [...swing.arrays.x, ...swing.arrays.v];
        console.log(JSON.stringify([state, recorded, swing.done, again]));
    """)
    np.testing.assert_allclose(state, np.concatenate([ends["x"], ends["v"]]), rtol=1e-14)
    np.testing.assert_allclose(recorded, records["x"].reshape(-1), rtol=1e-14)
    assert done == 8 and again == state


def test_refused_by_name(tmp_path):
    program = px.trace(lambda x: px.math.sin(x), x=())
    for name in ("body", "run", "memory"):
        with pytest.raises(px.ArgumentError, match="reserved|expected"):
            program.to_wasm(name)
    with pytest.raises(px.ArgumentError, match="float64"):
        program.export(tmp_path, "wasm", dtype="float32")
    with pytest.raises(px.ArgumentError, match="carry"):
        program.to_wasm(carry={})
